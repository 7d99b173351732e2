//! The output of the demo for each request: its direction, and the credential that it carries.

use std::fmt::Display;
use std::io::{self, IsTerminal as _};
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::header::AUTHORIZATION;
use http::{HeaderMap, Request};
use secrecy::{ExposeSecret as _, SecretString};

use crate::cli::output::print;
use crate::cli::terminal::{escape, escape_json};

static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
/// On a terminal, and not where <https://no-color.org> says otherwise.
static IS_COLOURED: LazyLock<bool> = LazyLock::new(|| {
    io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
});

/// Colours of a terminal (ECMA-48, Select Graphic Rendition).
const FAINT: u8 = 2;
const RED: u8 = 31;
const GREEN: u8 = 32;
const YELLOW: u8 = 33;
const CYAN: u8 = 36;

#[derive(Clone, Copy)]
pub(super) struct Hop(&'static str, &'static str);

impl Hop {
    pub(super) const TO_GATEWAY: Self = Self("caller", "gateway");
    pub(super) const TO_NEXTCLOUD: Self = Self("gateway", "Nextcloud");
    pub(super) const OF_USER: Self = Self("user", "Nextcloud");
    pub(super) const WEBHOOK: Self = Self("Nextcloud", "gateway");
    pub(super) const DELIVERY: Self = Self("gateway", "receiver");
}

/// Distinguishes the bearer tokens of the demo without showing them.
#[derive(Clone)]
pub(super) struct Traffic {
    known: Arc<[(SecretString, &'static str)]>,
}

impl Traffic {
    /// `known` tokens, each with what is shown in its place.
    pub(super) fn new(known: impl IntoIterator<Item = (SecretString, &'static str)>) -> Self {
        let known = known.into_iter().collect();
        LazyLock::force(&BEGUN);
        Self { known }
    }

    pub(super) fn request<B>(&self, Hop(from, to): Hop, request: &Request<B>) {
        let (method, path) = (request.method(), escape(request.uri().path()));
        let credential = self.credential(from, request);
        let colour = match credential.split_once(' ') {
            Some(("Bearer", _)) => YELLOW,
            Some(("Basic", _)) => GREEN,
            Some(("a", _)) => CYAN,
            _ => RED,
        };
        let credential = painted(colour, &format!("{credential:<16}"));
        show(&format!("{from:<9} \u{2192} {to:<9}  {credential} {method} {path}\n"));
    }

    /// The credential of a request, without the secret.
    fn credential<B>(&self, from: &str, request: &Request<B>) -> String {
        let Some(field) = request.headers().get(AUTHORIZATION) else {
            if request.headers().contains_key("webhook-signature") {
                return "a signature".to_owned();
            }
            return "no credential".to_owned();
        };
        let field = field.to_str().unwrap_or_default();
        let (scheme, value) = field.split_once(' ').unwrap_or_default();
        let is_it = |known: &&(SecretString, _)| known.0.expose_secret() == value;
        match (scheme, self.known.iter().find(is_it)) {
            ("Bearer", Some((_, shown))) => (*shown).to_owned(),
            // The stand-in alone knows no credential that its client registers.
            ("Bearer", None) if from == "Nextcloud" => "Bearer (webhook)".to_owned(),
            ("Bearer", None) => "another Bearer".to_owned(),
            ("Basic", _) => {
                let pair = BASE64_STANDARD.decode(value).unwrap_or_default();
                let pair = String::from_utf8_lossy(&pair);
                let user = pair.split(':').next().unwrap_or_default();
                format!("Basic {}:\u{2022}\u{2022}\u{2022}", escape(user))
            }
            _ => "another scheme".to_owned(),
        }
    }
}

pub(super) fn show_answer(Hop(from, to): Hop, answer: impl Display) {
    let mut answer = answer.to_string();
    if !answer.starts_with('2') {
        answer = painted(RED, &answer);
    }
    show(&format!("{from:<9} \u{2190} {to:<9}  {answer}\n\n"));
}

/// Shows what a delivery consists of: the fields that sign it, and its body.
pub(super) fn show_delivery(headers: &HeaderMap, body: &[u8]) {
    let mut text = String::new();
    for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        let value = headers.get(name).map_or(&b""[..], |it| it.as_bytes());
        let value = String::from_utf8_lossy(value);
        text += &format!("{name}: {}\n", painted(CYAN, &escape(&value)));
    }
    let mut body = String::from_utf8_lossy(body).into_owned();
    escape_json(&mut body);
    show(&format!("a delivery in full:\n{text}{body}\n"));
}

fn painted(colour: u8, text: &str) -> String {
    if *IS_COLOURED { format!("\x1b[{colour}m{text}\x1b[0m") } else { text.to_owned() }
}

/// A text that cannot be written is lost.
fn show(text: &str) {
    let time = format!("{:>6.1} s", BEGUN.elapsed().as_secs_f64());
    let text = format!("{}  {text}", painted(FAINT, &time));
    let _ = print(text.as_bytes());
}

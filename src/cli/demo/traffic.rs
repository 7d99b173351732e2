//! The output of the demo for each request: its direction, and the credential that it carries.

use std::fmt::Display;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::Request;
use http::header::AUTHORIZATION;
use secrecy::{ExposeSecret as _, SecretString};

use crate::cli::output::print;
use crate::cli::terminal::escape;

/// Who sends a request, and to whom.
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

// === impl Traffic ===

impl Traffic {
    /// `known` tokens, each with what is shown in its place.
    pub(super) fn new(known: impl IntoIterator<Item = (SecretString, &'static str)>) -> Self {
        let known = known.into_iter().collect();
        Self { known }
    }

    pub(super) fn request<B>(&self, Hop(from, to): Hop, request: &Request<B>) {
        let (method, path) = (request.method(), escape(request.uri().path()));
        let credential = self.credential(from, request);
        show(&format!(
            "{from:<9} \u{2192} {to:<9}  {credential:<16} {method} {path}\n"
        ));
    }

    /// The credential of a request, without the secret.
    fn credential<B>(&self, from: &str, request: &Request<B>) -> String {
        let Some(field) = request.headers().get(AUTHORIZATION) else {
            let is_signed = request.headers().contains_key("webhook-signature");
            return if is_signed {
                "a signature"
            } else {
                "no credential"
            }
            .to_owned();
        };
        let (scheme, value) = field
            .to_str()
            .ok()
            .and_then(|value| value.split_once(' '))
            .unwrap_or_default();
        match scheme {
            "Bearer" => {
                let mut known = self.known.iter();
                let known = known.find(|(token, _)| token.expose_secret() == value);
                known
                    .map_or_else(
                        || match from {
                            // The stand-in alone knows no credential that its client registers.
                            "Nextcloud" => "Bearer (webhook)",
                            _ => "another Bearer",
                        },
                        |(_, shown)| shown,
                    )
                    .to_owned()
            }
            "Basic" => {
                let pair = BASE64_STANDARD.decode(value).unwrap_or_default();
                let pair = String::from_utf8_lossy(&pair);
                let user = pair.split(':').next().unwrap_or_default();
                format!("Basic {}:\u{2022}\u{2022}\u{2022}", escape(user))
            }
            _ => "another scheme".to_owned(),
        }
    }
}

/// Shows what became of a request.
pub(super) fn show_answer(Hop(from, to): Hop, answer: impl Display) {
    show(&format!("{from:<9} \u{2190} {to:<9}  {answer}\n\n"));
}

/// A line that cannot be written is lost.
fn show(line: &str) {
    let _ = print(line.as_bytes());
}

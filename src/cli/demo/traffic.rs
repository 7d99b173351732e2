//! The output of the demo for each request: its direction, and the credential that it carries.

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::header::AUTHORIZATION;
use http::{Request, StatusCode};
use portreeve::identity::BearerToken;
use portreeve::vault::AppPassword;

use crate::cli::output::print;
use crate::cli::terminal::escape;

/// The direction of a request.
#[derive(Clone, Copy)]
pub(super) enum Hop {
    ToGateway,
    ToGroupware,
}

/// Distinguishes the two secrets of the demo without showing them.
#[derive(Clone)]
pub(super) struct Traffic {
    token: BearerToken,
    password: Arc<AppPassword>,
}

// === impl Traffic ===

impl Traffic {
    pub(super) fn of(token: BearerToken, password: Arc<AppPassword>) -> Self {
        Self { token, password }
    }

    pub(super) fn request<B>(&self, hop: Hop, request: &Request<B>) {
        let hop = match hop {
            Hop::ToGateway => "caller  \u{2192} gateway",
            Hop::ToGroupware => "gateway \u{2192} Nextcloud",
        };
        let (method, path) = (request.method(), escape(request.uri().path()));
        let credential = self.credential(request);
        show(&format!("{hop:<20} {credential:<16} {method} {path}\n"));
    }

    /// The credential of a request, without the secret.
    fn credential<B>(&self, request: &Request<B>) -> String {
        let Some(field) = request.headers().get(AUTHORIZATION) else {
            return "no credential".to_owned();
        };
        let (scheme, value) = field
            .to_str()
            .ok()
            .and_then(|it| it.split_once(' '))
            .unwrap_or_default();
        match scheme {
            "Bearer" if value == self.token.expose() => "Bearer prt_\u{2026}".to_owned(),
            "Bearer" if value == self.password.expose() => {
                "Bearer \u{2022}\u{2022}\u{2022}".to_owned()
            }
            "Bearer" => "another bearer token".to_owned(),
            "Basic" => {
                let pair = BASE64_STANDARD.decode(value).unwrap_or_default();
                let pair = String::from_utf8_lossy(&pair);
                let user = pair.split(':').next().unwrap_or_default();
                format!("Basic {}:\u{2022}\u{2022}\u{2022}", escape(user))
            }
            _ => "another credential".to_owned(),
        }
    }
}

/// Shows a response to a caller.
pub(super) fn show_answer(status: StatusCode) {
    show(&format!("{:<20} {status}\n\n", "caller  \u{2190} gateway"));
}

/// A line that cannot be written is lost.
fn show(line: &str) {
    let _ = print(line.as_bytes());
}

//! Stateful login flows of several users, as at the real server: the answers are recorded ones, with the
//! tokens and passwords of each flow filled in.

use std::collections::HashMap;

use bytes::Bytes;
use http::Uri;

use super::recording::{Recording, Release};

/// The placeholder of the tokens in `login-flow-v2-init`.
const POLL_TOKEN: &str = "FAKEpolltoken";
const PAGE_TOKEN: &str = "FAKElogintoken";

/// The placeholders in `login-flow-v2-poll-after-grant`.
const LOGIN_NAME: &str = r#""loginName":"alice""#;
const PASSWORD: &str = "FAKEAppPasswordFromLoginFlow00000000000000000000000000000000000000000000";

/// The flows that have not ended.
#[derive(Default)]
pub struct Flows {
    started: usize,
    /// By the number in their tokens; a login name and an app password once it is granted.
    open: HashMap<usize, Option<(String, String)>>,
}

// === impl Flows ===

impl Flows {
    /// The user grants access on the page at `login_url`; returns the password that the poll will return
    /// once.
    pub fn grant(&mut self, login_url: &str, login_name: &str) -> String {
        let number = number_after(login_url, PAGE_TOKEN).expect("a page of a flow");
        let password = PASSWORD.replacen("0000", &format!("{number:04}"), 1);
        let flow = self.open.get_mut(&number).expect("the flow is not over");
        *flow = Some((login_name.to_owned(), password.clone()));
        password
    }

    /// The answer to a request; `None` if it is not about login flows.
    pub fn serve(&mut self, version: Release, uri: &Uri, body: &Bytes) -> Option<Recording> {
        let path = uri.path();
        if path.ends_with("/login/v2") {
            self.started += 1;
            self.open.insert(self.started, None);
            let number = format!("{:04}", self.started);
            let numbered = |text: String, token: &str| {
                text.replace(&format!("{token}0000"), &format!("{token}{number}"))
            };
            return Some(with(version, "login-flow-v2-init", |body| {
                numbered(numbered(body, POLL_TOKEN), PAGE_TOKEN)
            }));
        }
        if !path.ends_with("/login/v2/poll") {
            return None;
        }
        let body = std::str::from_utf8(body).unwrap_or_default();
        let number = number_after(body, POLL_TOKEN)?;
        let granted = match self.open.get(&number) {
            Some(Some(_)) => self.open.remove(&number).flatten(),
            _ => None,
        };
        let Some((login_name, password)) = granted else {
            return Some(Recording::of(version, "login-flow-v2-poll-before-grant"));
        };
        Some(with(version, "login-flow-v2-poll-after-grant", |body| {
            let body = body.replace(LOGIN_NAME, &format!(r#""loginName":"{login_name}""#));
            body.replace(PASSWORD, &password)
        }))
    }
}

/// A recorded answer with another body.
fn with(version: Release, name: &str, change: impl FnOnce(String) -> String) -> Recording {
    let mut recording = Recording::of(version, name);
    recording.response.body = recording.response.body.map(change);
    recording
}

/// The four digits after `token`.
fn number_after(text: &str, token: &str) -> Option<usize> {
    let (_, rest) = text.split_once(token)?;
    rest.get(..4)?.parse().ok()
}

//! The accounts of the stand-in: their app passwords, and the page on which a user grants one (Login Flow v2).

use std::collections::VecDeque;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{Method, Response, StatusCode};
use parking_lot::Mutex;
use portreeve::vault::AppPassword;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use subtle::ConstantTimeEq as _;

use super::{ADMINISTRATOR, Answer, USERS, random};

/// The start of every address of a login flow, which the real server also announces and answers without `/index.php`.
pub(super) const LOGIN: &str = "/login/v2";

/// Flows that are remembered: the oldest one makes room for a new one.
const MAX_FLOWS: usize = 64;

#[derive(Default)]
pub(super) struct Accounts {
    passwords: Mutex<Vec<(SecretString, &'static str)>>,
    flows: Mutex<VecDeque<Flow>>,
}

/// Whoever grants it opens its page, whoever waits for the password sends the form.
struct Flow {
    page: String,
    poll: String,
    granted: Option<(&'static str, SecretString)>,
}

impl Accounts {
    /// Accounts of which the administrator alone has an app password.
    pub(super) fn new(password: &AppPassword) -> Self {
        let accounts = Self::default();
        let password = (password.expose().into(), ADMINISTRATOR);
        accounts.passwords.lock().push(password);
        accounts
    }

    /// Whose app password an `Authorization` field carries: as a password with the name of its account, or as a token.
    pub(super) fn owner(&self, authorization: &str) -> Option<&'static str> {
        let passwords = self.passwords.lock();
        passwords.iter().find(|it| is_carried(it, authorization)).map(|(_, user)| *user)
    }

    pub(super) fn revoke(&self, authorization: &str) {
        let mut passwords = self.passwords.lock();
        passwords.retain(|it| !is_carried(it, authorization));
    }

    /// Answers a request of a login flow at `path`, below [`LOGIN`], of a server at `host`.
    pub(super) fn answer(&self, method: &Method, path: &str, body: &[u8], host: &str) -> Answer {
        // Ids of a new flow, or the password that is granted.
        let Ok([page, secret]) = random().and_then(|page| Ok([page, random()?])) else {
            return answer(StatusCode::INTERNAL_SERVER_ERROR, &Value::Null);
        };
        let mut flows = self.flows.lock();
        let form = String::from_utf8_lossy(body);
        match (method, path) {
            (&Method::POST, "") => {
                let base = format!("http://{host}{LOGIN}");
                let started = json!({
                    "poll": {"token": secret, "endpoint": format!("{base}/poll")},
                    "login": format!("{base}/flow/{page}"),
                });
                flows.truncate(MAX_FLOWS - 1);
                flows.push_front(Flow { page, poll: format!("token={secret}"), granted: None });
                answer(StatusCode::OK, &started)
            }
            (&Method::POST, "/poll") => {
                let is_granted = |flow: &Flow| flow.granted.is_some() && flow.poll == form;
                let at = flows.iter().position(is_granted);
                // The password is handed out once.
                let Some((user, password)) = at.and_then(|at| flows.remove(at)?.granted) else {
                    return answer(StatusCode::NOT_FOUND, &json!([]));
                };
                let granted = json!({
                    "server": format!("http://{host}"),
                    "loginName": user,
                    "appPassword": password.expose_secret(),
                });
                answer(StatusCode::OK, &granted)
            }
            (method, path) => {
                let shown = path.strip_prefix("/flow/").unwrap_or_default();
                let mut flows = flows.iter_mut();
                let Some(flow) = flows.find(|flow| flow.page == shown) else {
                    return page_of(StatusCode::NOT_FOUND, "This page has expired: start again.");
                };
                let is_chosen =
                    |user: &&str| method == Method::POST && form == format!("user={user}");
                let Some(user) = USERS.into_iter().find(is_chosen) else {
                    return page_of(StatusCode::OK, &question());
                };
                let password = SecretString::from(secret);
                self.passwords.lock().push((password.clone(), user));
                flow.granted = Some((user, password));
                page_of(StatusCode::OK, "Access is granted: close this page.")
            }
        }
    }
}

fn is_carried((password, user): &(SecretString, &str), authorization: &str) -> bool {
    let password = password.expose_secret();
    let basic = BASE64_STANDARD.encode(format!("{user}:{password}"));
    [format!("Basic {basic}"), format!("Bearer {password}")]
        .iter()
        .any(|it| it.as_bytes().ct_eq(authorization.as_bytes()).into())
}

/// The form of the page. The real server asks whoever is logged in there.
fn question() -> String {
    let button =
        |user| format!("<button name=\"user\" value=\"{user}\">Grant access as {user}</button>\n");
    format!(
        "A program asks for an app password.\n<form method=\"post\">\n{}</form>",
        USERS.map(button).concat()
    )
}

fn page_of(status: StatusCode, content: &str) -> Answer {
    let title = "A stand-in for Nextcloud";
    let page = format!("<!doctype html>\n<title>{title}</title>\n<h1>{title}</h1>\n{content}\n");
    of_type(status, "text/html; charset=utf-8", page)
}

pub(super) fn answer(status: StatusCode, body: &Value) -> Answer {
    of_type(status, "application/json; charset=utf-8", body.to_string())
}

fn of_type(status: StatusCode, content_type: &'static str, body: String) -> Answer {
    Response::builder()
        .status(status)
        .header(CONTENT_TYPE, content_type)
        .body(Bytes::from(body).into())
        .expect("a status and a fixed header make a response")
}

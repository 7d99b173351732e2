//! Logins, and the server's handling of failed ones.

use std::collections::{HashMap, HashSet};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::HeaderMap;

/// The valid logins, and the failures.
#[derive(Default)]
pub struct Accounts {
    /// The account id by the value of the `Authorization` field of HTTP Basic.
    logins: HashMap<String, String>,
    /// App passwords and their owners. Tests may give several users the same one: it belongs to the first.
    tokens: Vec<(String, String)>,
    /// Those of them that are account passwords, not app passwords.
    account_passwords: HashSet<String>,
    /// Whether bearer tokens are ignored, or dropped by a proxy in between.
    refuses_bearer: bool,
    /// The login name of each failure that still counts.
    counted: Vec<String>,
    failures: usize,
    throttled: usize,
}

/// The result of a request's login.
pub enum Login {
    Anonymous,
    /// An unknown bearer token.
    NotLoggedIn,
    As(String),
    Refused,
    Throttled,
}

impl Accounts {
    /// With more failures than this, every login by HTTP Basic is throttled.
    const MAX_FAILURES: usize = 10;

    /// Accepts each account id with its login name and password.
    pub fn new<'a>(accounts: impl IntoIterator<Item = (&'a str, &'a str, &'a str)>) -> Self {
        let mut new = Self::default();
        for (user_id, login_name, password) in accounts {
            new.allow(user_id, login_name, password);
        }
        new
    }

    /// Accepts one more.
    pub fn allow(&mut self, user_id: &str, login_name: &str, password: &str) {
        let field = basic(login_name, password);
        self.logins.insert(field, user_id.to_owned());
        self.tokens.push((password.to_owned(), user_id.to_owned()));
    }

    /// Accepts one with its account password.
    pub fn allow_account_password(&mut self, user_id: &str, password: &str) {
        self.allow(user_id, user_id, password);
        self.account_passwords.insert(password.to_owned());
    }

    /// Ignores bearer tokens from now on.
    pub fn refuse_bearer(&mut self) {
        self.refuses_bearer = true;
    }

    /// Revokes the app password of a request, by HTTP Basic or as a bearer token.
    pub fn forbid(&mut self, field: &str) {
        let (Some(user_id), Some(password)) = (self.opened_by(field), password(field)) else {
            return;
        };
        self.tokens.retain(|(token, of)| *token != password || *of != user_id);
        self.logins
            .retain(|known, of| *of != user_id || self::password(known) != Some(password.clone()));
    }

    fn opened_by(&self, field: &str) -> Option<String> {
        let Some(token) = field.strip_prefix("Bearer ") else {
            return self.logins.get(field).cloned();
        };
        let mut tokens = self.tokens.iter();
        let found = tokens.find(|(password, _)| password == token);
        found.map(|(_, user_id)| user_id.clone())
    }

    /// The total number of logins counted as failed.
    pub fn failures(&self) -> usize {
        self.failures
    }

    /// The number of throttled logins.
    pub fn throttled(&self) -> usize {
        self.throttled
    }

    /// Another client at the same address fails until the address is throttled.
    pub fn block(&mut self) {
        let others = ["somebody".to_owned(), "else".to_owned()];
        let others = others.iter().cycle().cloned();
        self.counted.extend(others.take(Self::MAX_FAILURES + 1));
    }

    /// The failures have expired.
    pub fn forget_failures(&mut self) {
        self.counted.clear();
    }

    pub fn login(&mut self, headers: &HeaderMap) -> Login {
        let Some(field) = headers.get("authorization") else {
            return Login::Anonymous;
        };
        let field = field.to_str().unwrap_or_default();
        if let Some(token) = field.strip_prefix("Bearer ") {
            // Neither counted nor throttled. An account password is not accepted here.
            return match self.opened_by(field) {
                Some(user_id)
                    if !self.refuses_bearer && !self.account_passwords.contains(token) =>
                {
                    Login::As(user_id)
                }
                _ => Login::NotLoggedIn,
            };
        }
        if self.counted.len() > Self::MAX_FAILURES {
            self.throttled += 1;
            return Login::Throttled;
        }
        match self.logins.get(field) {
            Some(user_id) => {
                // A successful login clears only the failures under its account id.
                self.counted.retain(|failed| failed != user_id);
                Login::As(user_id.clone())
            }
            None => {
                self.counted.push(login_name(headers).unwrap_or_default());
                self.failures += 1;
                Login::Refused
            }
        }
    }
}

/// The value of the `Authorization` field (RFC 7617).
pub fn basic(login_name: &str, password: &str) -> String {
    let pair = format!("{login_name}:{password}");
    format!("Basic {}", BASE64_STANDARD.encode(pair))
}

/// The value of the `Authorization` field (RFC 6750).
pub fn bearer(password: &str) -> String {
    format!("Bearer {password}")
}

/// The password in the value of an `Authorization` field.
fn password(field: &str) -> Option<String> {
    match field.strip_prefix("Bearer ") {
        Some(token) => Some(token.to_owned()),
        None => Some(pair(field)?.1),
    }
}

/// Login name and password in the value of an `Authorization` field.
fn pair(field: &str) -> Option<(String, String)> {
    let pair = BASE64_STANDARD.decode(field.strip_prefix("Basic ")?).ok()?;
    let pair = String::from_utf8(pair).ok()?;
    let (login_name, password) = pair.split_once(':')?;
    Some((login_name.to_owned(), password.to_owned()))
}

/// The login name of a request.
pub fn login_name(headers: &HeaderMap) -> Option<String> {
    let field = headers.get("authorization")?.to_str().ok()?;
    Some(pair(field)?.0)
}

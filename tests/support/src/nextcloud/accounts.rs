//! Basic logins, and how the server treats those that fail.

use std::collections::{HashMap, HashSet};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::HeaderMap;

/// The logins that work, and those that failed.
#[derive(Default)]
pub struct Accounts {
    /// The account id by the value of the `Authorization` field.
    logins: HashMap<String, String>,
    /// Those of them that are the passwords of accounts, not app passwords.
    account_passwords: HashSet<String>,
    /// The login name of each failure that still counts.
    counted: Vec<String>,
    /// Whether the caller's address is on the allow-list: failures shut nobody out.
    allow_listed: bool,
    failures: usize,
}

/// What the server makes of a request.
pub enum Login {
    Anonymous,
    /// A bearer token that opens nothing.
    NotLoggedIn,
    As(String),
    Refused,
    Throttled,
}

impl Accounts {
    /// From this many failures on, every login is refused.
    const MOST_FAILURES: usize = 11;

    /// Lets in each account id with its login name and password.
    pub fn new<'a>(accounts: impl IntoIterator<Item = (&'a str, &'a str, &'a str)>) -> Self {
        let logins = accounts.into_iter().map(|(user_id, login_name, password)| {
            (basic(login_name, password), user_id.to_owned())
        });
        Self {
            logins: logins.collect(),
            ..Self::default()
        }
    }

    /// Lets one more in.
    pub fn allow(&mut self, user_id: &str, login_name: &str, password: &str) {
        let field = basic(login_name, password);
        self.logins.insert(field, user_id.to_owned());
    }

    /// Puts the caller's address on the allow-list.
    pub fn allow_list(&mut self) {
        self.allow_listed = true;
    }

    /// Lets one in with the password of the account itself.
    pub fn allow_account_password(&mut self, user_id: &str, password: &str) {
        self.allow(user_id, user_id, password);
        self.account_passwords.insert(password.to_owned());
    }

    /// The account that `token` opens as a bearer token: app passwords do.
    fn bearer(&self, token: &str) -> Login {
        let opens = |field: &str| {
            let pair = BASE64_STANDARD.decode(&field["Basic ".len()..]).unwrap();
            let pair = String::from_utf8(pair).unwrap();
            pair.split_once(':').unwrap().1 == token
        };
        match self.logins.iter().find(|(field, _)| opens(field)) {
            Some((_, user_id)) if !self.account_passwords.contains(token) => {
                Login::As(user_id.clone())
            }
            // Neither tried nor counted.
            _ => Login::NotLoggedIn,
        }
    }

    /// Revokes the login of a request.
    pub fn forbid(&mut self, field: &str) {
        self.logins.remove(field);
    }

    /// How many logins failed in all.
    pub fn failures(&self) -> usize {
        self.failures
    }

    pub fn login(&mut self, headers: &HeaderMap) -> Login {
        let Some(field) = headers.get("authorization") else {
            return Login::Anonymous;
        };
        if let Some(token) = field.to_str().unwrap_or_default().strip_prefix("Bearer ") {
            return self.bearer(token);
        }
        if self.counted.len() >= Self::MOST_FAILURES && !self.allow_listed {
            return Login::Throttled;
        }
        let login_name = login_name(headers).unwrap_or_default();
        match self.logins.get(field.to_str().unwrap_or_default()) {
            Some(user_id) => {
                // A login that works clears the failures of its own user, and of nobody else.
                self.counted.retain(|failed| *failed != login_name);
                Login::As(user_id.clone())
            }
            None => {
                self.counted.push(login_name);
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

/// The login name of a request.
pub fn login_name(headers: &HeaderMap) -> Option<String> {
    let field = headers.get("authorization")?.to_str().ok()?;
    let pair = BASE64_STANDARD.decode(field.strip_prefix("Basic ")?).ok()?;
    let pair = String::from_utf8(pair).ok()?;
    Some(pair.split_once(':')?.0.to_owned())
}

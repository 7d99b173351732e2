//! Basic logins, and how the server treats those that fail.

use std::collections::HashMap;

use http::HeaderMap;

/// Who may log in, and how often somebody failed.
pub struct Accounts {
    /// The account id by the value of the `Authorization` field.
    pub logins: HashMap<String, String>,
    pub failures: usize,
}

/// What the server makes of a request.
pub enum Login {
    Anonymous,
    As(String),
    Refused,
    Throttled,
}

impl Accounts {
    /// After this many failures every login is refused.
    const MOST_FAILURES: usize = 11;

    pub fn login(&mut self, headers: &HeaderMap) -> Login {
        let Some(field) = headers.get("authorization") else {
            return Login::Anonymous;
        };
        if self.failures >= Self::MOST_FAILURES {
            return Login::Throttled;
        }
        match self.logins.get(field.to_str().unwrap_or_default()) {
            Some(user_id) => Login::As(user_id.clone()),
            None => {
                self.failures += 1;
                Login::Refused
            }
        }
    }
}

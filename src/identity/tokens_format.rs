//! The text of a tokens file.
//!
//! One token per line, fields separated by spaces; `#` begins a comment line:
//!
//! ```text
//! # id       SHA-256 of the token                                              created               user   scopes
//! 3f9a1c2b   9b74c9897bac770ffc029102a200c5de6a4d…(64 hexadecimal digits)      2026-01-31T09:30:00Z  alice  webhooks apps
//! 5d1e8f00   2c26b46b68ffc68ff99b453c1d3041340342…(64 hexadecimal digits)      2026-01-31T09:30:00Z  bob    expires=2026-05-01T09:30:00Z
//! ```

use std::fmt;
use std::time::SystemTime;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use super::digest::TokenDigest;
use crate::names::{NameError, check_login_name, is_scope};

/// The comment at the top of a file created by [`TokensFile`](super::TokensFile).
pub(super) const HEADING: &str = "\
# The bearer tokens that portreeve takes, one a line:
#   id, SHA-256 of the token, creation time, user (blanks as %20), scopes,
#   expires=TIME among them if it has an end
# Lines may be removed by hand; a running gateway takes each change up.
";

const EXPIRES: &str = "expires=";

/// The percent-encoded characters of a user: those that would end a field or a line, and the escape character.
const FIELD: &AsciiSet = &CONTROLS.add(b' ').add(b'%');

/// One token of a tokens file, without the token itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRecord {
    /// The id by which the token is listed and revoked; not part of the token.
    pub id: Box<str>,
    pub(super) digest: TokenDigest,
    /// When the token was created, to the second.
    pub created: SystemTime,
    /// The account id of the token's user at the groupware server.
    pub user_id: Box<str>,
    /// The scopes of the token.
    pub scopes: Vec<Box<str>>,
    /// When the token expires, to the second; `None` if it does not.
    pub expires_at: Option<SystemTime>,
}

impl TokenRecord {
    /// Parses one line; `None` for a blank line or a comment.
    pub(super) fn parse(line: &str) -> Option<Result<Self, &'static str>> {
        // Some editors write a byte order mark.
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() || line.starts_with('#') {
            return None;
        }
        let mut fields = line.split_ascii_whitespace();
        let mut parse = || {
            let id = fields.next().ok_or("it has no id")?;
            let digest = fields.next().ok_or("it has no digest")?;
            let created = fields.next().ok_or("it has no creation time")?;
            let user_id = fields.next().ok_or("it has no user")?;
            let user_id = percent_decode_str(user_id)
                .decode_utf8()
                .map_err(|_| "its user is not percent-encoded UTF-8")?;
            let mut record = Self {
                id: id.into(),
                digest: TokenDigest::from_hex(digest)
                    .ok_or("its digest is not 64 hexadecimal digits")?,
                created: humantime::parse_rfc3339(created)
                    .map_err(|_| "its creation time is not like 2026-01-31T09:30:00Z")?,
                user_id: check_user(&user_id)?.into(),
                scopes: Vec::new(),
                expires_at: None,
            };
            for field in fields.by_ref() {
                let Some(end) = field.strip_prefix(EXPIRES) else {
                    record.scopes.push(check_scope(field)?.into());
                    continue;
                };
                let end = humantime::parse_rfc3339(end)
                    .map_err(|_| "its expiry is not like expires=2026-01-31T09:30:00Z")?;
                if record.expires_at.replace(end).is_some() {
                    return Err("it has more than one expiry");
                }
            }
            Ok(record)
        };
        Some(parse())
    }
}

impl fmt::Display for TokenRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {} {} {}",
            self.id,
            self.digest.hex(),
            humantime::format_rfc3339_seconds(self.created),
            utf8_percent_encode(&self.user_id, FIELD)
        )?;
        if let Some(end) = self.expires_at {
            let end = humantime::format_rfc3339_seconds(end);
            write!(f, " {EXPIRES}{end}")?;
        }
        self.scopes.iter().try_for_each(|scope| write!(f, " {scope}"))
    }
}

/// `user_id`, if HTTP Basic can transmit it; the error describes a valid one.
pub(super) fn check_user(user_id: &str) -> Result<&str, &'static str> {
    check_login_name(user_id).map_err(|error| match error {
        NameError::Length => "a user is 1 to 255 bytes long",
        NameError::Character => "a user has neither control characters nor a colon",
    })
}

/// `scope`, if it is valid; the error describes a valid one.
pub(super) fn check_scope(scope: &str) -> Result<&str, &'static str> {
    if !is_scope(scope) {
        Err("a scope is visible ASCII without spaces, quotes and backslashes")
    } else if scope.starts_with(EXPIRES) {
        Err("expires= begins the expiry of a token, not a scope")
    } else {
        Ok(scope)
    }
}

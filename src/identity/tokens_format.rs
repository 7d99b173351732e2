//! The text of a tokens file.
//!
//! One token a line, fields separated by blanks; `#` begins a comment line:
//!
//! ```text
//! # id       SHA-256 of the token                                              created               user   scopes
//! 3f9a1c2b   9b74c9897bac770ffc029102a200c5de6a4d…(64 hexadecimal digits)      2026-01-31T09:30:00Z  alice  webhooks apps
//! ```

use std::fmt;
use std::time::SystemTime;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use super::digest::TokenDigest;
use crate::names::{NameError, check_login_name, is_scope};

/// The comment at the top of a file that [`TokensFile`](super::TokensFile) makes.
pub(super) const HEADING: &str = "\
# The bearer tokens that portreeve takes, one a line:
#   id, SHA-256 of the token, creation time, user (blanks as %20), scopes
# Lines may be removed by hand; a running gateway takes each change up.
";

/// Percent-encoded in a user: what would end a field or a line, and the escape character itself.
const FIELD: &AsciiSet = &CONTROLS.add(b' ').add(b'%');

/// One token of a tokens file, without the token itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRecord {
    pub(super) id: Box<str>,
    pub(super) digest: TokenDigest,
    pub(super) created: SystemTime,
    pub(super) user_id: Box<str>,
    pub(super) scopes: Vec<Box<str>>,
}

impl TokenRecord {
    /// The name by which the token is listed and revoked; not part of the token.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The account id at the groupware server that the token stands for.
    pub fn user_id(&self) -> &str {
        &self.user_id
    }

    /// The scopes of the token.
    pub fn scopes(&self) -> impl Iterator<Item = &str> {
        self.scopes.iter().map(|scope| &**scope)
    }

    /// When the token was made, to the second.
    pub fn created(&self) -> SystemTime {
        self.created
    }

    /// Reads one line; `None` for a blank one or a comment.
    pub(super) fn parse(line: &str) -> Option<Result<Self, &'static str>> {
        // Some editors begin a file with a byte order mark.
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
            Ok(Self {
                id: id.into(),
                digest: TokenDigest::from_hex(digest)
                    .ok_or("its digest is not 64 hexadecimal digits")?,
                created: humantime::parse_rfc3339(created)
                    .map_err(|_| "its creation time is not like 2026-01-31T09:30:00Z")?,
                user_id: check_user(&user_id)?.into(),
                scopes: fields
                    .by_ref()
                    .map(|scope| check_scope(scope).map(Into::into))
                    .collect::<Result<_, _>>()?,
            })
        };
        Some(parse())
    }
}

/// The line of a tokens file.
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
        self.scopes
            .iter()
            .try_for_each(|scope| write!(f, " {scope}"))
    }
}

/// `user_id`, if HTTP Basic can name it; the error says what a user is like.
pub(super) fn check_user(user_id: &str) -> Result<&str, &'static str> {
    check_login_name(user_id).map_err(|error| match error {
        NameError::Length => "a user is 1 to 255 bytes long",
        NameError::Character => "a user has neither control characters nor a colon",
    })
}

/// `scope`, if it is one; the error says what a scope is like.
pub(super) fn check_scope(scope: &str) -> Result<&str, &'static str> {
    match is_scope(scope) {
        true => Ok(scope),
        false => Err("a scope is visible ASCII without blanks, quotes and backslashes"),
    }
}

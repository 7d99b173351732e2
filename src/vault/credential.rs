//! A credential that a user provisioned, opened.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::time::SystemTime;

use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

use super::handle::Record;
use super::time::{from_millis, to_millis};
use super::{Row, Table, fields};
use crate::opaque::opaque_debug;

/// In the count of a row, beside the refusals in a row: the server refuses the password by HTTP Basic. A signed
/// integer of 32 bits can hold it.
pub(super) const REFUSED_BY_BASIC: u32 = 1 << 30;

/// An app password: 20 to 256 characters of `[A-Za-z0-9-]`.
///
/// Its bytes are overwritten when it is dropped, `==` takes constant time, and `Debug` shows nothing of them.
///
/// ```
/// use portreeve::vault::AppPassword;
///
/// let password = AppPassword::new("aaaaa-bbbbb-ccccc-ddddd-eeeee").unwrap();
/// assert_eq!(format!("{password:?}"), "AppPassword(***)");
/// assert!(AppPassword::new("too short").is_err());
/// ```
#[derive(Clone)]
pub struct AppPassword(Zeroizing<Box<str>>);

/// An app password, and the name that it works with. `Debug` shows neither.
#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    /// The login name.
    pub name: Box<str>,
    /// The password.
    pub password: AppPassword,
}

/// A stored app password with what is needed to use it: HTTP Basic (docs/API.md, section
/// 2.2). `Debug` shows neither password nor login name.
#[derive(Clone)]
pub struct Credential {
    pub(super) metadata: Metadata,
    /// The password.
    pub password: AppPassword,
}

#[derive(Clone, Debug)]
pub(crate) struct StoredCredential(pub(super) Arc<Row>);

/// A stored credential without its password: everything that may be displayed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metadata {
    /// The account id at the groupware server.
    pub user_id: Arc<str>,
    /// The name the password works with.
    pub login_name: Box<str>,
    /// When it was stored, in whole milliseconds.
    pub provisioned_at: SystemTime,
    /// A number that each store of a password changes, and nothing else.
    pub revision: u64,
    /// When the groupware server last refused it; `None` for a credential in good standing.
    pub suspended_at: Option<SystemTime>,
    /// How often in a row the groupware server refused it: 0 for a credential in good standing.
    pub refusals: u32,
    /// Whether the groupware server refused it by HTTP Basic: it was probably made under another login name.
    pub is_refused_by_basic: bool,
    /// Whether the groupware server handed it out in a login flow.
    pub is_from_flow: bool,
    pub(super) limit: Option<ScopeLimit>,
}

/// What limits the requests that are forwarded with a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ScopeLimit {
    /// Names, separated by spaces.
    pub(super) scopes: Box<str>,
    pub(super) set_at: SystemTime,
}

/// Why a text is not an app password. It contains nothing of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// Fewer than 20 or more than 256 characters.
    #[error(
        "an app password has {min} to {max} characters, this text has {0} bytes; \
         make one in the security settings of the groupware server",
        min = AppPassword::MIN_LEN, max = AppPassword::MAX_LEN
    )]
    Length(usize),
    /// A character other than `A-Z`, `a-z`, `0-9` and `-`.
    #[error("an app password holds letters, digits and hyphens alone; check for blanks and quotes")]
    Character,
}

// === impl AppPassword ===

impl AppPassword {
    /// Length in characters of the shortest app password.
    pub const MIN_LEN: usize = 20;
    /// Length in characters of the longest app password.
    pub const MAX_LEN: usize = 256;

    /// The app password `text`, if it has the form of one.
    ///
    /// # Errors
    /// [`FormatError`] says what is wrong without repeating the text.
    pub fn new(text: &str) -> Result<Self, FormatError> {
        if !(Self::MIN_LEN..=Self::MAX_LEN).contains(&text.len()) {
            return Err(FormatError::Length(text.len()));
        }
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        // All of them are looked at, which compiles to vector instructions.
        if !text.bytes().fold(true, |all, byte| all & fits(byte)) {
            return Err(FormatError::Character);
        }
        Ok(Self(Zeroizing::new(text.into())))
    }

    /// The characters, for the request that is made with them.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

/// In constant time.
impl PartialEq for AppPassword {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_bytes().ct_eq(other.0.as_bytes()).into()
    }
}

impl Eq for AppPassword {}

opaque_debug!(AppPassword);
opaque_debug!(Login);

// === impl Credential ===

impl Credential {
    pub(crate) fn login(&self) -> Login {
        Login { name: self.metadata.login_name.clone(), password: self.password.clone() }
    }
}

impl Record for Credential {
    const TABLE: Table = Table::Credential;

    fn decode(plain: &[u8], row: &Arc<Row>) -> Option<Self> {
        // Earlier versions do not open a record with a limit: they would not respect it.
        let (from_flow, provisioned_at, [login_name, password], limit) = match fields::decode(plain)
        {
            Some((from_flow, at, texts)) => (from_flow, at, texts, None),
            None => {
                let (from_flow, at, [name, password, limit]) = fields::decode(plain)?;
                (from_flow, at, [name, password], Some(ScopeLimit::decode(limit)?))
            }
        };
        let stored = StoredCredential(row.clone());
        let metadata = Metadata {
            user_id: stored.user_id().clone(),
            login_name: login_name.into(),
            provisioned_at: from_millis(provisioned_at),
            revision: stored.revision(),
            suspended_at: stored.suspended_at(),
            refusals: stored.refusals(),
            is_refused_by_basic: stored.is_refused_by_basic(),
            is_from_flow: from_flow == 1,
            limit,
        };
        let password = AppPassword::new(password).ok()?;
        Some(Self { metadata, password })
    }
}

/// What may be displayed of it.
impl Deref for Credential {
    type Target = Metadata;

    fn deref(&self) -> &Metadata {
        &self.metadata
    }
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credential")
            .field("user_id", &self.metadata.user_id)
            .field("revision", &self.metadata.revision)
            .field("suspended_at", &self.metadata.suspended_at)
            .finish_non_exhaustive()
    }
}

// === impl Metadata ===

impl Metadata {
    /// The only credential type (docs/API.md, section 5.2).
    pub const CREDENTIAL_TYPE: &'static str = "app_password";

    /// The scopes to which requests that are forwarded with it are limited (docs/API.md, section 10.4); `None` without a
    /// limit.
    pub fn scopes(&self) -> Option<Vec<&str>> {
        self.limit.as_ref().map(|limit| limit.scopes.split_ascii_whitespace().collect())
    }

    /// When the password or [its scopes](Self::scopes) were last stored.
    pub fn updated_at(&self) -> SystemTime {
        self.limit.as_ref().map_or(self.provisioned_at, |it| it.set_at.max(self.provisioned_at))
    }

    pub(super) fn encode(&self, password: &AppPassword) -> Zeroizing<Vec<u8>> {
        let limit = self.limit.as_ref().map(ScopeLimit::encode);
        let texts = [&*self.login_name, password.expose()];
        let texts: Vec<_> = texts.into_iter().chain(limit.as_deref()).collect();
        let provisioned_at = to_millis(self.provisioned_at);
        fields::encode(&[self.is_from_flow.into()], provisioned_at, &texts).into()
    }
}

// === impl ScopeLimit ===

impl ScopeLimit {
    pub(super) fn now(scopes: &str) -> Self {
        let set_at = from_millis(to_millis(SystemTime::now()));
        Self { scopes: scopes.into(), set_at }
    }

    fn encode(&self) -> String {
        format!("{} {}", to_millis(self.set_at), self.scopes)
    }

    fn decode(text: &str) -> Option<Self> {
        let (set_at, scopes) = text.split_once(' ')?;
        Some(Self { scopes: scopes.into(), set_at: from_millis(set_at.parse().ok()?) })
    }
}

// === impl StoredCredential ===

impl StoredCredential {
    pub(crate) fn user_id(&self) -> &Arc<str> {
        &self.0.key
    }

    pub(crate) fn revision(&self) -> u64 {
        self.0.number.cast_unsigned()
    }

    pub(crate) fn suspended_at(&self) -> Option<SystemTime> {
        self.0.since.map(from_millis)
    }

    pub(crate) fn refusals(&self) -> u32 {
        self.0.count & !REFUSED_BY_BASIC
    }

    pub(crate) fn is_refused_by_basic(&self) -> bool {
        self.0.count & REFUSED_BY_BASIC != 0
    }
}

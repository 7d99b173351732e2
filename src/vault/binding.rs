//! Which account a person is: bindings.

use std::sync::Arc;
use std::time::SystemTime;

use super::time::{from_millis, to_millis};

/// A person at an identity provider, bound to an account at the groupware server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    pub(super) issuer: Box<str>,
    pub(super) subject: Box<str>,
    pub(super) user_id: Arc<str>,
    pub(super) bound_at: SystemTime,
    pub(super) bound_by: BoundBy,
}

/// Who bound a person to an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BoundBy {
    /// The operator.
    Operator,
    /// The person, by a login flow that the account granted.
    LoginFlow,
}

/// The outcome of an attempt to bind a person to an account. Nothing changes unless it is
/// [`Bound`](Self::Bound) or [`AlreadyBound`](Self::AlreadyBound).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BindOutcome {
    /// They are bound now.
    Bound,
    /// They were bound to this account already.
    AlreadyBound,
    /// The person is bound to another account.
    PersonTaken,
    /// The account is bound to another person.
    AccountTaken,
    /// The login flow that was to bind them was changed by another call, or is gone.
    FlowChanged,
}

// === impl Binding ===

impl Binding {
    /// Length in bytes of the longest issuer and the longest subject.
    pub const MAX_LEN: usize = 1024;

    /// Who vouches for the person.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The name that the issuer has for the person.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// The account id at the groupware server.
    pub fn user_id(&self) -> &Arc<str> {
        &self.user_id
    }

    /// When they were bound, in whole milliseconds.
    pub fn bound_at(&self) -> SystemTime {
        self.bound_at
    }

    /// Who bound them.
    pub fn bound_by(&self) -> BoundBy {
        self.bound_by
    }

    /// The plain bytes that are sealed: the time in milliseconds (8 bytes), who bound (1), the length
    /// of the issuer (4), the issuer, the subject.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut plain = Vec::with_capacity(13 + self.issuer.len() + self.subject.len());
        plain.extend_from_slice(&to_millis(self.bound_at).to_be_bytes());
        plain.push(match self.bound_by {
            BoundBy::Operator => 0,
            BoundBy::LoginFlow => 1,
        });
        let len = u32::try_from(self.issuer.len()).unwrap_or(u32::MAX);
        plain.extend_from_slice(&len.to_be_bytes());
        plain.extend_from_slice(self.issuer.as_bytes());
        plain.extend_from_slice(self.subject.as_bytes());
        plain
    }

    pub(super) fn decode(plain: &[u8], user_id: Arc<str>) -> Option<Self> {
        let (millis, rest) = plain.split_first_chunk::<8>()?;
        let (&bound_by, rest) = rest.split_first()?;
        let (len, rest) = rest.split_first_chunk::<4>()?;
        let (issuer, subject) = rest.split_at_checked(u32::from_be_bytes(*len) as usize)?;
        Some(Self {
            issuer: std::str::from_utf8(issuer).ok()?.into(),
            subject: std::str::from_utf8(subject).ok()?.into(),
            user_id,
            bound_at: from_millis(i64::from_be_bytes(*millis)),
            bound_by: match bound_by {
                0 => BoundBy::Operator,
                1 => BoundBy::LoginFlow,
                _ => return None,
            },
        })
    }
}

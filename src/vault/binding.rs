//! Which account a person is: bindings.

use std::sync::Arc;
use std::time::SystemTime;

use super::handle::Record;
use super::time::{from_millis, to_millis};
use super::{Row, Table, fields};

/// A person at an identity provider, bound to an account at the groupware server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Binding {
    /// Who vouches for the person.
    pub issuer: Box<str>,
    /// The name that the issuer has for the person.
    pub subject: Box<str>,
    /// The account id at the groupware server.
    pub user_id: Arc<str>,
    /// When they were bound, in whole milliseconds.
    pub bound_at: SystemTime,
    /// Who bound them.
    pub bound_by: BoundBy,
}

// With the numbers that stand for them in a sealed binding.
/// Who bound a person to an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BoundBy {
    /// The operator.
    Operator = 0,
    /// The person, by a login flow that the account granted.
    LoginFlow = 1,
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

impl Binding {
    /// Length in bytes of the longest issuer and the longest subject.
    pub const MAX_LEN: usize = 1024;

    pub(super) fn encode(&self) -> Vec<u8> {
        let bound_at = to_millis(self.bound_at);
        fields::encode(&[self.bound_by as u8], bound_at, &[&self.issuer, &self.subject])
    }
}

impl Record for Binding {
    const TABLE: Table = Table::Binding;

    fn decode(plain: &[u8], row: &Arc<Row>) -> Option<Self> {
        let (bound_by, bound_at, [issuer, subject]) = fields::decode(plain)?;
        Some(Self {
            issuer: issuer.into(),
            subject: subject.into(),
            user_id: row.owner.clone(),
            bound_at: from_millis(bound_at),
            bound_by: match bound_by {
                0 => BoundBy::Operator,
                1 => BoundBy::LoginFlow,
                _ => return None,
            },
        })
    }
}

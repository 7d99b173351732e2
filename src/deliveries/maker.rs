//! Who made a target, on whose authority it gets events (docs/API.md, section 12.2).

use crate::labels::labels;
use crate::vault::PersonId;

/// Who made a target, or adopted it since.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Maker {
    /// Their account.
    pub account: Box<str>,
    /// The person at an identity provider, if the token named one.
    pub person: Option<PersonId>,
    /// Whether the account is theirs by a binding: the target is suspended without it.
    pub is_bound: bool,
    /// Whether the target gets events of others, which only an administrator may have.
    pub as_administrator: bool,
}

labels! {
    /// Why a target is not sent to, whatever else its state is. What arrives waits.
    pub enum Suspension {
        /// Its maker's account is not theirs any more.
        Unbound = "unbound",
        /// Its maker is no administrator any more.
        NotAdministrator = "not_administrator",
        /// Whether its maker is an administrator has not been known for too long.
        Unconfirmed = "unconfirmed",
    }
}

impl Maker {
    /// The account itself, for its own events.
    pub fn of(account: &str) -> Self {
        Self { account: account.into(), person: None, is_bound: false, as_administrator: false }
    }

    /// Whether both have the same account and person.
    pub(crate) fn is_person(&self, other: &Self) -> bool {
        (&self.account, &self.person) == (&other.account, &other.person)
    }

    /// The person, as they are kept; an empty text for none.
    pub(super) fn person_key(&self) -> &str {
        self.person.as_ref().map_or("", PersonId::as_str)
    }
}

//! Who login flows belong to.

use std::net::IpAddr;
use std::sync::Arc;

use crate::audit::{Action, Attempt, Auditor};
use crate::identity::Person;
use crate::vault::PersonId;

/// The owner of login flows, which decides the purpose of a grant.
pub(super) enum FlowOwner {
    /// The id of an account, for which the granted password is stored.
    Account(Box<str>),
    /// A person without an account, who is bound to the one that grants.
    Person(UnboundPerson),
}

/// A caller who is identified by issuer and subject, but not bound to an account.
#[derive(Clone, Debug)]
pub(in crate::gateway) struct UnboundPerson {
    identity: Arc<Person>,
    id: PersonId,
    pub(super) client_address: Option<IpAddr>,
    pub(super) request_id: Option<Box<str>>,
}

// === impl FlowOwner ===

impl FlowOwner {
    /// The account id, or the key used in its place.
    pub(super) fn key(&self) -> &str {
        match self {
            Self::Account(user_id) => user_id,
            Self::Person(person) => person.key(),
        }
    }

    /// The attempt that begins when a flow is granted.
    pub(super) fn attempt(&self, auditor: &Auditor) -> Attempt {
        match self {
            Self::Account(user_id) => auditor.attempt(Action::GrantCredential).user(user_id),
            Self::Person(person) => {
                let (issuer, subject) = person.names();
                auditor.attempt(Action::Bind).person(issuer, subject)
            }
        }
    }
}

// === impl UnboundPerson ===

impl UnboundPerson {
    /// `None` for a person without a subject, who cannot be bound.
    pub(in crate::gateway) fn new(
        person: &Arc<Person>,
        client_address: Option<IpAddr>,
        request_id: Option<&str>,
    ) -> Option<Self> {
        let id = PersonId::of(person.issuer(), person.subject()?);
        Some(Self {
            identity: person.clone(),
            id,
            client_address,
            request_id: request_id.map(Into::into),
        })
    }

    /// The person's key, used in place of an account id.
    pub(in crate::gateway) fn key(&self) -> &str {
        self.id.as_owner()
    }

    /// Issuer and subject.
    pub(super) fn names(&self) -> (&str, &str) {
        let subject = self.identity.subject().unwrap_or_default();
        (self.identity.issuer(), subject)
    }

    /// A name for display.
    pub(super) fn preferred_name(&self) -> Option<&str> {
        self.identity.preferred_name()
    }
}

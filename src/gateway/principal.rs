//! Who makes a request, once that is known (docs/API.md, section 2.7).

use std::sync::Arc;

use super::{Error, User};
use crate::identity::{Caller, Person};
use crate::vault::PersonId;

/// Who makes a request.
///
/// ```
/// use portreeve::gateway::{Principal, User};
///
/// let alice = Principal::from(User::new("alice"));
/// assert!(alice.user().is_some_and(|user| user.user_id() == "alice"));
/// ```
#[derive(Clone, Debug)]
pub enum Principal {
    /// A user of the groupware server.
    User(User),
    /// A person who had no account when they started the login flow that the request starts or polls.
    Unbound(UnboundPerson),
}

/// A person who is identified by issuer and subject, and can be bound to an account.
#[derive(Clone, Debug)]
pub struct UnboundPerson {
    person: Arc<Person>,
    id: PersonId,
    scopes: Arc<[Box<str>]>,
}

// === impl Principal ===

impl Principal {
    /// The user; `None` for a person without an account.
    pub fn user(&self) -> Option<&User> {
        match self {
            Self::User(user) => Some(user),
            Self::Unbound(_) => None,
        }
    }

    /// The account id, or the key of the person, which is nobody's account id.
    pub fn key(&self) -> &str {
        match self {
            Self::User(user) => user.user_id(),
            Self::Unbound(person) => person.id.as_owner(),
        }
    }

    /// The scopes of the token, without `prefix` where they begin with it.
    pub(super) fn scopes_without<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = &'a str> {
        let scopes = match self {
            Self::User(user) => &user.scopes,
            Self::Unbound(person) => &person.scopes,
        };
        scopes.iter().map(move |scope| scope.strip_prefix(prefix).unwrap_or(scope))
    }

    /// The user, who is needed for every request but those of login flows.
    pub(super) fn require_user(&self) -> Result<&User, Error> {
        let by_login_flow = true;
        self.user().ok_or(Error::NotBound { by_login_flow })
    }
}

impl From<User> for Principal {
    fn from(user: User) -> Self {
        Self::User(user)
    }
}

// === impl UnboundPerson ===

impl UnboundPerson {
    /// `None` for a person without a subject, who cannot be bound.
    pub fn new(person: &Arc<Person>) -> Option<Self> {
        let id = PersonId::new(&person.issuer, person.subject.as_deref()?);
        let person = person.clone();
        Some(Self { person, id, scopes: Arc::default() })
    }

    /// The same person with the scopes of `caller`, who it is.
    pub(super) fn with_scopes_of(self, caller: &Caller) -> Self {
        Self { scopes: caller.scopes.clone(), ..self }
    }

    /// Issuer and subject.
    pub fn names(&self) -> (&str, &str) {
        let subject = self.person.subject.as_deref();
        (&self.person.issuer, subject.unwrap_or_default())
    }

    /// A name for display, which proves nothing.
    pub(super) fn preferred_name(&self) -> Option<&str> {
        self.person.preferred_name.as_deref()
    }
}

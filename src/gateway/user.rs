//! The user that a request is made for, once the account is known.

use std::sync::Arc;

use crate::deliveries::Maker;
use crate::identity::{Caller, Person};
use crate::vault::PersonId;

/// A user of the groupware server: the account, and the scopes of the request's token.
///
/// The [account layer](super::layer::account) makes one from a [`Caller`]. Cheap to clone.
///
/// ```
/// use portreeve::gateway::User;
///
/// let user = User::new("alice").with_scopes(["webhooks"]);
/// assert_eq!(user.user_id(), "alice");
/// assert!(user.has_scope("webhooks") && !user.has_scope("web"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    pub(super) user_id: Arc<str>,
    pub(super) scopes: Arc<[Box<str>]>,
    person: Option<Arc<Person>>,
    is_bound: bool,
}

impl User {
    /// The user with the groupware account `user_id`, without scopes.
    pub fn new(user_id: impl Into<Arc<str>>) -> Self {
        Self { user_id: user_id.into(), scopes: Arc::default(), person: None, is_bound: false }
    }

    /// The same user with the scopes of their token (RFC 6749, section 3.3).
    #[must_use]
    pub fn with_scopes<T: Into<Box<str>>>(mut self, scopes: impl IntoIterator<Item = T>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// The user whose account is `user_id`, with the scopes of `caller`.
    pub(super) fn from_caller(caller: &Caller, user_id: Arc<str>) -> Self {
        let (scopes, person) = (caller.scopes.clone(), caller.person().cloned());
        Self { user_id, scopes, person, is_bound: false }
    }

    /// The same user, who has the account by a binding.
    pub(super) fn bound(mut self) -> Self {
        self.is_bound = true;
        self
    }

    /// Issuer and subject, if the token names a person by both.
    pub(super) fn person(&self) -> Option<(&str, &str)> {
        let person = self.person.as_ref()?;
        Some((&person.issuer, person.subject.as_deref()?))
    }

    /// The user as the maker of targets: for others, too, if `as_administrator`.
    pub(super) fn as_maker(&self, as_administrator: bool) -> Maker {
        let person = self.person();
        Maker {
            account: self.user_id().into(),
            is_bound: self.is_bound,
            person: person.map(|(issuer, subject)| PersonId::new(issuer, subject)),
            as_administrator,
        }
    }

    /// The account id at the groupware server.
    pub fn user_id(&self) -> &str {
        &self.user_id
    }

    /// The scopes of the token, in its order.
    pub fn scopes(&self) -> impl Iterator<Item = &str> {
        self.scopes.iter().map(|scope| &**scope)
    }

    /// Whether the token has `scope`, compared byte for byte (RFC 6749, section 3.3).
    pub fn has_scope(&self, scope: &str) -> bool {
        self.scopes().any(|held| held == scope)
    }
}

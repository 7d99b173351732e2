//! The user that a request is made for, once the account is known.

use std::sync::Arc;

use crate::identity::Caller;

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
    user_id: Arc<str>,
    scopes: Arc<[Box<str>]>,
}

// === impl User ===

impl User {
    /// The user with the groupware account `user_id`, without scopes.
    pub fn new(user_id: impl Into<Arc<str>>) -> Self {
        Self {
            user_id: user_id.into(),
            scopes: Arc::default(),
        }
    }

    /// The same user with the scopes of their token (RFC 6749, section 3.3).
    #[must_use]
    pub fn with_scopes<T: Into<Box<str>>>(mut self, scopes: impl IntoIterator<Item = T>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// The user whose account is `user_id`, with the scopes of `caller`.
    pub(super) fn from_caller(caller: &Caller, user_id: Arc<str>) -> Self {
        Self {
            user_id,
            scopes: caller.shared_scopes(),
        }
    }

    /// The account id at the groupware server.
    pub fn user_id(&self) -> &str {
        &self.user_id
    }

    /// The same, shared.
    pub(super) fn shared_user_id(&self) -> Arc<str> {
        self.user_id.clone()
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

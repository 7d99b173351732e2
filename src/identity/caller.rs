//! The user of a token.

use std::sync::Arc;
use std::time::SystemTime;

/// The user of a verified token, and what the token allows.
///
/// A [`TokenVerifier`](super::TokenVerifier) makes one, and so does a test of a service that is
/// called with one. Cheap to clone: a cached verification hands out the same strings each time.
///
/// ```
/// use portreeve::identity::Caller;
///
/// let caller = Caller::new("alice").with_scopes(["webhooks", "apps"]);
/// assert_eq!(caller.user_id(), "alice");
/// assert!(caller.has_scope("apps") && !caller.has_scope("app"));
/// assert_eq!(caller.expires_at(), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    user_id: Arc<str>,
    scopes: Arc<[Box<str>]>,
    expires_at: Option<SystemTime>,
}

impl Caller {
    /// A caller with the groupware account `user_id`, no scope and no expiry.
    pub fn new(user_id: impl Into<Arc<str>>) -> Self {
        Self {
            user_id: user_id.into(),
            scopes: Arc::default(),
            expires_at: None,
        }
    }

    /// The same caller with the scopes of its token (RFC 6749, section 3.3).
    #[must_use]
    pub fn with_scopes<T: Into<Box<str>>>(mut self, scopes: impl IntoIterator<Item = T>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// The same caller with the instant from which on its token is no longer valid.
    #[must_use]
    pub fn with_expiry(mut self, expires_at: SystemTime) -> Self {
        self.expires_at = Some(expires_at);
        self
    }

    /// The account id at the groupware server.
    pub fn user_id(&self) -> &str {
        &self.user_id
    }

    /// The same, to be kept.
    pub(crate) fn shared_user_id(&self) -> Arc<str> {
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

    /// When the token stops being valid; `None` if it has no expiry.
    pub fn expires_at(&self) -> Option<SystemTime> {
        self.expires_at
    }
}

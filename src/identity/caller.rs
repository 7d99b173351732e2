//! The caller that a token identifies: an account, or a person at an identity provider.

use std::sync::Arc;
use std::time::SystemTime;

/// The caller that a verified token identifies, with the token's scopes and expiry.
///
/// It is the result of a [`TokenVerifier`](super::TokenVerifier). Most tokens name the account at the groupware server
/// directly ([`new`](Self::new)). A token of an identity provider names a [`Person`] there
/// ([`of_person`](Self::of_person)), whose account the [account layer](crate::gateway::layer::account) determines.
///
/// Cheap to clone: cached callers share their strings.
///
/// ```
/// use portreeve::identity::{Caller, Person};
///
/// let caller = Caller::new("alice").with_scopes(["webhooks", "apps"]);
/// assert_eq!(caller.name(), "alice");
/// assert!(caller.has_scope("apps") && !caller.has_scope("app"));
/// assert_eq!(caller.expires_at, None);
/// assert!(caller.person().is_none());
///
/// let caller = Caller::of_person(Person::new("https://id.example.org", "f3a1"));
/// assert_eq!(caller.name(), "f3a1");
/// assert_eq!(&*caller.person().unwrap().issuer, "https://id.example.org");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    named: Named,
    pub(crate) scopes: Arc<[Box<str>]>,
    /// When the token expires; `None` if it does not.
    pub expires_at: Option<SystemTime>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Named {
    Account(Arc<str>),
    Person(Arc<Person>),
}

/// A person identified by an identity provider.
///
/// Issuer and subject together identify a person permanently (OpenID Connect Core 1.0, section 2).
///
/// ```
/// use portreeve::identity::Person;
///
/// let mut person = Person::new("https://id.example.org", "alice@example.org");
/// person.subject = Some("f3a1".into());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Person {
    /// The issuer that identifies the person: the token's `iss`, or the configured one if introspection returns none.
    pub issuer: Arc<str>,
    /// The value of the claim that the operator has chosen to name users. The built-in verifiers make it
    /// 1 to 1024 bytes of any characters.
    pub value: Arc<str>,
    /// The subject (`sub`), which the issuer never gives to anyone else; `None` if the token has none, or one that is
    /// empty or longer than 1024 bytes.
    pub subject: Option<Arc<str>>,
    /// The name that the person goes by (`preferred_username`), for display alone: at many providers users can change it.
    pub preferred_name: Option<Arc<str>>,
}

// === impl Caller ===

impl Caller {
    /// A caller with the groupware account `user_id`, no scope and no expiry; the rule for persons does not apply.
    pub fn new(user_id: impl Into<Arc<str>>) -> Self {
        Self::named(Named::Account(user_id.into()))
    }

    /// A caller who is `person` at an identity provider, with no scope and no expiry.
    pub fn of_person(person: Person) -> Self {
        Self::named(Named::Person(Arc::new(person)))
    }

    fn named(named: Named) -> Self {
        Self { named, scopes: Arc::default(), expires_at: None }
    }

    /// The same caller with the scopes of its token (RFC 6749, section 3.3).
    #[must_use]
    pub fn with_scopes<T: Into<Box<str>>>(mut self, scopes: impl IntoIterator<Item = T>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// The same caller with the instant from which on its token is no longer valid.
    #[must_use]
    pub fn with_expiry(mut self, expires_at: impl Into<Option<SystemTime>>) -> Self {
        self.expires_at = expires_at.into();
        self
    }

    /// The name in the token: the account id, or the identity provider's name for the person
    /// ([`Person::value`]), which need not be an account id.
    pub fn name(&self) -> &str {
        match &self.named {
            Named::Account(user_id) => user_id,
            Named::Person(person) => &person.value,
        }
    }

    /// The person at the identity provider; `None` if the token names an account.
    pub fn person(&self) -> Option<&Arc<Person>> {
        match &self.named {
            Named::Account(_) => None,
            Named::Person(person) => Some(person),
        }
    }

    /// The account id that the token names; `None` if it names a person.
    pub(crate) fn account(&self) -> Option<&Arc<str>> {
        match &self.named {
            Named::Account(user_id) => Some(user_id),
            Named::Person(_) => None,
        }
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

// === impl Person ===

impl Person {
    /// The person to whom `issuer` gives the name `value`.
    pub fn new(issuer: impl Into<Arc<str>>, value: impl Into<Arc<str>>) -> Self {
        Self { issuer: issuer.into(), value: value.into(), subject: None, preferred_name: None }
    }
}

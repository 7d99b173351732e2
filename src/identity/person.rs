//! A person at an identity provider.

use std::sync::Arc;

/// A person identified by an identity provider.
///
/// Issuer and subject together identify a person permanently (OpenID Connect Core 1.0, section 2). The
/// value is that of a claim chosen by the operator. The preferred name is only for display: users can
/// change it at many providers.
///
/// ```
/// use portreeve::identity::Person;
///
/// let person = Person::new("https://id.example.org", "alice@example.org")
///     .with_subject("f3a1")
///     .with_preferred_name("Alice");
/// assert_eq!((person.issuer(), person.subject()), ("https://id.example.org", Some("f3a1")));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    issuer: Arc<str>,
    value: Arc<str>,
    subject: Option<Arc<str>>,
    preferred_name: Option<Arc<str>>,
}

// === impl Person ===

impl Person {
    /// The person to whom `issuer` gives the name `value`.
    pub fn new(issuer: impl Into<Arc<str>>, value: impl Into<Arc<str>>) -> Self {
        Self {
            issuer: issuer.into(),
            value: value.into(),
            subject: None,
            preferred_name: None,
        }
    }

    /// The same person with the subject (`sub`), which the issuer never gives to anyone else.
    #[must_use]
    pub fn with_subject(mut self, subject: impl Into<Arc<str>>) -> Self {
        self.subject = Some(subject.into());
        self
    }

    /// The same person with the name that they go by (`preferred_username`).
    #[must_use]
    pub fn with_preferred_name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.preferred_name = Some(name.into());
        self
    }

    /// The issuer that identifies the person: the `iss` of the token, or the configured one where
    /// introspection returns none.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The value of the claim that the operator has chosen to name users. The built-in verifiers make it
    /// 1 to 1024 bytes of any characters.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// The subject; `None` if the token has none, or one that is empty or longer than 1024 bytes.
    pub fn subject(&self) -> Option<&str> {
        self.subject.as_deref()
    }

    /// A name for display; it proves nothing.
    pub fn preferred_name(&self) -> Option<&str> {
        self.preferred_name.as_deref()
    }

    /// The value, shared.
    pub(crate) fn shared_value(&self) -> Arc<str> {
        self.value.clone()
    }
}

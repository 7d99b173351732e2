//! A person at an identity provider.

use std::sync::Arc;

/// Whom an identity provider vouches for.
///
/// Issuer and subject together name a person for good (OpenID Connect Core 1.0, section 2); the
/// value is that of a claim which the operator has chosen, and a preferred name is for people to
/// read: users can change it at many providers.
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
    /// The person whom `issuer` calls `value`.
    pub fn new(issuer: impl Into<Arc<str>>, value: impl Into<Arc<str>>) -> Self {
        Self {
            issuer: issuer.into(),
            value: value.into(),
            subject: None,
            preferred_name: None,
        }
    }

    /// The same person with the subject (`sub`), which the issuer gives to nobody else.
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

    /// Who vouches for the person: the `iss` of the token, or what stands in its place where a
    /// token is introspected.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The value of the claim that the operator has chosen to name users; 1 to 1024 bytes from the
    /// shipped verifiers, of any characters.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// The subject; `None` if the token has none of 1 to 1024 bytes.
    pub fn subject(&self) -> Option<&str> {
        self.subject.as_deref()
    }

    /// The name to show to people; it proves nothing.
    pub fn preferred_name(&self) -> Option<&str> {
        self.preferred_name.as_deref()
    }

    /// The value, shared.
    pub(crate) fn shared_value(&self) -> Arc<str> {
        self.value.clone()
    }
}

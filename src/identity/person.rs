//! A person at an identity provider.

use std::sync::Arc;

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
    /// The issuer that identifies the person: the `iss` of the token, or the configured one where
    /// introspection returns none.
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
}

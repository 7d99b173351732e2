//! The requirements on the claims of an access token, and the claim that names its user.

use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::json_object::JsonObject;
use super::refusal::Refusal;
use super::{Caller, Person};

const DEFAULT_LEEWAY: Duration = Duration::from_secs(30);
const MAX_LEEWAY: Duration = Duration::from_secs(60 * 60);
const MAX_SCOPES: usize = 512;
/// Maximum length of a claim that names a person, in bytes.
const MAX_NAME: usize = 1024;

/// The end of the year 9999, so that sums with it stay in range.
const MAX_DATE: u64 = 253_402_300_799;

/// Requirements on the claims of an access token, or of an introspection answer.
///
/// ```
/// use portreeve::identity::Requirements;
///
/// let requirements = Requirements::new()
///     .audience("portreeve")
///     .required_scope("webhooks")
///     .user_claim("preferred_username");
/// # _ = requirements;
/// ```
#[derive(Clone, Debug)]
pub struct Requirements {
    audiences: Vec<Box<str>>,
    clients: Vec<Box<str>>,
    scopes: Vec<Box<str>>,
    user_claim: Box<str>,
    leeway: Duration,
}

impl Default for Requirements {
    fn default() -> Self {
        Self {
            audiences: Vec::new(),
            clients: Vec::new(),
            scopes: Vec::new(),
            user_claim: "sub".into(),
            leeway: DEFAULT_LEEWAY,
        }
    }
}

impl Requirements {
    /// Requires no audience, client or scope; the user claim is `sub`, the leeway 30 seconds.
    pub fn new() -> Self {
        Self::default()
    }

    /// Accepts tokens for this audience (`aud`); one of several is enough.
    #[must_use]
    pub fn audience(mut self, audience: impl Into<Box<str>>) -> Self {
        self.audiences.push(audience.into());
        self
    }

    /// Accepts tokens that were issued to this client (`client_id`, and `azp` if present); one of several
    /// is enough. If audiences are set too, both must match.
    #[must_use]
    pub fn allowed_client(mut self, client: impl Into<Box<str>>) -> Self {
        self.clients.push(client.into());
        self
    }

    /// Accepts only tokens with this scope; of several, all are required.
    #[must_use]
    pub fn required_scope(mut self, scope: impl Into<Box<str>>) -> Self {
        self.scopes.push(scope.into());
        self
    }

    /// Takes the name that determines the groupware account ([`Person::value`]) from this claim.
    ///
    /// It must be one that users cannot change at the provider: a user who sets it to `admin` there
    /// becomes `admin` here. At many providers, users can change `preferred_username` and `email`.
    #[must_use]
    pub fn user_claim(mut self, name: impl Into<Box<str>>) -> Self {
        self.user_claim = name.into();
        self
    }

    /// The clock difference between the provider and this machine that is tolerated when `exp`, `nbf` and
    /// `iat` are checked; at most an hour.
    #[must_use]
    pub fn leeway(mut self, leeway: Duration) -> Self {
        self.leeway = leeway.min(MAX_LEEWAY);
        self
    }

    /// Whether an audience or a client is required. Without one, any token of an issuer would be
    /// accepted, even one for another service.
    pub(super) fn name_a_recipient(&self) -> bool {
        !(self.audiences.is_empty() && self.clients.is_empty())
    }

    /// Checks the times in `claims`; returns the expiry.
    pub(super) fn check_times(&self, claims: &JsonObject) -> Result<Option<SystemTime>, Refusal> {
        let now = SystemTime::now();
        let time = |name| claims.member(name).map(numeric_date).transpose();
        let expires = time("exp")?;
        if expires.is_some_and(|at| at + self.leeway <= now) {
            return Err(Refusal::Expired);
        }
        for name in ["nbf", "iat"] {
            if time(name)?.is_some_and(|at| at > now + self.leeway) {
                return Err(Refusal::NotYetValid);
            }
        }
        Ok(expires)
    }

    /// The caller named by `claims`, whose signature or source was checked: a person identified by
    /// `issuer`.
    pub(super) fn caller(&self, claims: &JsonObject, issuer: &str) -> Result<Caller, Refusal> {
        if claims.member("cnf").is_some() {
            return Err(Refusal::Bound);
        }
        if !self.audiences.is_empty() {
            let audiences = texts(claims.member("aud"), |text| vec![text])?;
            let ours = |audience: &&str| self.audiences.iter().any(|our| **our == **audience);
            if !audiences.iter().any(ours) {
                return Err(Refusal::Audience);
            }
        }
        if !self.clients.is_empty() {
            let allowed = |name: &str| self.clients.iter().any(|client| **client == *name);
            let client = claims.text("client_id")?;
            let party = claims.text("azp")?;
            if client.or(party).is_none() || ![client, party].into_iter().flatten().all(allowed) {
                return Err(Refusal::Client);
            }
        }
        let words = |text| str::split_ascii_whitespace(text).collect();
        let mut scopes = texts(claims.member("scope"), words)?;
        for scope in texts(claims.member("scp"), words)? {
            if !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
        if scopes.len() > MAX_SCOPES {
            return Err(Refusal::Form);
        }
        if !self.scopes.iter().all(|scope| scopes.contains(&&**scope)) {
            return Err(Refusal::Scope);
        }
        let value = claims.text(&self.user_claim)?.ok_or(Refusal::User)?;
        let value = is_name(value).then_some(value).ok_or(Refusal::User)?;
        is_name(issuer).then_some(()).ok_or(Refusal::Form)?;
        let mut person = Person::new(issuer, value);
        if let Some(subject) = name(claims, "sub") {
            person = person.with_subject(subject);
        }
        if let Some(name) = name(claims, "preferred_username") {
            person = person.with_preferred_name(name);
        }
        Ok(Caller::of_person(person).with_scopes(scopes))
    }
}

/// An optional claim; one that is not a valid name counts as absent.
fn name<'a>(claims: &'a JsonObject, member: &str) -> Option<&'a str> {
    let name = claims.member(member)?.as_str()?;
    is_name(name).then_some(name)
}

/// Whether `text` can be the name of a person at a provider. Account ids have other rules.
fn is_name(text: &str) -> bool {
    (1..=MAX_NAME).contains(&text.len())
}

/// A `NumericDate` of RFC 7519, section 2: seconds; a fraction is dropped.
fn numeric_date(value: &Value) -> Result<SystemTime, Refusal> {
    let seconds = match (value.as_u64(), value.as_f64()) {
        (Some(seconds), _) => seconds,
        (None, Some(seconds)) if seconds >= 0.0 => seconds as u64,
        _ => return Err(Refusal::Form),
    };
    if seconds > MAX_DATE {
        return Err(Refusal::Form);
    }
    Ok(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
}

/// A claim that is a string, split by `split`, or an array of strings.
fn texts<'a>(
    value: Option<&'a Value>,
    split: impl FnOnce(&'a str) -> Vec<&'a str>,
) -> Result<Vec<&'a str>, Refusal> {
    match value {
        None => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(split(text)),
        Some(Value::Array(items)) => items
            .iter()
            .map(|item| item.as_str().ok_or(Refusal::Form))
            .collect(),
        Some(_) => Err(Refusal::Form),
    }
}

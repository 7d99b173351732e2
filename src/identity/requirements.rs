//! The requirements on the claims of an access token, and the claim that names its user.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::json_object::{Json, JsonObject};
use super::refusal::{RefusalReason, TokenRefusal, refusal, shown};
use super::tokens_file::LAST_SECOND;
use super::{Caller, Person, VerifierBuildError};

const MAX_LEEWAY: Duration = Duration::from_secs(60 * 60);
const MAX_SCOPES: usize = 512;
/// Maximum length of a claim that names a person, in bytes.
const MAX_NAME: usize = 1024;

/// Requirements on the claims of an access token, or of an introspection answer.
///
/// Without an audience and without a client, any token of an issuer would be accepted, even one for another
/// service: no verifier is built with such requirements.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Requirements {
    /// The audiences, one of which must be in `aud`; if there are none, it is not looked at.
    pub audiences: Vec<String>,
    /// The clients to one of which the token was issued: `client_id`, `appid` and `azp`, of which one must be there, and
    /// each that is must be allowed. If there are none, they are not looked at.
    pub allowed_clients: Vec<String>,
    /// The scopes, all of which are required.
    pub required_scopes: Vec<String>,
    /// The claim with the name that determines the groupware account ([`Person::value`]); `sub` by default.
    ///
    /// It must be one that users cannot change at the provider: a user who sets it to `admin` there
    /// becomes `admin` here. At many providers, users can change `preferred_username` and `email`.
    pub user_claim: String,
    /// The clock difference between the provider and this machine that is tolerated when `exp`, `nbf` and
    /// `iat` are checked: 30 seconds by default, and an hour at most.
    pub leeway: Duration,
}

impl Default for Requirements {
    fn default() -> Self {
        Self {
            audiences: Vec::new(),
            allowed_clients: Vec::new(),
            required_scopes: Vec::new(),
            user_claim: "sub".to_owned(),
            leeway: Duration::from_secs(30),
        }
    }
}

impl Requirements {
    /// Only that the token is for this audience.
    pub fn for_audience(audience: impl Into<String>) -> Self {
        Self { audiences: vec![audience.into()], ..Self::default() }
    }

    pub(super) fn check_recipient(&self) -> Result<(), VerifierBuildError> {
        let has_one = !self.audiences.is_empty() || !self.allowed_clients.is_empty();
        has_one.then_some(()).ok_or(VerifierBuildError::NoRecipient)
    }

    /// Checks the times in `claims`; returns the expiry.
    pub(super) fn check_times(
        &self,
        claims: &JsonObject,
    ) -> Result<Option<SystemTime>, TokenRefusal> {
        let (now, leeway) = (SystemTime::now(), self.leeway.min(MAX_LEEWAY));
        let time = |name| {
            let value = claims.member(name);
            value.map(|value| numeric_date(name, value)).transpose()
        };
        let expires = time("exp")?;
        if let Some(at) = expires.filter(|at| *at + leeway <= now) {
            let ago = now.duration_since(at).unwrap_or_default().as_secs();
            let clause = format_args!("it has expired: its `exp` was {ago} seconds ago");
            return Err(refusal(RefusalReason::Expired, clause));
        }
        for name in ["nbf", "iat"] {
            if let Some(at) = time(name)?.filter(|at| *at > now + leeway) {
                let ahead = at.duration_since(now).unwrap_or_default().as_secs();
                let clause = format_args!(
                    "it is not valid yet: its `{name}` is {ahead} seconds ahead of this machine's clock"
                );
                return Err(refusal(RefusalReason::NotYetValid, clause));
            }
        }
        Ok(expires)
    }

    /// The caller named by `claims`, whose signature or source was checked: a person identified by `issuer`.
    pub(super) fn caller(&self, claims: &JsonObject, issuer: &str) -> Result<Caller, TokenRefusal> {
        if claims.member("cnf").is_some() {
            return Err(RefusalReason::BoundToKey.into());
        }
        if !self.audiences.is_empty() {
            let audiences = texts(claims, "aud", |text| vec![text])?;
            let ours = |audience: &&str| self.audiences.iter().any(|our| **our == **audience);
            if !audiences.iter().any(ours) {
                return Err(RefusalReason::Audience.into());
            }
        }
        if !self.allowed_clients.is_empty() {
            let allowed = |name: &str| self.allowed_clients.iter().any(|client| **client == *name);
            let mut named = 0;
            // The second one is what version 1 of Entra's tokens calls it.
            for name in ["client_id", "appid", "azp"] {
                match claims.text(name)? {
                    Some(client) if !allowed(client) => {
                        let clause = format_args!(
                            "its `{name}` is {}, which is not one of the configured clients",
                            shown(client)
                        );
                        return Err(refusal(RefusalReason::Client, clause));
                    }
                    client => named += usize::from(client.is_some()),
                }
            }
            if named == 0 {
                return Err(RefusalReason::Client.into());
            }
        }
        let words = |text| str::split_ascii_whitespace(text).collect();
        let mut scopes = texts(claims, "scope", words)?;
        for scope in texts(claims, "scp", words)? {
            if !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
        if scopes.len() > MAX_SCOPES {
            let clause = format_args!("it has more than {MAX_SCOPES} scopes");
            return Err(refusal(RefusalReason::Malformed, clause));
        }
        let mut required = self.required_scopes.iter().map(String::as_str);
        if let Some(scope) = required.find(|scope| !scopes.contains(scope)) {
            let clause = format_args!("it lacks the required scope {scope:?}");
            return Err(refusal(RefusalReason::Scope, clause));
        }
        let claimed = claims.text(&self.user_claim)?.filter(|it| is_name(it));
        let value = claimed.ok_or_else(|| {
            let clause = format_args!(
                "its claim {:?}, which names the user, is missing, empty or longer than {MAX_NAME} bytes",
                self.user_claim
            );
            refusal(RefusalReason::User, clause)
        })?;
        if !is_name(issuer) {
            let clause = format_args!("its `iss` is empty or longer than {MAX_NAME} bytes");
            return Err(refusal(RefusalReason::Malformed, clause));
        }
        let mut person = Person::new(issuer, value);
        person.subject = name(claims, "sub");
        person.preferred_name = name(claims, "preferred_username");
        Ok(Caller::of_person(person).with_scopes(scopes))
    }
}

/// An optional claim; one that is not a valid name counts as absent.
fn name(claims: &JsonObject, member: &str) -> Option<Arc<str>> {
    let name = claims.text(member).ok()??;
    is_name(name).then(|| name.into())
}

/// Whether `text` can be the name of a person at a provider. Account ids have other rules.
fn is_name(text: &str) -> bool {
    (1..=MAX_NAME).contains(&text.len())
}

/// The `NumericDate` of RFC 7519, section 2, in the claim `name`: seconds; a fraction is dropped.
fn numeric_date(name: &str, value: &Json) -> Result<SystemTime, TokenRefusal> {
    let malformed = |problem: &str| {
        let clause = format_args!("its `{name}` is not a number of seconds since 1970{problem}");
        refusal(RefusalReason::Malformed, clause)
    };
    let seconds = match *value {
        Json::Number(seconds @ 0.0..) => seconds as u64,
        _ => return Err(malformed("")),
    };
    // So that sums with it stay in range.
    if seconds > LAST_SECOND {
        return Err(malformed("; it may be one of milliseconds"));
    }
    Ok(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
}

/// The claim `name`: a string, split by `split`, or an array of strings.
fn texts<'a>(
    claims: &'a JsonObject,
    name: &str,
    split: impl FnOnce(&'a str) -> Vec<&'a str>,
) -> Result<Vec<&'a str>, TokenRefusal> {
    let malformed = || {
        let clause = format_args!("its `{name}` is neither text nor an array of texts");
        refusal(RefusalReason::Malformed, clause)
    };
    let text = |item: &'a Json<'_>| match item {
        Json::Text(text) => Ok(&**text),
        _ => Err(malformed()),
    };
    match claims.member(name) {
        None => Ok(Vec::new()),
        Some(Json::Text(text)) => Ok(split(text)),
        Some(Json::List(items)) => items.iter().map(text).collect(),
        Some(_) => Err(malformed()),
    }
}

//! Parses a JWT access token (RFC 7519, RFC 9068), and checks its header and claims.

use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::identity::json_object::JsonObject;
use crate::identity::key_set::{KeySet, Verdict};
use crate::identity::refusal::Refusal;
use crate::identity::{Algorithm, BearerToken, Requirements};

/// Maximum size of a token, in bytes; common servers accept no larger header fields.
const MAX_TOKEN: usize = 16 << 10;

/// The parts of a token whose signature has not been checked yet.
pub(super) struct Jwt<'a> {
    message: &'a str,
    signature: Vec<u8>,
    key_id: Option<Box<str>>,
    algorithm: Algorithm,
    pub(super) claims: JsonObject,
    pub(super) expires_at: SystemTime,
}

// === impl Jwt ===

impl<'a> Jwt<'a> {
    /// Makes all checks that need no key, so that a token that would be refused anyway causes no fetch.
    pub(super) fn read(
        token: &'a BearerToken,
        issuer: &str,
        algorithms: &[Algorithm],
        requirements: &Requirements,
    ) -> Result<Self, Refusal> {
        let token = token.expose();
        if token.len() > MAX_TOKEN {
            return Err(Refusal::TooLarge { limit: MAX_TOKEN });
        }
        let (message, signature) = token.rsplit_once('.').ok_or(Refusal::Form)?;
        let (header, claims) = message.split_once('.').ok_or(Refusal::Form)?;
        let header = object(header)?;
        if header.member("crit").is_some() {
            return Err(Refusal::Critical);
        }
        let declared = match header.text("typ")? {
            None => Declared::Nothing,
            Some(name) => Declared::parse(name).ok_or(Refusal::Type)?,
        };
        let algorithm = header.text("alg")?.ok_or(Refusal::Form)?;
        let algorithm = algorithm.parse().map_err(|_| Refusal::Algorithm)?;
        if !algorithms.contains(&algorithm) {
            return Err(Refusal::Algorithm);
        }
        let claims = object(claims)?;
        if claims
            .text("iss")?
            .is_none_or(|claimed| *claimed != *issuer)
        {
            return Err(Refusal::Issuer);
        }
        if !is_access_token(&claims, declared)? {
            return Err(Refusal::Purpose);
        }
        let expires_at = requirements.check_times(&claims)?.ok_or(Refusal::Endless)?;
        Ok(Self {
            message,
            signature: decode(signature)?,
            key_id: header.text("kid")?.map(Into::into),
            algorithm,
            claims,
            expires_at,
        })
    }

    /// Checks the signature with `keys`.
    pub(super) fn check_signature(&self, keys: &KeySet) -> Result<(), Refusal> {
        let message = self.message.as_bytes();
        let (id, algorithm) = (self.key_id.as_deref(), self.algorithm);
        match keys.check(id, algorithm, message, &self.signature) {
            Verdict::Valid => Ok(()),
            Verdict::Invalid => Err(Refusal::Signature),
            Verdict::NoSuchKey => Err(Refusal::NoSuchKey),
        }
    }
}

/// The unverified `iss` claim of a token in the form of a JWT.
pub(super) fn issuer_of(token: &BearerToken) -> Option<Box<str>> {
    let mut parts = token.expose().split('.');
    let (Some(_), Some(claims), Some(_), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return None;
    };
    if token.expose().len() > MAX_TOKEN {
        return None;
    }
    #[derive(serde::Deserialize)]
    struct Issuer {
        iss: Box<str>,
    }
    let issuer: Issuer = serde_json::from_slice(&decode(claims).ok()?).ok()?;
    Some(issuer.iss)
}

/// The `typ` of a header (RFC 7515, section 4.1.9, allows omitting `application/`).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Declared {
    Nothing,
    Jwt,
    /// RFC 9068, section 2.1.
    AccessToken,
}

// === impl Declared ===

impl Declared {
    fn parse(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        match name.strip_prefix("application/").unwrap_or(&name) {
            "at+jwt" => Some(Self::AccessToken),
            "jwt" => Some(Self::Jwt),
            _ => None,
        }
    }
}

/// Whether the claims are those of an access token, and not of other tokens that an issuer signs with
/// the same keys: ID tokens (which have hashes: OpenID Connect Core 1.0, section 3.3.2.11), security
/// events such as logout tokens (RFC 8417), and tokens that Keycloak marks by its own claim `typ`.
///
/// Unless the header declares an access token, there must be a claim that ID tokens do not have:
/// scopes, a client id, Keycloak's `typ`, or the `uid` that Authentik adds.
fn is_access_token(claims: &JsonObject, declared: Declared) -> Result<bool, Refusal> {
    let has = |names: &[&str]| names.iter().any(|name| claims.member(name).is_some());
    let purpose = claims.text("typ")?;
    if has(&["at_hash", "c_hash", "s_hash", "events"]) {
        return Ok(false);
    }
    Ok(match purpose {
        Some("ID" | "Refresh" | "Offline" | "Logout") => false,
        Some("Bearer") => true,
        _ => declared == Declared::AccessToken || has(&["scope", "scp", "client_id", "uid"]),
    })
}

fn object(part: &str) -> Result<JsonObject, Refusal> {
    JsonObject::parse(&decode(part)?).map_err(|_| Refusal::Form)
}

fn decode(part: &str) -> Result<Vec<u8>, Refusal> {
    URL_SAFE_NO_PAD.decode(part).map_err(|_| Refusal::Form)
}

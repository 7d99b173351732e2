//! Parses a JWT access token (RFC 7519, RFC 9068), and checks its header and claims.

use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::Algorithm;

use crate::identity::json_object::JsonObject;
use crate::identity::key_set::{KeySet, algorithm};
use crate::identity::purpose::check_is_access_token;
use crate::identity::refusal::{
    RefusalReason, TokenRefusal, check_length, other_issuer, refusal, shown,
};
use crate::identity::{BearerToken, Requirements};

/// The parts of a token whose signature has not been checked yet.
pub(in crate::identity) struct Jwt<'a> {
    message: &'a str,
    signature: Vec<u8>,
    key_id: Option<Box<str>>,
    algorithm: Algorithm,
    pub(super) claims: JsonObject<'a>,
    pub(super) expires_at: SystemTime,
}

impl<'a> Jwt<'a> {
    /// Makes all checks that need no key, so that none is fetched in vain. `room` takes the text of the claims.
    pub(super) fn read(
        token: &'a BearerToken,
        room: &'a mut Vec<u8>,
        issuer: &str,
        requirements: &Requirements,
    ) -> Result<Self, TokenRefusal> {
        check_length(token)?;
        let token = token.expose();
        let (message, signature) = token.rsplit_once('.').ok_or(RefusalReason::Malformed)?;
        let (header, claims) = message.split_once('.').ok_or(RefusalReason::Malformed)?;
        let header = decode(header)?;
        let header = object(&header)?;
        if header.member("crit").is_some() {
            return Err(RefusalReason::Critical.into());
        }
        let is_declared = match header.text("typ")? {
            None => false,
            Some(name) => declares_access_token(name).ok_or_else(|| {
                let clause = format_args!(
                    "the `typ` of its header is {}, which is not that of an access token",
                    shown(name)
                );
                refusal(RefusalReason::Type, clause)
            })?,
        };
        let name = header.text("alg")?.ok_or(RefusalReason::Malformed)?;
        let algorithm = algorithm(name).ok_or_else(|| {
            let clause = format_args!("its algorithm {} is not allowed", shown(name));
            refusal(RefusalReason::Algorithm, clause)
        })?;
        *room = decode(claims)?;
        let claims = object(room)?;
        let claimed = claims.text("iss")?;
        if claimed != Some(issuer) {
            return Err(other_issuer(claimed, issuer));
        }
        check_is_access_token(&claims, is_declared)?;
        let expires_at = requirements.check_times(&claims)?.ok_or(RefusalReason::NoExpiry)?;
        Ok(Self {
            message,
            signature: decode(signature)?,
            key_id: header.text("kid")?.map(Into::into),
            algorithm,
            claims,
            expires_at,
        })
    }

    pub(super) async fn check_signature(&self, keys: &KeySet) -> Result<(), TokenRefusal> {
        let message = self.message.as_bytes();
        let (id, algorithm) = (self.key_id.as_deref(), self.algorithm);
        keys.check(id, algorithm, message, &self.signature).await
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
    check_length(token).ok()?;
    #[derive(serde::Deserialize)]
    struct Issuer {
        iss: Box<str>,
    }
    let issuer: Issuer = serde_json::from_slice(&decode(claims).ok()?).ok()?;
    Some(issuer.iss)
}

/// Whether the `typ` of a header is that of access tokens (RFC 9068, section 2.1) or that of any JWT; `None` if it is
/// another one. RFC 7515, section 4.1.9, allows omitting `application/`.
fn declares_access_token(name: &str) -> Option<bool> {
    let name = name.to_ascii_lowercase();
    match name.strip_prefix("application/").unwrap_or(&name) {
        "at+jwt" => Some(true),
        "jwt" => Some(false),
        _ => None,
    }
}

fn object(json: &[u8]) -> Result<JsonObject<'_>, TokenRefusal> {
    let clause = "its header or its claims are not a JSON object whose members are given once";
    JsonObject::parse(json).ok_or_else(|| refusal(RefusalReason::Malformed, clause))
}

fn decode(part: &str) -> Result<Vec<u8>, TokenRefusal> {
    URL_SAFE_NO_PAD.decode(part).map_err(|_| RefusalReason::Malformed.into())
}

//! Whether a token is an access token, and not another one that an issuer signs with the same keys.

use super::json_object::{Json, JsonObject};
use super::refusal::{RefusalReason, TokenRefusal, refusal, shown};

/// Claims that access tokens have and ID tokens do not: scopes; the client (RFC 9068), which Entra calls `appid`; how
/// that client authenticated (Entra); the `uid` that Authentik adds.
const OF_ACCESS_TOKENS: [&str; 7] =
    ["scope", "scp", "client_id", "appid", "azpacr", "appidacr", "uid"];

/// Claims that only ID tokens have (OpenID Connect Core 1.0, section 3.3.2.11).
const OF_ID_TOKENS: [&str; 3] = ["at_hash", "c_hash", "s_hash"];

/// Checks the claims by which issuers name the kind of a token: `typ` (Keycloak), `token_use` (Amazon Cognito, Ory
/// Hydra), `token_type`, `idtyp` (Entra), and `purpose`, which only tokens for one thing have, such as a new password.
/// Returns whether one of them says that it is an access token.
pub(super) fn check_kind(claims: &JsonObject) -> Result<bool, TokenRefusal> {
    if has(claims, &OF_ID_TOKENS) {
        return Err(RefusalReason::IdToken.into());
    }
    // RFC 8417, section 2.2.
    if has(claims, &["events"]) {
        return Err(RefusalReason::LogoutToken.into());
    }
    // Of a user or of an application: only access tokens have it.
    let mut is_access = claims.text("idtyp")?.is_some();
    for name in ["typ", "token_use", "token_type", "purpose"] {
        if let Some(value) = claims.text(name)? {
            check_named_kind(name, value)?;
            is_access = true;
        }
    }
    Ok(is_access)
}

/// Checks that there is a sign of an access token. Unless the header declares one (`is_declared`), it is a claim.
pub(super) fn check_is_access_token(
    claims: &JsonObject,
    is_declared: bool,
) -> Result<(), TokenRefusal> {
    if check_kind(claims)? || is_declared {
        return Ok(());
    }
    if has(claims, &["nonce"]) {
        return Err(RefusalReason::IdToken.into());
    }
    let mut signs = OF_ACCESS_TOKENS.into_iter();
    if !signs.any(|sign| has(claims, &[sign]) && (sign != "scope" || !is_for_its_client(claims))) {
        return Err(RefusalReason::NotAccessToken.into());
    }
    Ok(())
}

/// Whether its one audience is the client that it was issued to, as that of ID tokens, some of which have scopes.
fn is_for_its_client(claims: &JsonObject) -> bool {
    let audience = match claims.member("aud") {
        Some(Json::List(audiences)) if audiences.len() == 1 => audiences.first(),
        audience => audience,
    };
    match claims.member("azp") {
        Some(client) => audience == Some(client),
        None => has(claims, &["auth_time", "acr", "amr"]),
    }
}

fn check_named_kind(name: &str, value: &str) -> Result<(), TokenRefusal> {
    let reason = match value.to_ascii_lowercase().as_str() {
        "bearer" | "access" | "access_token" | "at+jwt" => return Ok(()),
        "id" | "id_token" | "serialized-id" => RefusalReason::IdToken,
        "refresh" | "refresh_token" | "refresh+jwt" | "offline" => RefusalReason::RefreshToken,
        "logout" => RefusalReason::LogoutToken,
        _ => RefusalReason::NotAccessToken,
    };
    Err(refusal(
        reason,
        format_args!("its claim `{name}` is {}, so it is not an access token", shown(value)),
    ))
}

fn has(claims: &JsonObject, names: &[&str]) -> bool {
    names.iter().any(|name| claims.member(name).is_some())
}

//! The settings of the management API itself.

use portreeve::gateway::{
    AccountPolicy, AccountRule, AdminPolicy, Binding, Limits, LoginPolicy, PublicUrl,
    PublicUrlError, UnknownAccountRule,
};
use portreeve::identity::is_scope;
use portreeve::server::Bounds;
use secrecy::{ExposeSecret, SecretString};

use super::groupware::bearer_logins;
use super::parse;
use super::setting::{self, Setting};
use super::sources::{ConfigError, Sources};

/// How refused passwords are treated.
pub(super) fn logins(sources: &Sources<'_>) -> Result<LoginPolicy, ConfigError> {
    let retry = parse::duration(sources, setting::REFUSED_RETRY)?;
    let budget = parse::checked(
        sources,
        setting::REFUSED_LOGIN_BUDGET,
        |count| (1..=10).contains(count),
        "must be a whole number from 1 to 10: the groupware server shuts everybody out after 11",
    )?;

    Ok(LoginPolicy::default()
        .refused_retry(retry)
        .refused_login_budget(budget)
        .bearer(bearer_logins(sources)?))
}

/// Which account a person at the identity provider is.
pub(super) fn account(sources: &Sources<'_>) -> Result<AccountPolicy, ConfigError> {
    let written = sources.find_or_default(setting::ACCOUNT)?;
    let by = sources.find_or_default(setting::ACCOUNT_BINDING)?;
    let binding = match by.text.trim() {
        "off" => Binding::Operator,
        "login-flow" => Binding::LoginFlow,
        _ => return Err(by.error("must be off or login-flow")),
    };
    if written.text.trim() == "bound" {
        if let Some(claim) = sources.find(setting::USER_CLAIM)? {
            return Err(claim.error(
                "is not used where account is bound: a person is known by issuer and subject; unset \
                 one of the two",
            ));
        }
        return Ok(AccountPolicy::Bound(binding));
    }
    if binding == Binding::LoginFlow {
        return Err(by.error("concerns bound accounts; set account to bound as well"));
    }
    let rule: Result<AccountRule, UnknownAccountRule> = written.text.trim().parse();
    let rule = rule.map_err(|error| written.error(format!("{error}, or bound")))?;
    Ok(rule.into())
}

/// Who may read the credentials of others.
pub(super) fn administrators(sources: &Sources<'_>) -> Result<AdminPolicy, ConfigError> {
    let mut policy = AdminPolicy::default();
    if let Some(written) = sources.find(setting::ADMIN_SCOPE)? {
        let scope = written.text.trim();
        if !is_scope(scope) {
            return Err(written.error("must be one scope, such as portreeve:admin"));
        }
        policy = policy.scope(scope);
    }
    Ok(policy.reveal(parse::switch(sources, setting::ADMIN_REVEAL)?))
}

/// The key that every call must carry.
pub(super) fn shared_key(sources: &Sources<'_>) -> Result<Option<SecretString>, ConfigError> {
    let key = parse::secret(sources, setting::MCP_SERVER_API_KEY)?;
    let sendable = |key: &SecretString| {
        let text = key.expose_secret();
        text.trim() == text && !text.chars().any(char::is_control)
    };
    match key {
        // A header field comes without the blanks around it, so that no call would fit.
        Some(key) if !sendable(&key) => Err(ConfigError::of(
            setting::MCP_SERVER_API_KEY,
            "must have no blanks around it and no control characters, as it comes in a header field",
        )),
        key => Ok(key),
    }
}

/// How callers reach the gateway.
pub(super) fn public_url(sources: &Sources<'_>) -> Result<Option<PublicUrl>, ConfigError> {
    let Some(written) = sources.find(setting::PUBLIC_URL)? else {
        return Ok(None);
    };
    let url = written.text.trim().parse();
    url.map(Some)
        .map_err(|error: PublicUrlError| written.error(error.to_string()))
}

/// The scopes that callers may need.
pub(super) fn scopes(sources: &Sources<'_>) -> Result<Vec<Box<str>>, ConfigError> {
    let required = sources.find(setting::REQUIRED_SCOPE)?;
    let admin = sources.find(setting::ADMIN_SCOPE)?;
    let scopes = required.iter().flat_map(parse::items);
    let admin = admin.iter().map(|written| written.text.trim());
    Ok(scopes.chain(admin).map(Into::into).collect())
}

/// The limits on requests.
pub(super) fn limits(sources: &Sources<'_>) -> Result<Limits, ConfigError> {
    let count = |setting: &'static Setting| {
        parse::checked(
            sources,
            setting,
            |count: &usize| (1..=1_000_000).contains(count),
            "must be a whole number from 1 to 1000000",
        )
    };
    Ok(Limits::default()
        .in_flight(count(setting::MAX_IN_FLIGHT)?)
        .in_flight_per_caller(count(setting::MAX_IN_FLIGHT_PER_CALLER)?)
        .request_timeout(parse::duration(sources, setting::REQUEST_TIMEOUT)?)
        .body(parse::size(sources, setting::MAX_BODY)?))
}

/// The bounds on connections.
pub(super) fn bounds(sources: &Sources<'_>) -> Result<Bounds, ConfigError> {
    let count = |setting: &'static Setting| {
        parse::checked(
            sources,
            setting,
            |count: &usize| (1..=1_000_000).contains(count),
            "must be a whole number from 1 to 1000000",
        )
    };
    let duration = |setting| parse::duration(sources, setting);
    let mut bounds = Bounds::new()
        .connections(count(setting::MAX_CONNECTIONS)?)
        .idle_timeout(duration(setting::IDLE_TIMEOUT)?)
        .head_timeout(duration(setting::HEAD_TIMEOUT)?)
        .stall_timeout(duration(setting::STALL_TIMEOUT)?);
    if sources
        .find(setting::MAX_CONNECTIONS_PER_ADDRESS)?
        .is_some()
    {
        bounds = bounds.connections_per_address(count(setting::MAX_CONNECTIONS_PER_ADDRESS)?);
    }
    if sources.find(setting::MAX_CONNECTION_AGE)?.is_some() {
        bounds = bounds.connection_age(duration(setting::MAX_CONNECTION_AGE)?);
    }
    Ok(bounds)
}

//! The settings of the management API itself.

use portreeve::gateway::{AccountPolicy, AdminPolicy, Binding, Limits, LoginPolicy};
use portreeve::server::Bounds;

use super::fault::ConfigError;
use super::parse::AccountSetting;
use super::setting;
use super::sources::Sources;

/// How refused passwords are treated.
pub(super) fn logins(sources: &Sources<'_>) -> Result<LoginPolicy, ConfigError> {
    Ok(LoginPolicy::default()
        .refused_retry(sources.get(setting::REFUSED_RETRY)?)
        .refused_login_budget(sources.get(setting::REFUSED_LOGIN_BUDGET)?)
        .bearer(sources.get(setting::GROUPWARE_BEARER)?))
}

/// How the accounts of persons at the identity provider are determined.
pub(super) fn account(sources: &Sources<'_>) -> Result<AccountPolicy, ConfigError> {
    let binding = sources.get(setting::ACCOUNT_BINDING)?;
    match sources.get(setting::ACCOUNT)? {
        AccountSetting::Bound => match sources.find(setting::USER_CLAIM)? {
            Some(claim) => Err(claim.error(
                "has no effect with account = bound, where a person is identified by issuer and \
                 subject; unset one of the two",
            )),
            None => Ok(AccountPolicy::Bound(binding)),
        },
        AccountSetting::Rule(_) if binding == Binding::LoginFlow => Err(sources.error(
            setting::ACCOUNT_BINDING,
            "applies only with account = bound; set that as well",
        )),
        AccountSetting::Rule(rule) => Ok(rule.into()),
    }
}

/// Who may read the credentials of others.
pub(super) fn administrators(sources: &Sources<'_>) -> Result<AdminPolicy, ConfigError> {
    let policy = AdminPolicy::default().reveal(sources.get(setting::ADMIN_REVEAL)?);
    Ok(match sources.find_value(setting::ADMIN_SCOPE)? {
        Some(scope) => policy.scope(scope),
        None => policy,
    })
}

/// The scopes that callers may need.
pub(super) fn scopes(sources: &Sources<'_>) -> Result<Vec<Box<str>>, ConfigError> {
    let required = sources.find_value(setting::REQUIRED_SCOPE)?;
    let admin = sources.find_value(setting::ADMIN_SCOPE)?;
    let scopes = required.into_iter().flatten().chain(admin);
    Ok(scopes.map(Into::into).collect())
}

/// The limits on requests.
pub(super) fn limits(sources: &Sources<'_>) -> Result<Limits, ConfigError> {
    Ok(Limits::default()
        .in_flight(sources.get(setting::MAX_IN_FLIGHT)?)
        .in_flight_per_caller(sources.get(setting::MAX_IN_FLIGHT_PER_CALLER)?)
        .request_timeout(sources.get(setting::REQUEST_TIMEOUT)?)
        .body(sources.get(setting::MAX_BODY)?))
}

/// The bounds on connections.
pub(super) fn bounds(sources: &Sources<'_>) -> Result<Bounds, ConfigError> {
    let mut bounds = Bounds::new()
        .connections(sources.get(setting::MAX_CONNECTIONS)?)
        .idle_timeout(sources.get(setting::IDLE_TIMEOUT)?)
        .head_timeout(sources.get(setting::HEAD_TIMEOUT)?)
        .stall_timeout(sources.get(setting::STALL_TIMEOUT)?);
    if let Some(most) = sources.find_value(setting::MAX_CONNECTIONS_PER_ADDRESS)? {
        bounds = bounds.connections_per_address(most);
    }
    if let Some(age) = sources.find_value(setting::MAX_CONNECTION_AGE)? {
        bounds = bounds.connection_age(age);
    }
    Ok(bounds)
}

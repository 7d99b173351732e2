//! The settings of the management API itself.

use portreeve::gateway::{
    AccountPolicy, AccountRule, AdminPolicy, Binding, Limits, LoginPolicy, UnknownAccountRule,
};
use portreeve::identity::is_scope;
use portreeve::server::Bounds;
use secrecy::SecretString;

use super::parse;
use super::setting;
use super::sources::{ConfigError, Sources};

/// The value of `account`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AccountSetting {
    Rule(AccountRule),
    Bound,
}

/// How refused passwords are treated.
pub(super) fn logins(sources: &Sources<'_>) -> Result<LoginPolicy, ConfigError> {
    Ok(LoginPolicy::default()
        .refused_retry(sources.get(setting::REFUSED_RETRY)?)
        .refused_login_budget(sources.get(setting::REFUSED_LOGIN_BUDGET)?)
        .bearer(sources.get(setting::GROUPWARE_BEARER)?))
}

/// More than ten would leave no room for one more before the groupware server shuts everybody out.
pub(super) fn refused_login_budget(text: &str) -> Result<usize, String> {
    parse::checked(
        text,
        |count| (1..=10).contains(count),
        "must be a whole number from 1 to 10: the groupware server shuts everybody out after 11 \
         refused logins in 30 minutes",
    )
}

/// Which account a person at the identity provider is.
pub(super) fn account(sources: &Sources<'_>) -> Result<AccountPolicy, ConfigError> {
    let binding = sources.get(setting::ACCOUNT_BINDING)?;
    match sources.get(setting::ACCOUNT)? {
        AccountSetting::Bound => match sources.find(setting::USER_CLAIM)? {
            Some(claim) => Err(claim.error(
                "is not used where account is bound: a person is known by issuer and subject; unset \
                 one of the two",
            )),
            None => Ok(AccountPolicy::Bound(binding)),
        },
        AccountSetting::Rule(_) if binding == Binding::LoginFlow => Err(sources.error(
            setting::ACCOUNT_BINDING,
            "concerns bound accounts; set account to bound as well",
        )),
        AccountSetting::Rule(rule) => Ok(rule.into()),
    }
}

pub(super) fn account_setting(text: &str) -> Result<AccountSetting, String> {
    match text.trim() {
        "bound" => Ok(AccountSetting::Bound),
        rule => rule
            .parse()
            .map(AccountSetting::Rule)
            .map_err(|error: UnknownAccountRule| format!("{error}, or bound")),
    }
}

pub(super) fn account_binding(text: &str) -> Result<Binding, String> {
    match text.trim() {
        "off" => Ok(Binding::Operator),
        "login-flow" => Ok(Binding::LoginFlow),
        _ => Err("must be off or login-flow".into()),
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

pub(super) fn admin_scope(text: &str) -> Result<String, String> {
    let scope = text.trim();
    match is_scope(scope) {
        true => Ok(scope.to_owned()),
        false => Err("must be one scope, such as portreeve:admin".into()),
    }
}

/// The key that every call must carry.
pub(super) fn shared_key(text: &str) -> Result<SecretString, String> {
    // A header field comes without the blanks around it, so that no call would fit.
    if text.trim() != text || text.chars().any(char::is_control) {
        return Err(
            "must have no blanks around it and no control characters, as it comes in a header field"
                .into(),
        );
    }
    parse::secret(text)
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

/// The collector of spans: an address without TLS, since spans hold no secret.
pub(super) fn otlp_endpoint(text: &str) -> Result<String, String> {
    if cfg!(not(feature = "otlp")) {
        return Err(
            "this binary was built without the feature otlp, so that it sends no spans; unset it, or \
             build one with `--features otlp`"
                .into(),
        );
    }
    let url = text.trim();
    let fits = |uri: &http::Uri| {
        uri.scheme_str() == Some("http") && uri.host().is_some_and(|host| !host.is_empty())
    };
    match url.parse().ok().filter(fits) {
        Some(_) => Ok(url.to_owned()),
        None => Err("must be http:// with a host and a port, such as http://127.0.0.1:4317".into()),
    }
}

//! The settings of the management API itself.

use portreeve::gateway::forward::Forward;
use portreeve::gateway::{AccountPolicy, BindingPolicy, PageLogin, Settings};
use portreeve::server::Bounds;

use super::fault::{ConfigError, Faults};
use super::groupware;
use super::setting;
use super::sources::Sources;

/// All of them, of which `account`, `delivery`, `presets` and `page` can have faults besides those of single settings.
pub(super) fn settings(sources: &Sources<'_>, faults: &mut Faults) -> Option<Settings> {
    let single = faults.keep(single_settings(sources));
    let account = faults.keep(account(sources));
    let delivery = faults.keep(groupware::delivery(sources));
    let presets = faults.keep(groupware::presets(sources));
    let page = faults.keep(page(sources));
    let mut settings = single?;
    settings.account = account?;
    settings.delivery = delivery?;
    settings.presets = presets?;
    settings.page = page?;
    Some(settings)
}

fn single_settings(sources: &Sources<'_>) -> Result<Settings, ConfigError> {
    let mut settings = Settings::default();
    settings.groupware_public_url = sources.get_opt(setting::GROUPWARE_PUBLIC_URL)?;
    settings.logins.refused_retry = sources.get(setting::REFUSED_RETRY)?;
    settings.logins.refused_login_budget = sources.get(setting::REFUSED_LOGIN_BUDGET)?;
    settings.logins.bearer = sources.get(setting::GROUPWARE_BEARER)?;
    settings.administrators.scope = sources.get_opt(setting::ADMIN_SCOPE)?.map(Into::into);
    settings.administrators.reveal = sources.get(setting::ADMIN_REVEAL)?;
    settings.shared_key = sources.get_opt(setting::MCP_SERVER_API_KEY)?;
    settings.client_address = groupware::client_address(sources)?;
    settings.event_classes = sources.get_or_empty(setting::TRUSTED_EVENT_CLASSES)?;
    settings.unbounded_webhooks = sources.get(setting::UNBOUNDED_WEBHOOKS)?;
    settings.forward = forward(sources)?;
    settings.operation_scopes = sources.get(setting::OPERATION_SCOPES)?;
    settings.scope_prefix = sources.get_opt(setting::FORWARD_SCOPE_PREFIX)?.map(Into::into);
    settings.public_url = sources.get_opt(setting::PUBLIC_URL)?;
    settings.public_status = sources.get(setting::PUBLIC_STATUS)?;
    settings.issuer = sources.get_opt(setting::ISSUER)?.map(Into::into);
    // Those that a caller may need.
    let required = sources.get_or_empty(setting::REQUIRED_SCOPE)?;
    let scopes = required.into_iter().map(Into::into);
    settings.scopes = scopes.chain(settings.administrators.scope.clone()).collect();
    settings.max_in_flight = sources.get(setting::MAX_IN_FLIGHT)?;
    settings.max_in_flight_per_caller = sources.get(setting::MAX_IN_FLIGHT_PER_CALLER)?;
    settings.request_timeout = sources.get(setting::REQUEST_TIMEOUT)?;
    settings.max_body = sources.get(setting::MAX_BODY)?;
    Ok(settings)
}

fn forward(sources: &Sources<'_>) -> Result<Option<Forward>, ConfigError> {
    let operation_scopes = sources.get(setting::OPERATION_SCOPES)?;
    if operation_scopes && let Some(required) = sources.raw(setting::REQUIRED_SCOPE)? {
        return Err(required.error(
            "asks one scope of all requests, and operation_scopes one of each; unset one of the two",
        ));
    }
    let Some(opened) = sources.get_opt(setting::FORWARD)? else {
        return match sources.raw(setting::FORWARD_SCOPE_PREFIX)? {
            Some(prefix) if !operation_scopes => {
                Err(prefix.error("has no effect without forward or operation_scopes; set one"))
            }
            _ => Ok(None),
        };
    };
    let url = sources.get_opt(setting::GROUPWARE_URL)?;
    if let Some(fault) = url.as_ref().and_then(Forward::fault_in) {
        let fault = format_args!("does not go with forward, since {fault}");
        return Err(sources.error(setting::GROUPWARE_URL, fault));
    }
    let mut forward = Forward::new(opened);
    forward.stall_timeout = sources.get(setting::STALL_TIMEOUT)?;
    Ok(Some(forward))
}

fn account(sources: &Sources<'_>) -> Result<AccountPolicy, ConfigError> {
    let binding = sources.get(setting::ACCOUNT_BINDING)?;
    match sources.get(setting::ACCOUNT)? {
        None => match sources.raw(setting::USER_CLAIM)? {
            Some(claim) => Err(claim.error(
                "has no effect with account = bound, where a person is identified by issuer and \
                 subject; unset one of the two",
            )),
            None => Ok(AccountPolicy::Bound(binding)),
        },
        Some(_) if binding == BindingPolicy::LoginFlow => Err(sources.error(
            setting::ACCOUNT_BINDING,
            "applies only with account = bound; set that as well",
        )),
        Some(rule) => Ok(AccountPolicy::Rule(rule)),
    }
}

/// How the page gets its token, if there is one.
fn page(sources: &Sources<'_>) -> Result<Option<PageLogin>, ConfigError> {
    let client_id = sources.get_opt(setting::PAGE_CLIENT_ID)?;
    let scope = sources.get(setting::PAGE_SCOPE)?.join(" ").into();
    if !sources.get(setting::PAGE)? {
        return Ok(None);
    }
    if sources.get_opt(setting::PUBLIC_URL)?.is_none() {
        return Err(ConfigError::of(
            setting::PUBLIC_URL,
            "is needed for the page, to which logins return; set it to the address that browsers know",
        ));
    }
    if sources.get_opt(setting::MCP_SERVER_API_KEY)?.is_some() {
        return Err(ConfigError::of(
            setting::MCP_SERVER_API_KEY,
            "makes the page useless, since browsers do not have this key; unset it, or page",
        ));
    }
    match (sources.get_opt(setting::ISSUER)?, client_id) {
        (None, None) => Ok(Some(PageLogin::Paste)),
        (None, Some(_)) => {
            Err(sources
                .error(setting::PAGE_CLIENT_ID, "applies only with an issuer; set that as well"))
        }
        (Some(_), None) => Err(ConfigError::of(
            setting::PAGE_CLIENT_ID,
            "is needed for the page, as an issuer is set; register a public client there, and name it here",
        )),
        (Some(_), Some(id)) => Ok(Some(PageLogin::Code { client_id: id.into(), scope })),
    }
}

pub(super) fn bounds(sources: &Sources<'_>) -> Result<Bounds, ConfigError> {
    let mut bounds = Bounds::default();
    bounds.max_connections = sources.get(setting::MAX_CONNECTIONS)?;
    if let Some(most) = sources.get_opt(setting::MAX_CONNECTIONS_PER_ADDRESS)? {
        bounds.max_connections_per_address = most;
    }
    bounds.idle_timeout = sources.get(setting::IDLE_TIMEOUT)?;
    bounds.max_connection_age = sources.get_opt(setting::MAX_CONNECTION_AGE)?;
    bounds.head_timeout = sources.get(setting::HEAD_TIMEOUT)?;
    bounds.stall_timeout = sources.get(setting::STALL_TIMEOUT)?;
    Ok(bounds)
}

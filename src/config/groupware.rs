//! The settings of the groupware server, and of calls to it.

use std::path::PathBuf;
use std::time::Duration;

use portreeve::gateway::{BearerLogins, ClientAddress, WebhookPresets};
use portreeve::groupware::DeliveryAuth;
use portreeve::outbound::{HttpUrl, PlainHttp};

use super::fault::ConfigError;
use super::parse::WebhookAuth;
use super::setting;
use super::sources::Sources;

#[derive(Debug)]
pub(crate) struct GroupwareConfig {
    pub(crate) url: HttpUrl,
    pub(crate) timeout: Duration,
    pub(crate) ca: Option<PathBuf>,
    pub(crate) bearer: BearerLogins,
}

impl GroupwareConfig {
    pub(crate) fn read(sources: &Sources<'_>) -> Result<Option<Self>, ConfigError> {
        let plain_http = plain_http(sources)?;
        let timeout = sources.get(setting::GROUPWARE_TIMEOUT)?;
        let ca = sources.get_opt(setting::GROUPWARE_CA)?;
        let bearer = sources.get(setting::GROUPWARE_BEARER)?;
        let Some(url) = sources.get_opt(setting::GROUPWARE_URL)? else {
            return Ok(None);
        };
        url.check(plain_http).map_err(|error| sources.error(setting::GROUPWARE_URL, error))?;
        Ok(Some(Self { url, timeout, ca, bearer }))
    }
}

pub(super) fn plain_http(sources: &Sources<'_>) -> Result<PlainHttp, ConfigError> {
    let is_allowed = sources.get(setting::ALLOW_PLAIN_HTTP)?;
    Ok(if is_allowed { PlainHttp::Anywhere } else { PlainHttp::Loopback })
}

/// The credentials of webhook deliveries; `None` without a secret.
pub(super) fn delivery(sources: &Sources<'_>) -> Result<Option<DeliveryAuth>, ConfigError> {
    let secret = sources.get_opt(setting::WEBHOOK_SECRET)?;
    let auth = sources.get(setting::WEBHOOK_AUTH)?;
    let origins = sources.get_or_empty(setting::WEBHOOK_SHARED_ORIGINS)?;
    if auth == WebhookAuth::Shared && origins.is_empty() {
        return Err(ConfigError::of(
            setting::WEBHOOK_SHARED_ORIGINS,
            "is needed with webhook_auth = shared; list the origins that may get the secret, such as \
             https://hooks.example.org",
        ));
    }
    let auth = match (auth, secret) {
        (WebhookAuth::Derived, None) => return Ok(None),
        (WebhookAuth::Shared, None) => {
            return Err(ConfigError::of(
                setting::WEBHOOK_SECRET,
                "is needed with webhook_auth = shared; set a secret",
            ));
        }
        (WebhookAuth::Derived, Some(secret)) => DeliveryAuth::derived(secret),
        (WebhookAuth::Shared, Some(secret)) => DeliveryAuth::shared(secret, origins),
    };
    let previous = sources.get_or_empty(setting::WEBHOOK_SECRET_PREVIOUS)?;
    let auth = auth.map(|auth| Some(auth.or_previous(previous)));
    auth.map_err(|error| sources.error(setting::WEBHOOK_SECRET, error))
}

/// Whether the address of the caller is forwarded to the groupware server.
pub(super) fn client_address(sources: &Sources<'_>) -> Result<ClientAddress, ConfigError> {
    let forwarded = sources.get_opt(setting::TRUSTED_PROXIES)?;
    let forwarded = forwarded.unwrap_or_else(|| ClientAddress::forwarded([]));
    let is_forwarded = sources.get(setting::FORWARD_CLIENT_ADDRESS)?;
    Ok(if is_forwarded { forwarded } else { ClientAddress::default() })
}

pub(super) fn presets(sources: &Sources<'_>) -> Result<WebhookPresets, ConfigError> {
    let Some(written) = sources.raw(setting::WEBHOOK_PRESETS)? else {
        return Ok(WebhookPresets::default());
    };
    let classes = sources.get_or_empty(setting::TRUSTED_EVENT_CLASSES)?;
    WebhookPresets::with(&written.text, &classes).map_err(|error| written.error(error))
}

//! The settings of the groupware server, and of what is sent to it.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use portreeve::gateway::{BearerLogins, ClientAddress, UnboundedWebhooks, WebhookPresets};
use portreeve::groupware::{
    BaseUrl, BaseUrlError, DeliveryAuth, DeliveryAuthError, EventClasses, SharedOrigin,
    is_class_name,
};

use super::parse;
use super::setting;
use super::sources::{ConfigError, Sources};

/// The groupware server.
#[derive(Debug)]
pub(crate) struct GroupwareConfig {
    pub(crate) url: BaseUrl,
    pub(crate) timeout: Duration,
    pub(crate) ca: Option<PathBuf>,
    pub(crate) allow_plain_http: bool,
    pub(crate) bearer: BearerLogins,
}

/// The value of `webhook_auth`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WebhookAuth {
    Derived,
    Shared,
}

/// The proxies whose word on the caller's address is taken.
#[derive(Debug, Default)]
pub(crate) struct TrustedProxies {
    networks: Vec<IpNet>,
    /// Those that come over a unix socket.
    unix: bool,
}

impl GroupwareConfig {
    pub(crate) fn read(sources: &Sources<'_>) -> Result<Option<Self>, ConfigError> {
        let allow_plain_http = sources.get(setting::ALLOW_PLAIN_HTTP)?;
        let timeout = sources.get(setting::GROUPWARE_TIMEOUT)?;
        let ca = sources.find_value(setting::GROUPWARE_CA)?;
        let bearer = sources.get(setting::GROUPWARE_BEARER)?;
        let Some(url) = sources.find_value(setting::GROUPWARE_URL)? else {
            return Ok(None);
        };
        if !url.is_https() && !url.is_loopback() && !allow_plain_http {
            let problem = BaseUrlError::PlainHttp.to_string();
            return Err(sources.error(setting::GROUPWARE_URL, problem));
        }
        Ok(Some(Self {
            url,
            timeout,
            ca,
            allow_plain_http,
            bearer,
        }))
    }
}

/// Whether app passwords are sent as bearer tokens.
pub(super) fn bearer_logins(text: &str) -> Result<BearerLogins, String> {
    match text.trim() {
        "auto" => Ok(BearerLogins::Auto),
        "off" => Ok(BearerLogins::Off),
        _ => Err("must be auto or off".into()),
    }
}

/// The credentials of webhook deliveries; `None` without a secret.
pub(super) fn delivery(sources: &Sources<'_>) -> Result<Option<DeliveryAuth>, ConfigError> {
    let secret = sources.find_value(setting::WEBHOOK_SECRET)?;
    let auth = sources.get(setting::WEBHOOK_AUTH)?;
    let origins = sources.find_value(setting::WEBHOOK_SHARED_ORIGINS)?;
    let origins = origins.unwrap_or_default();
    if auth == WebhookAuth::Shared && origins.is_empty() {
        return Err(ConfigError::of(
            setting::WEBHOOK_SHARED_ORIGINS,
            "webhook_auth is shared; list the origins that may get the secret, such as https://hooks.example.org",
        ));
    }
    let auth = match (auth, secret) {
        (WebhookAuth::Derived, None) => return Ok(None),
        (WebhookAuth::Shared, None) => {
            return Err(ConfigError::of(
                setting::WEBHOOK_SECRET,
                "webhook_auth is shared, but there is no secret to share; set one",
            ));
        }
        (WebhookAuth::Derived, Some(secret)) => DeliveryAuth::derived(secret),
        (WebhookAuth::Shared, Some(secret)) => DeliveryAuth::shared(secret, origins),
    };
    auth.map(Some)
        .map_err(|error| sources.error(setting::WEBHOOK_SECRET, error.to_string()))
}

pub(super) fn webhook_auth(text: &str) -> Result<WebhookAuth, String> {
    match text.trim() {
        "derived" => Ok(WebhookAuth::Derived),
        "shared" => Ok(WebhookAuth::Shared),
        _ => Err("must be derived or shared".into()),
    }
}

pub(super) fn shared_origins(text: &str) -> Result<Vec<SharedOrigin>, String> {
    let origin = |item: &str| {
        item.parse()
            .map_err(|error: DeliveryAuthError| format!("{item:?}: {error}"))
    };
    parse::items(text).map(origin).collect()
}

/// Whether the groupware server is told the caller's address.
pub(super) fn client_address(sources: &Sources<'_>) -> Result<ClientAddress, ConfigError> {
    let proxies = sources.find_value(setting::TRUSTED_PROXIES)?;
    if !sources.get(setting::FORWARD_CLIENT_ADDRESS)? {
        return Ok(ClientAddress::withheld());
    }
    let TrustedProxies { networks, unix } = proxies.unwrap_or_default();
    let forwarded = ClientAddress::forwarded(networks);
    Ok(if unix {
        forwarded.trusting_unix_sockets()
    } else {
        forwarded
    })
}

pub(super) fn trusted_proxies(text: &str) -> Result<TrustedProxies, String> {
    let mut proxies = TrustedProxies::default();
    for item in parse::items(text) {
        if item == "unix:" {
            proxies.unix = true;
            continue;
        }
        let network = item
            .parse::<IpNet>()
            .or_else(|_| item.parse::<IpAddr>().map(IpNet::from));
        proxies.networks.push(network.map_err(|_| {
            format!("{item:?} must be an address or a network, such as 10.0.0.0/8, or unix:")
        })?);
    }
    Ok(proxies)
}

/// The event classes by which filters are judged.
pub(super) fn event_classes(text: &str) -> Result<EventClasses, String> {
    for class in parse::items(text) {
        if !is_class_name(class.strip_prefix('\\').unwrap_or(class)) {
            return Err(format!(
                r"{class:?} must be the name of a class, such as OCA\Approval\Events\ApprovedEvent"
            ));
        }
    }
    Ok(EventClasses::trusting(parse::items(text)))
}

/// What becomes of webhooks whose deliveries can be too large.
pub(super) fn unbounded_webhooks(text: &str) -> Result<UnboundedWebhooks, String> {
    match text {
        "warn" => Ok(UnboundedWebhooks::Warn),
        "refuse" => Ok(UnboundedWebhooks::Refuse),
        _ => Err("must be warn or refuse".into()),
    }
}

/// The presets of webhooks: those that are built in, and the operator's own.
pub(super) fn presets(
    sources: &Sources<'_>,
    classes: &EventClasses,
) -> Result<WebhookPresets, ConfigError> {
    match sources.find(setting::WEBHOOK_PRESETS)? {
        Some(written) => {
            let read = WebhookPresets::with(&written.text, classes);
            read.map_err(|error| written.error(error.to_string()))
        }
        None => Ok(WebhookPresets::built_in()),
    }
}

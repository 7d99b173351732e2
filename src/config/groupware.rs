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
use super::sources::{ConfigError, Sources, Written};

/// The groupware server.
#[derive(Debug)]
pub(crate) struct GroupwareConfig {
    pub(crate) url: BaseUrl,
    pub(crate) timeout: Duration,
    pub(crate) ca: Option<PathBuf>,
    pub(crate) allow_plain_http: bool,
    pub(crate) bearer: BearerLogins,
}

impl GroupwareConfig {
    pub(crate) fn read(sources: &Sources<'_>) -> Result<Option<Self>, ConfigError> {
        let allow_plain_http = parse::switch(sources, setting::ALLOW_PLAIN_HTTP)?;
        let timeout = parse::duration(sources, setting::GROUPWARE_TIMEOUT)?;
        let ca = parse::path(sources, setting::GROUPWARE_CA)?;
        let bearer = bearer_logins(sources)?;
        let Some(written) = sources.find(setting::GROUPWARE_URL)? else {
            return Ok(None);
        };
        let url = base_url(&written)?;
        if !url.is_https() && !url.is_loopback() && !allow_plain_http {
            return Err(written.error(BaseUrlError::PlainHttp.to_string()));
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
pub(super) fn bearer_logins(sources: &Sources<'_>) -> Result<BearerLogins, ConfigError> {
    let written = sources.find_or_default(setting::GROUPWARE_BEARER)?;
    match written.text.trim() {
        "auto" => Ok(BearerLogins::Auto),
        "off" => Ok(BearerLogins::Off),
        _ => Err(written.error("must be auto or off")),
    }
}

fn base_url(written: &Written) -> Result<BaseUrl, ConfigError> {
    let url = written.text.trim().parse();
    url.map_err(|error: BaseUrlError| written.error(error.to_string()))
}

/// The address that browsers use. No password of the gateway goes there, so that plain HTTP is not
/// refused.
pub(super) fn public_url(sources: &Sources<'_>) -> Result<Option<BaseUrl>, ConfigError> {
    let written = sources.find(setting::GROUPWARE_PUBLIC_URL)?;
    written.map(|written| base_url(&written)).transpose()
}

/// The credentials of webhook deliveries; `None` without a secret.
pub(super) fn delivery(sources: &Sources<'_>) -> Result<Option<DeliveryAuth>, ConfigError> {
    let secret = parse::secret(sources, setting::WEBHOOK_SECRET)?;
    let auth = sources.find_or_default(setting::WEBHOOK_AUTH)?;
    let shared = match auth.text.trim() {
        "derived" => false,
        "shared" => true,
        _ => return Err(auth.error("must be derived or shared")),
    };
    let origins = match sources.find(setting::WEBHOOK_SHARED_ORIGINS)? {
        Some(written) => parse::items(&written)
            .map(|item| {
                let problem = |error| written.error(format!("{item:?}: {error}"));
                item.parse()
                    .map_err(|error: DeliveryAuthError| problem(error))
            })
            .collect::<Result<Vec<SharedOrigin>, _>>()?,
        None => Vec::new(),
    };
    if shared && origins.is_empty() {
        return Err(ConfigError::of(
            setting::WEBHOOK_SHARED_ORIGINS,
            "webhook_auth is shared; list the origins that may get the secret, such as https://hooks.example.org",
        ));
    }
    let Some(secret) = secret else {
        return match shared {
            true => Err(ConfigError::of(
                setting::WEBHOOK_SECRET,
                "webhook_auth is shared, but there is no secret to share; set one",
            )),
            false => Ok(None),
        };
    };
    let auth = match shared {
        true => DeliveryAuth::shared(secret, origins),
        false => DeliveryAuth::derived(secret),
    };
    auth.map(Some)
        .map_err(|error| ConfigError::of(setting::WEBHOOK_SECRET, error.to_string()))
}

/// Whether the groupware server is told the caller's address.
pub(super) fn client_address(sources: &Sources<'_>) -> Result<ClientAddress, ConfigError> {
    let forward = parse::switch(sources, setting::FORWARD_CLIENT_ADDRESS)?;
    let mut proxies = Vec::new();
    let mut trusts_unix = false;
    if let Some(written) = sources.find(setting::TRUSTED_PROXIES)? {
        for item in parse::items(&written) {
            if item == "unix:" {
                trusts_unix = true;
                continue;
            }
            let net = item
                .parse::<IpNet>()
                .or_else(|_| item.parse::<IpAddr>().map(IpNet::from));
            proxies.push(net.map_err(|_| {
                written.error(format!(
                    "{item:?} must be an address or a network, such as 10.0.0.0/8, or unix:"
                ))
            })?);
        }
    }
    Ok(match forward {
        true if trusts_unix => ClientAddress::forwarded(proxies).trusting_unix_sockets(),
        true => ClientAddress::forwarded(proxies),
        false => ClientAddress::withheld(),
    })
}

/// The event classes by which filters are judged.
pub(super) fn event_classes(sources: &Sources<'_>) -> Result<EventClasses, ConfigError> {
    let Some(written) = sources.find(setting::TRUSTED_EVENT_CLASSES)? else {
        return Ok(EventClasses::default());
    };
    let classes: Vec<_> = parse::items(&written).collect();
    for class in &classes {
        if !is_class_name(class.strip_prefix('\\').unwrap_or(class)) {
            return Err(written.error(format!(
                r"{class:?} must be the name of a class, such as OCA\Approval\Events\ApprovedEvent"
            )));
        }
    }
    Ok(EventClasses::trusting(classes))
}

/// What becomes of webhooks whose deliveries can be too large.
pub(super) fn unbounded_webhooks(sources: &Sources<'_>) -> Result<UnboundedWebhooks, ConfigError> {
    let written = sources.find_or_default(setting::UNBOUNDED_WEBHOOKS)?;
    match written.text.trim() {
        "warn" => Ok(UnboundedWebhooks::Warn),
        "refuse" => Ok(UnboundedWebhooks::Refuse),
        _ => Err(written.error("must be warn or refuse")),
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

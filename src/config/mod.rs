//! Settings: each is a flag, an environment variable and a TOML key, in that order of precedence.
//!
//! The table in [`setting`] describes them; a value is parsed once, here, so that no other module
//! has to check it. Each command reads only the sections that it needs.

mod arguments;
mod example;
mod gateway;
mod groupware;
mod identity;
mod listen;
#[cfg(test)]
mod page;
mod parse;
pub(crate) mod setting;
mod sources;
mod variables;
mod vault;

use std::net::SocketAddr;
use std::path::PathBuf;

use portreeve::gateway::{
    AccountPolicy, AdminPolicy, ClientAddress, Limits, LoginPolicy, PublicUrl, UnboundedWebhooks,
    WebhookPresets,
};
use portreeve::groupware::{BaseUrl, DeliveryAuth, EventClasses};
use portreeve::server::Bounds;
use secrecy::SecretString;

pub(crate) use arguments::with_settings;
pub(crate) use example::example_file;
pub(crate) use groupware::GroupwareConfig;
pub(crate) use identity::{IdentityConfig, IntrospectionConfig, tokens_file};
pub(crate) use listen::{Listen, ListenConfig, TlsFiles};
pub(crate) use sources::{ConfigError, Sources, Written};
pub(crate) use variables::refuse_unknown;
pub(crate) use vault::{Database, Keys, VaultConfig, data_dir, shown};

/// Everything that `serve` needs.
#[derive(Debug)]
pub(crate) struct Config {
    pub(crate) listen: ListenConfig,
    pub(crate) groupware: Option<GroupwareConfig>,
    pub(crate) groupware_public_url: Option<BaseUrl>,
    pub(crate) account: AccountPolicy,
    pub(crate) logins: LoginPolicy,
    pub(crate) administrators: AdminPolicy,
    pub(crate) vault: VaultConfig,
    pub(crate) identity: IdentityConfig,
    pub(crate) delivery: Option<DeliveryAuth>,
    pub(crate) shared_key: Option<SecretString>,
    pub(crate) client_address: ClientAddress,
    pub(crate) event_classes: EventClasses,
    pub(crate) presets: WebhookPresets,
    pub(crate) unbounded_webhooks: UnboundedWebhooks,
    pub(crate) public_url: Option<PublicUrl>,
    pub(crate) public_status: bool,
    /// The scopes that callers may need, as they are told.
    pub(crate) scopes: Vec<Box<str>>,
    pub(crate) limits: Limits,
    pub(crate) bounds: Bounds,
    /// Where metrics are served.
    pub(crate) metrics_listen: Option<SocketAddr>,
    pub(crate) audit_log: Option<PathBuf>,
    /// Where spans are sent.
    pub(crate) otlp_endpoint: Option<String>,
}

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

// === impl Config ===

impl Config {
    pub(crate) fn read(sources: &Sources<'_>) -> Result<Self, ConfigError> {
        let server = GroupwareConfig::read(sources)?;
        let event_classes = groupware::event_classes(sources)?;
        Ok(Self {
            listen: ListenConfig::read(sources)?,
            groupware_public_url: groupware::public_url(sources)?,
            account: gateway::account(sources)?,
            logins: gateway::logins(sources)?,
            administrators: gateway::administrators(sources)?,
            vault: VaultConfig::read(sources)?,
            identity: IdentityConfig::read(sources, server.as_ref())?,
            groupware: server,
            delivery: groupware::delivery(sources)?,
            shared_key: gateway::shared_key(sources)?,
            client_address: groupware::client_address(sources)?,
            presets: groupware::presets(sources, &event_classes)?,
            unbounded_webhooks: groupware::unbounded_webhooks(sources)?,
            event_classes,
            public_url: gateway::public_url(sources)?,
            public_status: parse::switch(sources, setting::PUBLIC_STATUS)?,
            scopes: gateway::scopes(sources)?,
            limits: gateway::limits(sources)?,
            bounds: gateway::bounds(sources)?,
            metrics_listen: sources
                .find(setting::METRICS_LISTEN)?
                .map(|_| {
                    let expected = "must be an IP address and a port, such as 127.0.0.1:9090";
                    parse::value(sources, setting::METRICS_LISTEN, expected)
                })
                .transpose()?,
            audit_log: audit_log(sources)?,
            otlp_endpoint: otlp_endpoint(sources)?,
        })
    }
}

/// The file of audit lines.
pub(crate) fn audit_log(sources: &Sources<'_>) -> Result<Option<PathBuf>, ConfigError> {
    parse::path(sources, setting::AUDIT_LOG)
}

/// The collector of spans: an address without TLS, since spans hold no secret.
fn otlp_endpoint(sources: &Sources<'_>) -> Result<Option<String>, ConfigError> {
    let Some(written) = sources.find(setting::OTLP_ENDPOINT)? else {
        return Ok(None);
    };
    if cfg!(not(feature = "otlp")) {
        return Err(written.error(
            "this binary was built without the feature otlp, so that it sends no spans; unset it, or \
             build one with `--features otlp`",
        ));
    }
    let url = written.text.trim();
    let uri = url.parse::<http::Uri>().ok();
    let fits = |uri: &http::Uri| {
        uri.scheme_str() == Some("http") && uri.host().is_some_and(|host| !host.is_empty())
    };
    match uri.filter(fits) {
        Some(_) => Ok(Some(url.to_owned())),
        None => {
            Err(written
                .error("must be http:// with a host and a port, such as http://127.0.0.1:4317"))
        }
    }
}

// === impl LogFormat ===

impl LogFormat {
    pub(crate) fn read(sources: &Sources<'_>) -> Result<Self, ConfigError> {
        let written = sources.find_or_default(setting::LOG_FORMAT)?;
        match written.text.as_str() {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err(written.error("must be text or json")),
        }
    }
}

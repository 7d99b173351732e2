//! The settings of deliveries that are received (docs/API.md, section 12).

use std::time::Duration;

use ipnet::IpNet;
use portreeve::groupware::DeliveryAuth;
use portreeve::outbound::{HttpUrl, PlainHttp};

use super::fault::ConfigError;
use super::listen::Listen;
use super::sources::Sources;
use super::{groupware, setting};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DeliveriesConfig {
    pub(crate) networks: Vec<IpNet>,
    pub(crate) keep: Duration,
    /// In bytes.
    pub(crate) max: u64,
}

impl DeliveriesConfig {
    /// `None` if they are switched off.
    pub(crate) fn read(sources: &Sources<'_>) -> Result<Option<Self>, ConfigError> {
        let config = Self {
            networks: sources.get_or_empty(setting::DELIVERY_NETWORKS)?,
            keep: sources.get(setting::DELIVERIES_KEEP)?,
            max: sources.get(setting::DELIVERIES_MAX)?,
        };
        if !sources.get(setting::DELIVERIES)? {
            return Ok(None);
        }
        auth(sources)?;
        let listen = sources.get(setting::LISTEN)?;
        // The port of another one may only be known when it listens.
        if listen.iter().all(|it| !is_reached(it)) {
            own_address(sources.get_opt(setting::PUBLIC_URL)?, &listen, false)?;
        }
        Ok(Some(config))
    }
}

/// The address at which deliveries reach the gateway: `public_url`, or that of the first TCP listener that has one.
pub(crate) fn own_address(
    public_url: Option<HttpUrl>,
    listen: &[Listen],
    has_tls: bool,
) -> Result<HttpUrl, ConfigError> {
    let scheme = if has_tls { "https" } else { "http" };
    let local = || {
        let address = listen.iter().find(|it| is_reached(it))?.tcp()?;
        HttpUrl::base(&format!("{scheme}://{address}"), PlainHttp::Anywhere).ok()
    };
    public_url.or_else(local).ok_or_else(|| {
        let fault = "is needed, since no address that the gateway listens on is one to send to; set it to the address at \
             which deliveries reach it";
        ConfigError::of(setting::PUBLIC_URL, fault)
    })
}

/// Whether it is an address to send to, which a unix socket and 0.0.0.0 are not.
fn is_reached(listen: &Listen) -> bool {
    listen.tcp().is_some_and(|it| !it.ip().is_unspecified())
}

/// The address of the gateway, and the credentials of deliveries to it.
pub(crate) fn sender(sources: &Sources<'_>) -> Result<(HttpUrl, DeliveryAuth), ConfigError> {
    let has_tls = sources.raw(setting::TLS_CERT)?.is_some();
    let listen = sources.get(setting::LISTEN)?;
    let address = own_address(sources.get_opt(setting::PUBLIC_URL)?, &listen, has_tls)?;
    Ok((address, auth(sources)?))
}

fn auth(sources: &Sources<'_>) -> Result<DeliveryAuth, ConfigError> {
    groupware::delivery(sources)?.ok_or_else(|| {
        let fault = "is needed, as the credential of those who send deliveries is derived from it; set a secret";
        ConfigError::of(setting::WEBHOOK_SECRET, fault)
    })
}

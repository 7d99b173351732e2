//! The settings of deliveries that are received (docs/API.md, section 12).

use std::time::Duration;

use ipnet::IpNet;
use portreeve::deliveries::{Deliveries, Limits, Networks, Queue, Sender};
use portreeve::groupware::DeliveryAuth;
use portreeve::outbound::{HttpUrl, PlainHttp};
use portreeve::vault::Vault;

use super::address::Listen;
use super::fault::ConfigError;
use super::sources::Sources;
use super::{groupware, setting};

/// How deliveries are received, stored and sent.
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
            networks: sources
                .get_opt(setting::DELIVERY_NETWORKS)?
                .unwrap_or_default(),
            keep: sources.get(setting::DELIVERIES_KEEP)?,
            max: sources.get(setting::DELIVERIES_MAX)?,
        };
        if !sources.get(setting::DELIVERIES)? {
            return Ok(None);
        }
        match sources.get_opt(setting::WEBHOOK_SECRET)? {
            Some(_) => Ok(Some(config)),
            None => Err(sources.error(
                setting::DELIVERIES,
                "needs webhook_secret, from which the credential of those who send deliveries is \
                 derived; set a secret",
            )),
        }
    }
}

// === impl DeliveriesConfig ===

impl DeliveriesConfig {
    /// What is kept in `queue`, and who sends it.
    pub(crate) fn open(
        &self,
        vault: Vault,
        queue: Queue,
    ) -> Result<(Deliveries, Sender), ConfigError> {
        let limits = Limits {
            keep: self.keep,
            max: self.max,
        };
        let networks = Networks::new(self.networks.iter().copied());
        let sender = Sender::with_system_roots(networks, []);
        let sender = sender.map_err(|error| ConfigError::of(setting::DELIVERIES, error))?;
        Ok((Deliveries::new(vault, queue, limits), sender))
    }
}

/// The address at which the gateway can be reached if nothing else is known: that of its first TCP listener.
pub(crate) fn local_address(listen: &[Listen], has_tls: bool) -> Option<HttpUrl> {
    let address = listen.iter().find_map(Listen::tcp)?;
    let scheme = if has_tls { "https" } else { "http" };
    HttpUrl::base(&format!("{scheme}://{address}"), PlainHttp::Anywhere).ok()
}

/// The address of the gateway, and the credentials of deliveries to it.
pub(crate) fn sender(sources: &Sources<'_>) -> Result<(HttpUrl, DeliveryAuth), ConfigError> {
    let address = match sources.get_opt(setting::PUBLIC_URL)? {
        Some(url) => Some(url),
        None => {
            let has_tls = sources.raw(setting::TLS_CERT)?.is_some();
            local_address(&sources.get(setting::LISTEN)?, has_tls)
        }
    };
    let address = address.ok_or_else(|| {
        ConfigError::of(
            setting::PUBLIC_URL,
            "is needed, since the gateway listens on unix sockets alone; set it to the address at \
             which deliveries reach it",
        )
    });
    let auth = groupware::delivery(sources)?.ok_or_else(|| {
        ConfigError::of(
            setting::WEBHOOK_SECRET,
            "is needed, as the credential is derived from it; set a secret",
        )
    });
    Ok((address?, auth?))
}

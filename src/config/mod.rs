//! Settings: each is a flag, an environment variable and a TOML key, in that order of precedence.
//!
//! The table in [`setting`] describes them and parses their values, so that no other module has to validate a value.
//! Each command reads only the sections that it needs.

pub(crate) mod arguments;
mod database;
mod deliveries;
mod example;
mod fault;
mod gateway;
mod groupware;
mod identity;
mod listen;
mod parse;
pub(crate) mod setting;
mod sources;
mod syntax;
mod toml_file;
mod variables;
mod vault;

use std::net::SocketAddr;
use std::path::PathBuf;

use portreeve::gateway::Settings;
use portreeve::server::Bounds;

pub(crate) use arguments::{CONFIG_ENV, Suggested, with_flags, with_settings};
#[cfg(feature = "postgres")]
pub(crate) use database::PASSWORD;
pub(crate) use database::{Database, parse as database};
pub(crate) use deliveries::{DeliveriesConfig, own_address, sender};
pub(crate) use example::config_file;
pub(crate) use fault::{ConfigError, Faults};
pub(crate) use groupware::GroupwareConfig;
pub(crate) use identity::{IdentityConfig, IntrospectionConfig};
pub(crate) use listen::{Listen, ListenConfig, TlsFiles, metrics_address};
pub(crate) use parse::LogFormat;
pub(crate) use sources::Sources;
pub(crate) use syntax::Notation;
pub(crate) use toml_file::ReadFile;
pub(crate) use variables::refuse_unknown;
pub(crate) use vault::{Keys, VaultConfig, data_dir};

#[derive(Debug)]
pub(crate) struct Config {
    pub(crate) listen: ListenConfig,
    pub(crate) groupware: Option<GroupwareConfig>,
    pub(crate) vault: VaultConfig,
    pub(crate) identity: IdentityConfig,
    pub(crate) gateway: Settings,
    /// `None` if they are switched off.
    pub(crate) deliveries: Option<DeliveriesConfig>,
    pub(crate) bounds: Bounds,
    pub(crate) metrics_listen: Option<SocketAddr>,
    pub(crate) audit_log: Option<PathBuf>,
}

impl Config {
    pub(crate) fn read(sources: &Sources<'_>) -> Result<Self, Faults> {
        let mut faults = sources.faults(setting::ALL.iter().copied());
        Self::read_parts(sources, &mut faults).filter(|_| faults.is_empty()).ok_or(faults)
    }

    /// Reads every part, so that a fault of one hides none of another.
    fn read_parts(sources: &Sources<'_>, faults: &mut Faults) -> Option<Self> {
        let listen = faults.keep(ListenConfig::read(sources));
        // Even if the addresses are invalid.
        faults.keep(TlsFiles::read(sources));
        let addresses = listen.as_ref().map_or(&[][..], |it| &it.addresses);
        let metrics_listen = faults.keep(listen::metrics_address(sources, addresses));
        let groupware = faults.keep(GroupwareConfig::read(sources));
        let server = groupware.as_ref().and_then(Option::as_ref);
        let identity = faults.keep(IdentityConfig::read(sources, server));
        let vault = faults.keep(VaultConfig::read(sources));
        let gateway = gateway::settings(sources, faults);
        let deliveries = faults.keep(DeliveriesConfig::read(sources));
        // The other parts can only have faults of single settings, which are known already.
        Some(Self {
            listen: listen?,
            groupware: groupware?,
            vault: vault?,
            identity: identity?,
            gateway: gateway?,
            deliveries: deliveries?,
            bounds: gateway::bounds(sources).ok()?,
            metrics_listen: metrics_listen?,
            audit_log: sources.get_opt(setting::AUDIT_LOG).ok()?,
        })
    }
}

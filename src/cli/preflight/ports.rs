//! Checks that the gateway can listen on its addresses.

use std::io;
use std::net::SocketAddr;

use tokio::net::TcpSocket;

use super::{CheckInput, Purpose, Verdicts};
use crate::cli::{healthcheck, sockets};
use crate::config::setting::{LISTEN, METRICS_LISTEN, Setting, TLS_CERT};
use crate::config::{ConfigError, Listen, ListenConfig, TlsFiles, metrics_address};

/// Checks each address by itself; conflicting settings are separate faults.
pub(super) fn listeners(input: &CheckInput<'_, '_>, verdicts: &mut Verdicts) {
    let inherited = match input.purpose {
        Purpose::Start(inherited) => inherited,
        Purpose::Report => &[],
        // It listens.
        Purpose::Reload => return,
    };
    let Ok(addresses) = input.sources.get(LISTEN) else {
        return;
    };
    let tls = ListenConfig::read(input.sources);
    let tls = tls.as_ref().ok().and_then(|config| config.tls.as_ref());
    if inherited.is_empty() {
        for address in &addresses {
            try_one(input, LISTEN, address, tls, verdicts);
        }
    }
    if let Ok(None) = input.sources.get_opt(TLS_CERT) {
        for address in sockets::tcp_addresses(&addresses, inherited) {
            if !address.ip().to_canonical().is_loopback() {
                let danger = format_args!(
                    "{address} can be reached from other machines without TLS, so tokens and app passwords can be \
                     read in transit; set tls_cert and tls_key, or listen on 127.0.0.1 behind a proxy with TLS"
                );
                verdicts.warn(LISTEN, danger);
            }
        }
    }
    if let Ok(Some(address)) = metrics_address(input.sources, &addresses) {
        let address = Listen::Tcp(address);
        try_one(input, METRICS_LISTEN, &address, None, verdicts);
    }
}

fn try_one(
    input: &CheckInput<'_, '_>,
    setting: &'static Setting,
    address: &Listen,
    tls: Option<&TlsFiles>,
    verdicts: &mut Verdicts,
) {
    let tried = match address {
        Listen::Tcp(address) => bind(*address),
        Listen::Unix(path) => sockets::check_socket(path),
    };
    let key = setting.key;
    match tried {
        Ok(()) => verdicts.fine(format!("{key}: {address}")),
        // Before a reload or an upgrade, the check is to report other faults only.
        Err(error)
            if error.kind() == io::ErrorKind::AddrInUse
                && matches!(input.purpose, Purpose::Report)
                && healthcheck::is_alive(address, tls) =>
        {
            verdicts.warning(format!(
                "{key}: a gateway is already listening on {address}: another one cannot be started"
            ));
        }
        Err(error) => {
            let problem = format!("cannot listen on {address}: {error}; name another address");
            verdicts.fault(ConfigError::of(setting, problem));
        }
    }
}

/// Binds a socket briefly, without listening: nobody connects, and a gateway that starts meanwhile is not disturbed.
fn bind(address: SocketAddr) -> io::Result<()> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // Like the listener: connections that have just ended do not keep a gateway from starting.
    socket.set_reuseaddr(true)?;
    socket.bind(address)
}

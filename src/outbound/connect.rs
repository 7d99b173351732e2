//! TCP connections.

use std::time::Duration;

use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use rustls::ClientConfig;

use super::resolver::Resolver;

pub(crate) type TcpConnector = HttpConnector<Resolver>;

/// Connects over TCP, and with `tls` to what is called by https; with HTTP/2 if that `takes_http2`.
///
/// `timeout` is divided among all addresses of a host, so that an unreachable one leaves time for the next.
pub(crate) fn connector(
    tls: ClientConfig,
    timeout: Duration,
    takes_http2: bool,
) -> HttpsConnector<TcpConnector> {
    // For few names: those of the settings.
    let mut tcp = HttpConnector::new_with_resolver(Resolver::new(32));
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_connect_timeout(Some(timeout));
    let builder = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http();
    match takes_http2 {
        true => builder.enable_all_versions().wrap_connector(tcp),
        false => builder.enable_http1().wrap_connector(tcp),
    }
}

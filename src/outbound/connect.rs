//! TCP connections.

use std::time::Duration;

use hyper_util::client::legacy::connect::HttpConnector;

use super::resolver::Resolver;

/// Makes TCP connections, with our own [`Resolver`].
pub(crate) type TcpConnector = HttpConnector<Resolver>;

/// Connects over TCP; TLS may be put on top of it.
///
/// `timeout` is divided among all addresses of a host, so that an unreachable one leaves time for the
/// next.
pub(crate) fn tcp_connector(timeout: Duration) -> TcpConnector {
    // For few names: those of the settings.
    let mut connector = HttpConnector::new_with_resolver(Resolver::new(32));
    connector.enforce_http(false);
    connector.set_nodelay(true);
    connector.set_connect_timeout(Some(timeout));
    connector
}

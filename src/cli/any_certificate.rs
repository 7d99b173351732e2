//! TLS that accepts any certificate: for a request to the gateway on this machine, which is addressed by IP and sent no
//! secret.

use std::io;
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::any_server::AnyServer;

/// Performs a handshake over `stream`.
pub(super) async fn connect(stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
    let provider = aws_lc_rs::default_provider();
    let any = AnyServer {
        chain: None,
        algorithms: provider.signature_verification_algorithms,
    };
    let config = ClientConfig::builder_with_provider(Arc::new(provider))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(any))
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").map_err(io::Error::other)?;
    TlsConnector::from(Arc::new(config))
        .connect(name, stream)
        .await
}

//! TCP connections, and the TLS settings used on them.

use std::sync::Arc;
use std::time::Duration;

use hyper_util::client::legacy::connect::HttpConnector;
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};

use super::resolver::Resolver;

/// Makes TCP connections, with our own [`Resolver`].
pub(crate) type TcpConnector = HttpConnector<Resolver>;

/// Connects over TCP; TLS may be put on top of it.
///
/// `timeout` is divided among all addresses of a host, so that an unreachable one leaves time for the
/// next.
pub(crate) fn tcp_connector(timeout: Duration) -> TcpConnector {
    let mut connector = HttpConnector::new_with_resolver(Resolver::new());
    connector.enforce_http(false);
    connector.set_nodelay(true);
    connector.set_connect_timeout(Some(timeout));
    connector
}

/// The system's certificate authorities, or Mozilla's if it has none, as in an empty container.
pub(crate) fn trusted_roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    roots
}

/// TLS 1.2 and 1.3, trusting `roots` and `extra`, with no client certificate.
///
/// The crypto provider is named explicitly: the process-wide default panics if another crate of the
/// same program enables a second one.
///
/// # Errors
/// One of `extra` is not valid as a trust anchor.
pub(crate) fn tls_config(
    mut roots: RootCertStore,
    extra: impl IntoIterator<Item = CertificateDer<'static>>,
) -> Result<ClientConfig, rustls::Error> {
    for certificate in extra {
        roots.add(certificate)?;
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth())
}

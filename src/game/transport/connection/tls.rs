use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore};

/// TLS 1.2 and 1.3, trusting the certificate authorities of the system; those of Mozilla if it has
/// none, as in an empty container.
///
/// The implementation of cryptography is named: the process-wide default panics if another crate
/// of the same program turned a second one on.
///
/// # Errors
/// That implementation has neither version of TLS, which does not happen.
pub(super) fn default_config() -> Result<Arc<ClientConfig>, rustls::Error> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

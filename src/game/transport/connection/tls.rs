use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use super::CaError;

/// TLS 1.2 and 1.3, trusting `extra` and the certificate authorities of the system, or those of Mozilla if
/// the system has none, as in an empty container.
///
/// The cryptography provider is given explicitly: the process-wide default panics if another crate in the
/// program enables a second one.
///
/// # Errors
/// One of `extra` cannot be a trust anchor.
pub(super) fn config(
    extra: Vec<CertificateDer<'static>>,
) -> Result<Arc<ClientConfig>, rustls::Error> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    for certificate in extra {
        roots.add(certificate)?;
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

/// The certificates of a PEM text, at least one.
pub(super) fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, CaError> {
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let certificates = certificates.map_err(|error| CaError::Pem(error.to_string()))?;
    match certificates.is_empty() {
        true => Err(CaError::NoCertificate),
        false => Ok(certificates),
    }
}

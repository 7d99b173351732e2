use std::sync::Arc;

use rustls::ClientConfig;
use rustls::pki_types::CertificateDer;

use super::CaError;
use crate::tls::{self, PemError};

/// TLS 1.2 and 1.3, trusting `extra` and the certificate authorities of the system.
///
/// # Errors
/// One of `extra` cannot be a trust anchor.
pub(super) fn config(
    extra: Vec<CertificateDer<'static>>,
) -> Result<Arc<ClientConfig>, rustls::Error> {
    tls::config(tls::trusted_roots(), extra).map(Arc::new)
}

/// The certificates of a PEM text, at least one.
pub(super) fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, CaError> {
    tls::certificates(pem).map_err(|error| match error {
        PemError::Syntax(error) => CaError::Pem(error.to_string()),
        PemError::NoCertificate => CaError::NoCertificate,
    })
}

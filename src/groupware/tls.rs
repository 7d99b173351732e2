//! How the connection to the groupware server is encrypted.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};

/// Why the TLS side could not be set up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// The extra certificates are not PEM.
    #[error("the CA file is not PEM: it must hold -----BEGIN CERTIFICATE----- blocks")]
    Pem(#[source] rustls::pki_types::pem::Error),
    /// The extra certificates hold no certificate.
    #[error("the CA file holds no -----BEGIN CERTIFICATE----- block")]
    NoCertificate,
    /// A certificate that cannot be a trust anchor, or a provider without usable versions.
    #[error("the CA file holds a certificate that cannot be used")]
    Certificate(#[source] rustls::Error),
}

/// Reads the certificates of a PEM text; there is at least one.
pub(super) fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(pem)
        .collect::<Result<_, _>>()
        .map_err(TlsError::Pem)?;
    match certificates.is_empty() {
        true => Err(TlsError::NoCertificate),
        false => Ok(certificates),
    }
}

/// TLS 1.2 and 1.3, trusting the system's roots (the bundled ones of Mozilla where there are none)
/// and `extra`.
pub(super) fn client_config(extra: Vec<CertificateDer<'static>>) -> Result<ClientConfig, TlsError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    with_roots(roots, extra)
}

/// For a server that is reached without TLS: trusts nobody, and reads no certificate of the system.
pub(super) fn unused_config() -> Result<ClientConfig, TlsError> {
    with_roots(RootCertStore::empty(), Vec::new())
}

fn with_roots(
    mut roots: RootCertStore,
    extra: Vec<CertificateDer<'static>>,
) -> Result<ClientConfig, TlsError> {
    for certificate in extra {
        roots.add(certificate).map_err(TlsError::Certificate)?;
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(TlsError::Certificate)?
        .with_root_certificates(roots)
        .with_no_client_auth())
}

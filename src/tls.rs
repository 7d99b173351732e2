//! The certificates that TLS connections trust.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
#[cfg(feature = "gateway")]
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::{ClientConfig, RootCertStore};

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
/// The provider is named: the process-wide default panics if another crate of the same program enables a second one.
pub(crate) fn config(
    mut roots: RootCertStore,
    extra: impl IntoIterator<Item = CertificateDer<'static>>,
) -> Result<ClientConfig, rustls::Error> {
    extra.into_iter().try_for_each(|it| roots.add(it))?;
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth())
}

/// The certificate authorities of a PEM text, and no others.
#[cfg(feature = "gateway")]
pub(crate) fn authorities(pem: &[u8]) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    let certificates = certificates(pem).map_err(|error| error.to_string())?;
    certificates.into_iter().try_for_each(|it| roots.add(it)).map_err(|error| error.to_string())?;
    Ok(roots)
}

/// Reads the certificates of a PEM text (RFC 7468), at least one; other blocks are skipped.
///
/// ```
/// # #[cfg(feature = "gateway")] {
/// use portreeve::outbound::{PemError, certificates};
///
/// let pem = b"-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n";
/// assert_eq!(certificates(pem).unwrap().len(), 1);
/// assert!(matches!(certificates(b"a text"), Err(PemError::NoCertificate)));
/// # }
/// ```
///
/// # Errors
/// A block without an end or with invalid base64, or no certificate at all. The content of the certificates is not checked.
pub fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, PemError> {
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(without_mark(pem))
        .collect::<Result<_, _>>()
        .map_err(PemError::Syntax)?;
    if certificates.is_empty() { Err(PemError::NoCertificate) } else { Ok(certificates) }
}

/// Reads the first private key of a PEM text.
#[cfg(feature = "gateway")]
pub(crate) fn private_key(pem: &[u8]) -> Result<PrivateKeyDer<'static>, pem::Error> {
    PrivateKeyDer::from_pem_slice(without_mark(pem))
}

/// `pem` without the byte order mark at its beginning, with which its first block would be skipped.
fn without_mark(pem: &[u8]) -> &[u8] {
    pem.strip_prefix("\u{feff}".as_bytes()).unwrap_or(pem)
}

/// Why no certificates could be read from a text.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PemError {
    /// It is not PEM.
    #[error(transparent)]
    Syntax(pem::Error),
    /// It contains no certificate.
    #[error("it contains no -----BEGIN CERTIFICATE----- block")]
    NoCertificate,
}

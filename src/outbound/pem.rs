//! Certificates in PEM files.

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::{self, PemObject as _};

/// Reads the certificates of a PEM text (RFC 7468), at least one; other blocks are skipped.
///
/// ```
/// use portreeve::outbound::{PemError, certificates};
///
/// let pem = b"-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n";
/// assert_eq!(certificates(pem).unwrap().len(), 1);
/// assert!(matches!(certificates(b"a text"), Err(PemError::NoCertificate)));
/// ```
///
/// # Errors
/// A block without an end or with invalid base64, or no certificate at all. The content of the
/// certificates is not checked.
pub fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, PemError> {
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(pem)
        .collect::<Result<_, _>>()
        .map_err(PemError::Syntax)?;
    if certificates.is_empty() {
        Err(PemError::NoCertificate)
    } else {
        Ok(certificates)
    }
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

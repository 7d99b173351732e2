//! Certificates in PEM files.

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::{self, PemObject as _};

/// Reads the certificates of a PEM text (RFC 7468), of which there is at least one; other blocks
/// are passed over.
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
/// A block without an end or with broken base64, or no certificate at all. What a certificate says
/// is not looked at.
pub fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, PemError> {
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(pem)
        .collect::<Result<_, _>>()
        .map_err(PemError::Syntax)?;
    match certificates.is_empty() {
        true => Err(PemError::NoCertificate),
        false => Ok(certificates),
    }
}

/// Why a text holds no certificates that can be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PemError {
    /// It is not PEM.
    #[error(transparent)]
    Syntax(pem::Error),
    /// It has no certificate.
    #[error("it holds no -----BEGIN CERTIFICATE----- block")]
    NoCertificate,
}

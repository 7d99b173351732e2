//! Errors in setting up TLS to the groupware server.

use rustls::pki_types::pem;

use crate::outbound::PemError;

/// Why TLS could not be set up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// The extra certificates are not PEM.
    #[error("the CA file is not PEM: it must hold -----BEGIN CERTIFICATE----- blocks")]
    Pem(#[source] pem::Error),
    /// The extra certificates are an empty list.
    #[error("the CA file holds no -----BEGIN CERTIFICATE----- block")]
    NoCertificate,
    /// A certificate that cannot be a trust anchor, or a provider without usable versions.
    #[error("the CA file holds a certificate that cannot be used")]
    Certificate(#[source] rustls::Error),
}

impl From<PemError> for TlsError {
    fn from(error: PemError) -> Self {
        match error {
            PemError::Syntax(error) => Self::Pem(error),
            PemError::NoCertificate => Self::NoCertificate,
        }
    }
}

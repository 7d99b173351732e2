//! TLS on a listener: certificates that can be replaced while it serves.

use std::io;
use std::sync::Arc;

use arc_swap::ArcSwap;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem;
use rustls::server::{ServerConfig, VerifierBuilderError, WebPkiClientVerifier};
use rustls::{CertificateError, OtherError};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::stream::Stream;
use crate::opaque::opaque_debug;
use crate::tls::{PemError, authorities, certificates, private_key};

/// The ALPN protocols (RFC 7301), in order of preference.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// A server's certificate and key, and whether clients need one: TLS 1.2 and 1.3 by rustls, HTTP/2 and 1.1 by ALPN.
#[derive(Clone)]
pub struct TlsConfig(Arc<ServerConfig>);

/// The TLS of a listener. Clones share the configuration.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use portreeve::server::{Listeners, Tls, TlsConfig};
/// use tokio::net::TcpListener;
///
/// // In production, these are files from a certificate authority.
/// let made = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
/// let (chain, key) = (made.cert.pem(), made.signing_key.serialize_pem());
///
/// let tls = Tls::new(TlsConfig::from_pem(chain.as_bytes(), key.as_bytes(), None)?);
/// let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
/// let listeners = Listeners::default().tls(listener, tls.clone());
///
/// // While they are served, and before the certificate expires: open connections stay, new ones use the new certificate.
/// tls.replace(TlsConfig::from_pem(chain.as_bytes(), key.as_bytes(), None)?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Tls(Arc<ArcSwap<ServerConfig>>);

/// Why a [`TlsConfig`] could not be made. It contains no part of a key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// The certificate chain is unreadable.
    #[error("{0}")]
    Certificates(PemError),
    /// The private key is unreadable.
    #[error("{0}")]
    Key(Box<str>),
    /// The certificate and the key do not match, or one of them is of an unsupported kind.
    #[error("{0}")]
    Pair(Box<str>),
    /// The authorities for client certificates are invalid.
    #[error("{0}")]
    ClientCa(Box<str>),
}

// === impl TlsConfig ===

impl TlsConfig {
    /// Reads a certificate chain, the server's own certificate first, its private key (PKCS #8, PKCS #1
    /// or SEC 1), and the authorities that must have issued a client's certificate, if clients need one.
    ///
    /// Dates and names are not checked: an expired certificate is served, and clients refuse it.
    ///
    /// # Errors
    /// If one of the texts is not PEM of its kind, or the certificate and the key do not match.
    pub fn from_pem(chain: &[u8], key: &[u8], client_ca: Option<&[u8]>) -> Result<Self, TlsError> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let chain = certificates(chain).map_err(TlsError::Certificates)?;
        let private = private_key(key).map_err(|error| {
            TlsError::Key(match error {
                _ if is_encrypted(key) => {
                    "the key has a passphrase, which cannot be entered at startup: write it without \
                     one to a file of mode 0600, with `openssl pkey -in KEY -out FILE`"
                        .into()
                }
                pem::Error::NoItemsFound => {
                    "it contains no unencrypted -----BEGIN PRIVATE KEY----- block".into()
                }
                error => error.to_string().into(),
            })
        })?;
        let builder = ServerConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|error| TlsError::Pair(error.to_string().into()))?;
        let builder = match client_ca {
            None => builder.with_no_client_auth(),
            Some(pem) => {
                let roots = authorities(pem).map_err(|error| TlsError::ClientCa(error.into()))?;
                let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider);
                let fault =
                    |error: VerifierBuilderError| TlsError::ClientCa(error.to_string().into());
                builder.with_client_cert_verifier(verifier.build().map_err(fault)?)
            }
        };
        let mut config = builder.with_single_cert(chain, private).map_err(|error| {
            TlsError::Pair(match error {
                rustls::Error::InconsistentKeys(_) => {
                    "the certificate does not match the key".into()
                }
                rustls::Error::InvalidCertificate(CertificateError::Other(error))
                    if is_old_version(&error) =>
                {
                    "the certificate has X.509 version 1, which clients refuse: create one of \
                     version 3 with a subjectAltName (`openssl req -x509` does so by default, \
                     `openssl x509 -req` with -extfile)"
                        .into()
                }
                error => error.to_string().into(),
            })
        })?;
        config.alpn_protocols = PROTOCOLS.map(Into::into).into();
        Ok(Self(Arc::new(config)))
    }
}

opaque_debug!(TlsConfig);

// === impl Tls ===

impl Tls {
    /// Uses `config` for new connections.
    pub fn new(config: TlsConfig) -> Self {
        Self(Arc::new(ArcSwap::new(config.0)))
    }

    /// Uses `config` for new connections from now on. Open connections stay as they are, and earlier
    /// sessions are not resumed.
    pub fn replace(&self, config: TlsConfig) {
        self.0.store(config.0);
    }

    pub(super) async fn accept(&self, stream: Stream) -> io::Result<Stream> {
        let acceptor = TlsAcceptor::from(self.0.load_full());
        let stream: TlsStream<Stream> = acceptor.accept(stream).await?;
        Ok(Stream::Tls(Box::new(stream)))
    }
}

opaque_debug!(Tls);

/// Whether a certificate was refused for its version, which only the text of the error shows.
fn is_old_version(error: &OtherError) -> bool {
    error.0.to_string() == "UnsupportedCertVersion"
}

/// Whether a PEM text contains an encrypted private key: PKCS #8, or the older format of OpenSSL.
fn is_encrypted(pem: &[u8]) -> bool {
    let has = |part: &[u8]| pem.windows(part.len()).any(|window| window == part);
    has(b"-----BEGIN ENCRYPTED PRIVATE KEY-----") || has(b"Proc-Type: 4,ENCRYPTED")
}

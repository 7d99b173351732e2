//! The certificates of the listener: read from their files, and when they end.

use std::fmt;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use portreeve::outbound;
use portreeve::server::{TlsConfig, TlsError};
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use x509_cert::Certificate;
use x509_cert::der::Decode as _;
use zeroize::Zeroizing;

use crate::config::setting::{GROUPWARE_CA, Setting, TLS_CERT, TLS_CLIENT_CA, TLS_KEY};
use crate::config::{ConfigError, TlsFiles};
use crate::files;

const MAX_PEM: u64 = 1024 * 1024;

/// How long before a certificate expires to warn about it. Short-lived ones are renewed earlier.
const EXPIRY_NOTICE: Duration = Duration::from_secs(14 * 86_400);

/// Reads the files and checks that they fit together.
pub(super) fn read(files: &TlsFiles) -> Result<TlsConfig, ConfigError> {
    let chain = read_file(TLS_CERT, &files.cert)?;
    let key = read_file(TLS_KEY, &files.key)?;
    let ca_path = files.client_ca.as_deref();
    let client_ca = ca_path.map(|path| read_file(TLS_CLIENT_CA, path)).transpose()?;
    let client_ca = client_ca.as_ref().map(|pem| pem.as_slice());
    TlsConfig::from_pem(&chain, &key, client_ca).map_err(|error| match (&error, ca_path) {
        (TlsError::Key(_), _) => error_of(TLS_KEY, &files.key, error),
        (TlsError::ClientCa(_), Some(path)) => error_of(TLS_CLIENT_CA, path, error),
        (TlsError::Pair(_), _) => {
            let (cert, key) = (files.cert.display(), files.key.display());
            ConfigError::of(TLS_CERT, format_args!("{cert} with {key}: {error}"))
        }
        _ => error_of(TLS_CERT, &files.cert, error),
    })
}

/// A warning if the certificate has expired or will soon.
pub(super) fn end_of_certificate(files: &TlsFiles) -> Result<Option<String>, ConfigError> {
    let pem = read_file(TLS_CERT, &files.cert)?;
    // Any other fault is reported by reading the pair.
    let chain = outbound::certificates(&pem).ok();
    let Some(end) = chain.and_then(|chain| not_after(chain.first()?)) else {
        return Ok(None);
    };
    let at = humantime::format_rfc3339_seconds(end);
    let (setting, path) = (TLS_CERT.key, files.cert.display());
    Ok(match end.duration_since(SystemTime::now()) {
        Err(_) => Some(format!(
            "{setting}: the certificate in {path} expired at {at}, so clients refuse it; replace it"
        )),
        Ok(remaining) if remaining < EXPIRY_NOTICE => Some(format!(
            "{setting}: the certificate in {path} expires at {at}; renew it before then"
        )),
        Ok(_) => None,
    })
}

fn not_after(certificate: &[u8]) -> Option<SystemTime> {
    let validity = Certificate::from_der(certificate).ok()?.tbs_certificate.validity;
    Some(validity.not_after.to_system_time())
}

pub(super) fn authorities(path: &Path) -> Result<Vec<CertificateDer<'static>>, ConfigError> {
    certificates(path).map_err(|problem| error_of(GROUPWARE_CA, path, problem))
}

/// The certificates in a PEM file, each a valid trust anchor.
pub(super) fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let pem = files::read(path, MAX_PEM).map_err(unread)?.bytes;
    let certificates = outbound::certificates(&pem).map_err(|cause| cause.to_string())?;
    let mut roots = RootCertStore::empty();
    for (at, certificate) in certificates.iter().enumerate() {
        let added = roots.add(certificate.clone());
        added.map_err(|cause| format!("certificate {} cannot be used: {cause}", at + 1))?;
    }
    Ok(certificates)
}

pub(super) fn read_file(setting: &Setting, path: &Path) -> Result<Zeroizing<Vec<u8>>, ConfigError> {
    let fault = |error| error_of(setting, path, unread(error));
    Ok(files::read(path, MAX_PEM).map_err(fault)?.bytes)
}

fn unread(error: io::Error) -> String {
    format!("the file cannot be read: {error}")
}

fn error_of(setting: &Setting, path: &Path, problem: impl fmt::Display) -> ConfigError {
    ConfigError::of(setting, format!("{}: {problem}", path.display()))
}

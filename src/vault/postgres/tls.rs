//! TLS to the database, as `sslmode` asks for it.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::crypto::aws_lc_rs;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::options::{SslMode, Tls};
use crate::any_server::AnyServer;
use crate::tls::{authorities, certificates, private_key, trusted_roots};

pub(super) fn connector(tls: &Tls) -> Result<MakeRustlsConnect, String> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let builder = match tls.mode {
        SslMode::VerifyFull => builder.with_root_certificates(roots(tls)?),
        mode => {
            // As libpq does: with `require` a file of authorities is used if one is named.
            let checks =
                mode == SslMode::VerifyCa || (mode == SslMode::Require && tls.roots.is_some());
            let chain = if checks {
                let roots = Arc::new(roots(tls)?);
                let chain = WebPkiServerVerifier::builder_with_provider(roots, provider.clone());
                Some(chain.build().map_err(|error| error.to_string())?)
            } else {
                None
            };
            let algorithms = provider.signature_verification_algorithms;
            let verifier = Arc::new(AnyServer { chain, algorithms });
            builder.dangerous().with_custom_certificate_verifier(verifier)
        }
    };
    let config = match &tls.certificate {
        _ if tls.mode == SslMode::Disable => builder.with_no_client_auth(),
        None => builder.with_no_client_auth(),
        Some((certificate, key)) => {
            let chain = certificates(&read(certificate)?).map_err(of_file(certificate))?;
            let private = private_key(&read(key)?).map_err(of_file(key))?;
            builder.with_client_auth_cert(chain, private).map_err(of_file(key))?
        }
    };
    Ok(MakeRustlsConnect::new(config))
}

fn roots(tls: &Tls) -> Result<RootCertStore, String> {
    match &tls.roots {
        None => Ok(trusted_roots()),
        Some(path) => authorities(&read(path)?).map_err(of_file(path)),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(of_file(path))
}

fn of_file<E: Display>(path: &Path) -> impl FnOnce(E) -> String {
    move |error| format!("{}: {error}", path.display())
}

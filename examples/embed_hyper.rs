//! The gateway inside a hyper server of your own, with a token verifier of your own.
//!
//! ```sh
//! cargo run --example embed_hyper
//! curl -i -H 'Authorization: Bearer let-alice-in' http://127.0.0.1:8080/api/v1/apps
//! ```
//!
//! The answer is 500 until a groupware server is named in `GROUPWARE_URL`, then 428 until Alice
//! has stored an app password, given in `APP_PASSWORD`.
//!
//! In a package of your own:
//!
//! ```toml
//! portreeve = { path = "../portreeve", default-features = false, features = ["gateway"] }
//! http = "1"
//! hyper-util = { version = "0.1", features = ["server-auto", "service", "tokio"] }
//! subtle = "2"
//! tokio = { version = "1", features = ["macros", "net", "rt-multi-thread"] }
//! ```

use std::error::Error;

use http::request::Parts;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use portreeve::gateway::Gateway;
use portreeve::groupware::Groupware;
use portreeve::identity::{BearerToken, Caller, RefusalReason, TokenVerifier, VerifyError};
use portreeve::vault::{AppPassword, Keyring, MemoryStore, Vault};
use subtle::ConstantTimeEq;
use tokio::net::TcpListener;

/// Knows one token.
struct OneToken;

impl TokenVerifier for OneToken {
    async fn verify(&self, token: &BearerToken, _: &Parts) -> Result<Caller, VerifyError> {
        let known = token.expose().as_bytes().ct_eq(b"let-alice-in");
        if known.into() { Ok(Caller::new("alice")) } else { Err(RefusalReason::Unknown.into()) }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let vault = Vault::new(Keyring::generate()?, MemoryStore::new());
    if let Ok(password) = std::env::var("APP_PASSWORD") {
        vault.put("alice", "alice", &AppPassword::new(&password)?).await?;
    }
    let mut gateway = Gateway::new(OneToken, vault);
    if let Ok(url) = std::env::var("GROUPWARE_URL") {
        gateway = gateway.groupware(Groupware::new(url.parse()?, Default::default())?);
    }
    let service = gateway.into_service()?;

    let listener = TcpListener::bind("127.0.0.1:8080").await?;
    loop {
        let (stream, _) = listener.accept().await?;
        let service = TowerToHyperService::new(service.clone());
        tokio::spawn(async move {
            let http = auto::Builder::new(TokioExecutor::new());
            if let Err(error) = http.serve_connection(TokioIo::new(stream), service).await {
                eprintln!("connection ended early: {error}");
            }
        });
    }
}

//! The gateway as an application mounts it, with a stored credential in an SQLite vault and a
//! static token.
use std::convert::Infallible;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use portreeve::gateway::Gateway;
use portreeve::groupware::Groupware;
use portreeve::identity::{StaticTokens, TokensFile};
use portreeve::vault::{AppPassword, Keyring, SqliteStore, Vault};
use tower::Service;

/// Stores a credential in a vault under `data` and makes a token of the same user.
pub(crate) async fn provision(data: &Path) -> String {
    let password = AppPassword::new(&"FAKEAppPassword".repeat(4)).unwrap();
    let vault = open_vault(data).await;
    vault.put("admin", "admin", &password).await.unwrap();
    let tokens = TokensFile::new(tokens_file(data));
    let made = tokens.new_token("admin", []).unwrap();
    made.token.expose().to_owned()
}

/// The gateway before the groupware server at `url`, with what was provisioned under `data`.
pub(crate) async fn gateway(
    url: String,
    data: PathBuf,
) -> impl Service<Request<Incoming>, Response = Response<Full<Bytes>>, Error = Infallible, Future: Send>
+ Clone
+ Send
+ 'static {
    let verifier = StaticTokens::open(tokens_file(&data)).unwrap();
    let groupware = Groupware::builder(url.parse().unwrap()).build().unwrap();
    let gateway = Gateway::new(verifier, open_vault(&data).await).groupware(groupware);
    gateway.into_service()
}

/// Where the tokens are, for the library and for the binary.
pub(crate) fn tokens_file(data: &Path) -> PathBuf {
    data.join("tokens")
}

async fn open_vault(data: &Path) -> Vault<SqliteStore> {
    let keyring = Keyring::read_or_create(data.join("vault.key")).unwrap();
    let store = SqliteStore::open(data.join("portreeve.db")).await.unwrap();
    Vault::new(keyring, store)
}

//! What the servers stand on: users with tokens and stored passwords, and a groupware server.
use std::path::Path;
use std::process::Command;

use portreeve::identity::TokensFile;
use portreeve::vault::{AppPassword, Keyring, SqliteStore, Vault};
use tempfile::TempDir;

use crate::programs;
use crate::stand_in::StandIn;

/// More than one, so that thousands of connections do not meet the bound on requests of one user.
const USERS: usize = 50;

/// Of all users; as long as the real server's.
pub(crate) const PASSWORD: &str =
    "FAKEAppPasswordFAKEAppPasswordFAKEAppPasswordFAKEAppPassword000000000000";

/// Everything around the servers, which ends with this value.
pub(crate) struct Site {
    pub(crate) data: TempDir,
    /// The URL of a PostgreSQL database that has the same credentials.
    pub(crate) database: Option<String>,
    pub(crate) users: Vec<User>,
    pub(crate) stand_in: StandIn,
}

/// Someone who may call.
pub(crate) struct User {
    pub(crate) name: String,
    pub(crate) token: String,
}

// === impl Site ===

impl Site {
    pub(crate) async fn prepare(database: Option<String>) -> Self {
        let data = tempfile::tempdir().unwrap();
        let users = provision(data.path()).await;
        if let Some(url) = &database {
            copy(data.path(), url);
        }
        let stand_in = StandIn::start(users.iter().map(|user| user.name.as_str()));
        Self {
            data,
            database,
            users,
            stand_in,
        }
    }
}

/// Stores a credential and makes a token for each user.
async fn provision(data: &Path) -> Vec<User> {
    let keyring = Keyring::read_or_create(data.join("vault.key")).unwrap();
    let store = SqliteStore::open(data.join("portreeve.db")).await.unwrap();
    let vault = Vault::new(keyring, store);
    let password = AppPassword::new(PASSWORD).unwrap();
    let tokens = TokensFile::new(data.join("tokens"));
    let mut users = Vec::new();
    for name in (0..USERS).map(|at| format!("user{at}")) {
        vault.put(&name, &name, &password).await.unwrap();
        let made = tokens.new_token(&name, []).unwrap();
        let token = made.token.expose().to_owned();
        users.push(User { name, token });
    }
    users
}

/// Copies the credentials to the database at `url`.
fn copy(data: &Path, url: &str) {
    let from = format!("sqlite:{}", data.join("portreeve.db").display());
    let mut command = Command::new(programs::portreeve());
    command.args(["vault", "copy", "--from", &from, "--to", url]);
    assert!(command.status().unwrap().success(), "they cannot be copied");
}

//! The environment of the servers: users with tokens and stored passwords, and a groupware server.
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use portreeve::vault::{self, AppPassword, Keyring, MemoryStore, SqliteStore, Vault};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::programs;
use crate::stand_in::{StandIn, password};

/// More than one, so that thousands of connections do not exceed the limit of requests per user.
const USERS: usize = 50;

/// Everything around the servers, until it is dropped.
pub(crate) struct Site {
    pub(crate) data: TempDir,
    /// The URL of a PostgreSQL database that has the same credentials.
    pub(crate) database: Option<String>,
    pub(crate) users: Vec<User>,
    pub(crate) stand_in: StandIn,
}

/// A user who may call.
pub(crate) struct User {
    pub(crate) name: String,
    pub(crate) token: String,
}

// === impl Site ===

impl Site {
    pub(crate) async fn prepare(database: Option<String>) -> Self {
        Self::of(USERS, database).await
    }

    /// A site with this many users.
    pub(crate) async fn of(users: usize, database: Option<String>) -> Self {
        let data = tempfile::tempdir().unwrap();
        let users = provision(users, data.path()).await;
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

/// Stores a credential and makes a token for each of `users`.
async fn provision(users: usize, data: &Path) -> Vec<User> {
    let keyring = Keyring::read_or_create(data.join("vault.key")).unwrap();
    // Sealed in memory and copied at once: each change of the file waits for the disk.
    let vault = Vault::new(keyring, MemoryStore::new());
    let mut tokens = String::new();
    let mut made = Vec::new();
    for at in 0..users {
        let name = format!("user{at}");
        let stored = AppPassword::new(&password(&name)).unwrap();
        vault.put(&name, &name, &stored).await.unwrap();
        let token = format!("prt_{at:043}");
        let digest: String = Sha256::digest(&token)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        tokens.push_str(&format!(
            "{at:08x} {digest} 2026-01-31T09:30:00Z {name}
"
        ));
        made.push(User { name, token });
    }
    let store = SqliteStore::open(data.join("portreeve.db")).await.unwrap();
    vault::copy(vault.store().as_ref(), &store).await.unwrap();
    let file = data.join("tokens");
    std::fs::write(&file, tokens).unwrap();
    std::fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    made
}

/// Copies the credentials to the database at `url`.
fn copy(data: &Path, url: &str) {
    let from = format!("sqlite:{}", data.join("portreeve.db").display());
    let mut command = Command::new(programs::portreeve());
    command.args(["vault", "copy", "--from", &from, "--to", url]);
    assert!(command.status().unwrap().success(), "they cannot be copied");
}

//! The environment of the servers: users with tokens and stored passwords, and a groupware server.
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use portreeve::vault::{
    AppPassword, Change, Keyring, MemoryStore, SqliteStore, Store as _, Table, Vault,
};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::stand_in::{StandIn, password};

/// More than one, so that thousands of connections do not exceed the limit of requests per user.
pub(crate) const USERS: usize = 50;

/// Everything around the servers, until it is dropped.
pub(crate) struct Site {
    pub(crate) data: TempDir,
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
    /// A site with this many users.
    pub(crate) async fn prepare(users: usize) -> Self {
        let data = tempfile::tempdir().unwrap();
        let users = provision(users, data.path()).await;
        let stand_in = StandIn::start(users.iter().map(|user| user.name.as_str()));
        Self { data, users, stand_in }
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
        let digest: String =
            Sha256::digest(&token).iter().map(|byte| format!("{byte:02x}")).collect();
        let scopes = "files.read files.write notes.read";
        tokens += &format!("{at:08x} {digest} 2026-01-31T09:30:00Z {name} {scopes}\n");
        made.push(User { name, token });
    }
    let store = SqliteStore::open(data.join("portreeve.db")).await.unwrap();
    for table in [Table::SealingKey, Table::Credential] {
        let rows = vault.store().page(table, None, None, usize::MAX).await;
        let changes = rows.unwrap().into_iter().map(|row| Change::add(table, row));
        store.commit("copy", changes.collect()).await.unwrap();
    }
    let file = data.join("tokens");
    std::fs::write(&file, tokens).unwrap();
    std::fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    made
}

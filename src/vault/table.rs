//! The tables of a store, and the one kind of row that they have.

use std::sync::Arc;

use crate::labels::labels;

labels! {
    /// A table of a store. The columns of its rows hold:
    ///
    /// | table | key | owner | number | count | since |
    /// |---|---|---|---|---|---|
    /// | `Credential` | account id | the same | revision | refusals in a row, and whether HTTP Basic was refused | last of them |
    /// | `LoginFlow` | flow id | account id or person | when it expires | 1 with a password | |
    /// | `Binding` | person id | account id, unique | | | |
    /// | `RefusedLogin` | random, 16 hexadecimal digits | | when it was refused | | |
    /// | `BearerServer` | address | | | | |
    /// | `Registration` | id at the server, or name of a preset | address | | | |
    /// | `SealingKey` | `sealing` | | since when it seals | | |
    /// | `SealingKey` | id of a key that sealed before | | | 1 once it has been taken away | when another took its place |
    ///
    /// Times are milliseconds since the Unix epoch. Rows of `RefusedLogin`, `BearerServer` and `SealingKey` have nothing sealed; those of the last one
    /// have the beginning of what the key seals there, which names the key. A store refuses rows that were sealed with a key
    /// that has been taken away. An empty
    /// owner column means the key; any other empty one 0 or `None`. All tables of a database have all columns.
    #[derive(Hash)]
    pub enum Table {
        /// App passwords.
        Credential = "credential",
        LoginFlow = "login_flow",
        /// Which account a person is.
        Binding = "binding",
        /// Logins that the groupware server refused, and counted.
        RefusedLogin = "refused_login",
        /// Servers that took an app password as a bearer token.
        BearerServer = "bearer_server",
        /// What is registered at the gateway's own address.
        Registration = "registration",
        /// Which key seals, and those that did.
        SealingKey = "sealing_key",
    }
}

/// A row, as a store keeps it: sealed bytes, and the columns in the clear beside them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Names it in its table: 1 to 2048 bytes.
    pub key: Arc<str>,
    /// Whose it is.
    pub owner: Arc<str>,
    /// A number that the sealed bytes open together with, as with key and owner.
    pub number: i64,
    /// The sealed bytes, a few hundred at most.
    pub sealed: Box<[u8]>,
    /// A number that can change without the sealed bytes.
    pub count: u32,
    /// A time that can change without them, in milliseconds since the Unix epoch.
    pub since: Option<i64>,
}

// === impl Table ===

impl Table {
    /// Whether no two rows have the same owner.
    pub fn has_unique_owner(self) -> bool {
        self == Self::Binding
    }

    /// What reading one row, and a page, is called in errors and metrics.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(super) fn actions(self) -> [&'static str; 2] {
        match self {
            Self::Credential => ["read a credential", "list the credentials"],
            Self::LoginFlow => ["read a login flow", "list the login flows"],
            Self::Binding => ["read a binding", "list the bindings"],
            Self::RefusedLogin => ["read a refused login", "read the refused logins"],
            Self::BearerServer => [
                "read which server takes bearer logins",
                "list the servers that take bearer logins",
            ],
            Self::Registration => ["read a registration", "list the registrations"],
            Self::SealingKey => ["read which key seals", "list the keys that have sealed"],
        }
    }
}

// === impl Row ===

impl Row {
    pub(super) fn new(key: Arc<str>, owner: Arc<str>, number: i64) -> Self {
        Self { key, owner, number, sealed: Box::default(), count: 0, since: None }
    }
}

//! The errors of a vault.

use std::io;

use super::{KeyId, KeyringError, OpenError, StoreError};

/// Why an operation of the vault failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VaultError {
    /// One record does not open. All others are unaffected.
    #[error(
        "{record} does not open: {reason}; put the key it was sealed with back among the keys, or {instead}"
    )]
    Unopened {
        /// Which one, in words that name its user, its person or its id.
        record: Box<str>,
        /// What else its owner can do.
        instead: &'static str,
        /// Why it does not open.
        reason: OpenError,
    },
    /// A person that cannot be stored: an issuer or a subject that is empty or longer than 1024 bytes.
    #[error("an issuer and a subject have 1 to 1024 bytes each")]
    Person,
    /// A user id that cannot be stored: empty, longer than 255 bytes, or with a control character.
    #[error("a user id has 1 to 255 bytes and no control character; give the groupware account id")]
    UserId,
    /// A login name that HTTP Basic cannot carry (RFC 7617, section 2).
    #[error(
        "a login name has 1 to 255 bytes, no colon and no control character; give the name that was used \
         when the app password was made"
    )]
    LoginName,
    /// The key that seals, as the store says, is not among the keys: nothing can be sealed.
    #[error(
        "the database says that the key {0} seals, which is not among the configured keys: copy the keys of the \
         gateway on which they were rotated, or make another key seal with `portreeve keys new` and \
         `portreeve credentials rotate-keys`"
    )]
    NoSealingKey(KeyId),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The key file cannot be used; the keys that were read last stay in force.
    #[error(transparent)]
    Keys(#[from] KeyringError),
    /// The operating system gave no random bytes.
    #[error("no random bytes from the operating system: {0}")]
    Random(io::Error),
}

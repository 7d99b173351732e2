//! The sealed form of a record.
//!
//! | bytes | what |
//! |---|---|
//! | 1 | format version, 1 |
//! | 8 | key id |
//! | 24 | nonce, random for each sealing |
//! | n | XChaCha20 ciphertext |
//! | 16 | Poly1305 tag |
//!
//! The associated data is version and key id, followed by the caller's. 192 random bits make it
//! practically impossible that a nonce repeats under one key (draft-irtf-cfrg-xchacha, section 2.1).

use std::fmt;

use chacha20poly1305::aead::AeadInOut;
use chacha20poly1305::{Key, KeyInit, Tag, XChaCha20Poly1305, XNonce};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

use super::VaultError;
use crate::opaque::opaque_debug;
use crate::random;

const VERSION: u8 = 1;
pub(super) const HEADER_LEN: usize = 1 + 8;
const NONCE_AT: usize = HEADER_LEN;
const TEXT_AT: usize = NONCE_AT + 24;
const TAG_LEN: usize = 16;

/// Names a key without revealing it: the first 8 bytes of an HMAC-SHA256 under it. `Display` prints
/// them as 16 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId([u8; 8]);

/// Why sealed bytes do not open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// Too short to be a record, or of a format this version does not know.
    #[error("it is not of a format this version reads")]
    Format,
    /// The key that it was sealed with is not among those of the keyring.
    #[error("it was sealed with the key {0}, which is not among the configured keys")]
    UnknownKey(KeyId),
    /// It was altered, belongs to another row, or was not sealed with the key that its key id names.
    #[error("it was altered, or moved here from another row")]
    Tampered,
}

pub(super) struct SealingKey {
    id: KeyId,
    cipher: XChaCha20Poly1305,
}

// === impl SealingKey ===

impl SealingKey {
    pub(super) const LEN: usize = 32;

    pub(super) fn new(key: &[u8; Self::LEN]) -> Self {
        let mut mac = <Hmac<Sha256>>::new_from_slice(key).expect("HMAC takes any key length");
        mac.update(b"portreeve vault: key id");
        let digest = mac.finalize().into_bytes();
        let mut id = [0; 8];
        id.copy_from_slice(&digest[..8]);
        Self { id: KeyId(id), cipher: XChaCha20Poly1305::new(<&Key>::from(key)) }
    }

    pub(super) fn id(&self) -> KeyId {
        self.id
    }

    /// Seals `plain` so that it opens only together with the same associated data.
    pub(super) fn seal(
        &self,
        associated_data: &[u8],
        plain: &[u8],
    ) -> Result<Box<[u8]>, VaultError> {
        let mut sealed = Vec::with_capacity(TEXT_AT + plain.len() + TAG_LEN);
        sealed.push(VERSION);
        sealed.extend_from_slice(&self.id.0);
        sealed.resize(TEXT_AT, 0);
        random::fill(&mut sealed[NONCE_AT..]).map_err(VaultError::Random)?;
        sealed.extend_from_slice(plain);
        let (head, text) = sealed.split_at_mut(TEXT_AT);
        let associated_data = [&head[..HEADER_LEN], associated_data].concat();
        let nonce = XNonce::try_from(&head[NONCE_AT..]).expect("24 bytes were made room for");
        let cipher = &self.cipher;
        let tag = cipher.encrypt_inout_detached(&nonce, &associated_data, text.into());
        let tag = tag.expect("a record is far below the cipher's limit of 256 GiB");
        sealed.extend_from_slice(&tag);
        Ok(sealed.into_boxed_slice())
    }

    /// Opens what [`Self::seal`] made with this key and the same associated data.
    pub(super) fn open(
        &self,
        associated_data: &[u8],
        sealed: &[u8],
    ) -> Result<Zeroizing<Vec<u8>>, OpenError> {
        if key_id(sealed)? != self.id {
            return Err(OpenError::Tampered);
        }
        let (head, rest) = sealed.split_at(TEXT_AT);
        let (text, tag) = rest.split_at(rest.len() - TAG_LEN);
        let associated_data = [&head[..HEADER_LEN], associated_data].concat();
        let nonce = XNonce::try_from(&head[NONCE_AT..]).map_err(|_| OpenError::Format)?;
        let tag = Tag::try_from(tag).map_err(|_| OpenError::Format)?;
        let mut plain = Zeroizing::new(text.to_vec());
        self.cipher
            .decrypt_inout_detached(&nonce, &associated_data, plain.as_mut_slice().into(), &tag)
            .map_err(|_| OpenError::Tampered)?;
        Ok(plain)
    }
}

pub(super) fn key_id(sealed: &[u8]) -> Result<KeyId, OpenError> {
    if sealed.len() < TEXT_AT + TAG_LEN {
        return Err(OpenError::Format);
    }
    key_id_of_header(&sealed[..HEADER_LEN]).ok_or(OpenError::Format)
}

/// The key that sealed bytes name which begin with `header`, of [`HEADER_LEN`] bytes.
pub(super) fn key_id_of_header(header: &[u8]) -> Option<KeyId> {
    let (version, id) = header.split_first()?;
    (*version == VERSION).then(|| id.try_into().map(KeyId).ok())?
}

// === impl KeyId ===

impl KeyId {
    /// How everything begins that the key seals: [`key_id_of_header`] reads it.
    pub(crate) fn header(self) -> [u8; HEADER_LEN] {
        let mut header = [VERSION; HEADER_LEN];
        header[1..].copy_from_slice(&self.0);
        header
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

opaque_debug!(KeyId, |it| format_args!("{it}"));

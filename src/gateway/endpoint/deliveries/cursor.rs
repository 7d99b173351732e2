//! Opaque positions in a list (docs/API.md, sections 12.4 and 12.5).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

/// A position in the list of one account or target.
///
/// Its text is bound to that list, so that one of another list is noticed. That is no protection, which is in the
/// queries: a forged position only skips some of the caller's own entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cursor(pub(super) i64);

// === impl Cursor ===

impl Cursor {
    /// The text of this position in the list `name`.
    pub(super) fn to_text(self, name: &str) -> String {
        let position = self.0.to_be_bytes();
        URL_SAFE_NO_PAD.encode([position, binding(name, position)].concat())
    }

    /// The position that `text` is in the list `name`.
    pub(super) fn parse(text: &str, name: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (position, rest) = bytes.split_first_chunk()?;
        (rest == binding(name, *position)).then_some(Self(i64::from_be_bytes(*position)))
    }
}

fn binding(name: &str, position: [u8; 8]) -> [u8; 8] {
    let digest: [u8; 32] = Sha256::new_with_prefix(position)
        .chain_update(name)
        .finalize()
        .into();
    *digest.first_chunk().expect("a digest has 32 bytes")
}

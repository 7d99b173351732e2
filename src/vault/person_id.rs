//! A name for a person at an identity provider.

use std::fmt;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::hex::hex;
use crate::opaque::opaque_debug;

/// Names a person, who is an issuer and a subject, in 64 hexadecimal digits: SHA-256 over both, each
/// with its length before it. `Display` prints the digits.
///
/// ```
/// use portreeve::vault::PersonId;
///
/// let alice = PersonId::new("https://id.example.org", "alice");
/// assert_eq!(alice.to_string().len(), 64);
/// assert_ne!(alice, PersonId::new("https://id.example.or", "galice"));
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PersonId {
    /// [`MARK`] and the digits.
    marked: Arc<str>,
}

/// Stands before the digits where account ids stand otherwise. No account id has a control
/// character, so nobody's account can be called like a person.
const MARK: char = '\u{1}';

impl PersonId {
    /// The name of the person whom `issuer` calls `subject`.
    pub fn new(issuer: &str, subject: &str) -> Self {
        let mut hash = Sha256::new();
        for text in [issuer, subject] {
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text);
        }
        Self { marked: format!("{MARK}{}", hex(&hash.finalize())).into() }
    }

    /// The name that these digits are, as they were kept; `None` for an empty text.
    pub(crate) fn kept(digits: &str) -> Option<Self> {
        let marked = || format!("{MARK}{digits}").into();
        (!digits.is_empty()).then(|| Self { marked: marked() })
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.marked[1..]
    }

    /// Stands for the person in place of an account id: the owner of the login flows of somebody who has no account yet.
    pub fn as_owner(&self) -> &str {
        &self.marked
    }

    /// Whether `owner` is the [`as_owner`](Self::as_owner) of some person.
    pub(super) fn is_owner(owner: &str) -> bool {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let digits = owner.strip_prefix(MARK);
        digits.is_some_and(|digits| digits.len() == 64 && digits.bytes().all(is_digit))
    }
}

impl fmt::Display for PersonId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

opaque_debug!(PersonId, |it| format_args!("{it}"));

use portreeve::game::DecodeError;
use portreeve::game::frame::DEFAULT_LIMIT;

use super::arguments::MessageKind;
use super::content::Content;

/// A message, or why it could not be found.
pub(super) struct Item<'i> {
    pub(super) offset: usize,
    /// Its size in bytes, or the size that it would have.
    pub(super) size: usize,
    /// The bytes of the message, or the error.
    message: Result<&'i [u8], String>,
}

/// Why a message could not be read.
pub(super) struct Unreadable {
    pub(super) reason: String,
    /// Where in the message, in bytes.
    pub(super) offset: Option<usize>,
}

// === impl Item ===

impl<'i> Item<'i> {
    pub(super) fn new(offset: usize, bytes: &'i [u8]) -> Self {
        Self {
            offset,
            size: bytes.len(),
            message: Ok(bytes),
        }
    }

    pub(super) fn unreadable(offset: usize, size: usize, reason: impl Into<String>) -> Self {
        Self {
            offset,
            size,
            message: Err(reason.into()),
        }
    }

    pub(super) fn too_long(offset: usize, size: usize) -> Self {
        Self::unreadable(offset, size, too_long())
    }

    #[inline]
    pub(super) fn read(&self, kind: MessageKind) -> Result<Content<'i>, Unreadable> {
        let reason = match &self.message {
            Ok([]) if kind == MessageKind::Replay => "the input is empty, and so not a replay",
            Ok(bytes) => return Ok(Content::new(bytes, kind)),
            Err(reason) => reason,
        };
        Err(Unreadable {
            reason: reason.to_owned(),
            offset: None,
        })
    }
}

pub(super) fn too_long() -> String {
    format!("the message is longer than the limit of {DEFAULT_LIMIT} bytes")
}

// === impl Unreadable ===

impl Unreadable {
    pub(super) fn new(error: DecodeError, bytes: &[u8]) -> Self {
        let error = error.within(bytes);
        Self {
            reason: error.to_string(),
            offset: Some(error.offset()),
        }
    }
}

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

// === impl Item ===

impl<'i> Item<'i> {
    pub(super) fn new(offset: usize, bytes: &'i [u8]) -> Self {
        Self { offset, size: bytes.len(), message: Ok(bytes) }
    }

    pub(super) fn unreadable(offset: usize, size: usize, reason: impl Into<String>) -> Self {
        Self { offset, size, message: Err(reason.into()) }
    }

    /// The message, which is still to be read, or why there is none.
    pub(super) fn content(&self, kind: MessageKind) -> Result<Content<'i>, String> {
        match &self.message {
            Ok([]) if kind == MessageKind::Replay => {
                Err("the input is empty, and so not a replay".to_owned())
            }
            Ok(bytes) => Ok(Content::new(bytes, kind)),
            Err(reason) => Err(reason.clone()),
        }
    }
}

pub(super) fn too_long() -> String {
    format!("the message is longer than the limit of {DEFAULT_LIMIT} bytes")
}

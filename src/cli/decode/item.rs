use portreeve::game::DecodeError;
use portreeve::game::frame::DEFAULT_LIMIT;

/// A message, or why it could not be read.
#[derive(Debug)]
pub(super) struct Item<'i> {
    /// Its offset in the input, in bytes.
    pub(super) offset: usize,
    /// Its size in bytes, or the size that it would have.
    pub(super) size: usize,
    /// The bytes of the message, or the error.
    pub(super) message: Result<&'i [u8], String>,
}

// === impl Item ===

impl<'i> Item<'i> {
    /// The result of `read`, or why there is none.
    pub(super) fn read<T>(
        &self,
        read: impl FnOnce(&'i [u8]) -> Result<T, DecodeError>,
    ) -> Result<T, String> {
        let bytes = self.message.clone()?;
        read(bytes).map_err(|error| error.within(bytes).to_string())
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
}

/// The error of a message over the limit.
pub(super) fn too_long() -> String {
    format!("the message is longer than the limit of {DEFAULT_LIMIT} bytes")
}

use std::fmt;

pub use super::fault::Fault;
use super::fault::MAX_DEPTH;
use super::wire::first_fault;

/// The bytes are not a readable message: the fault, the message, and the offset.
///
/// It borrows nothing, so `?` converts it into a boxed error.
///
/// It is also the error of getters of text: proto2 allows any bytes in a `string`, and so does this reader, so only
/// access as `&str` checks that they are UTF-8. [`Text::as_bytes`](crate::game::Text::as_bytes) returns the bytes of
/// the field. The offset is then that of the first byte that is not UTF-8, within the text.
///
/// ```
/// use portreeve::game::{Fault, Response};
///
/// // A length of 5, and one byte.
/// let error = Response::parse(b"\x08\x07\x10\x01\xca\x3f\x05a").unwrap_err();
/// assert_eq!(error.fault(), Fault::LengthPastEnd);
/// assert_eq!((error.message(), error.offset()), ("Response", 6));
/// assert_eq!(
///     error.to_string(),
///     "cannot read Response at byte 6: a length runs past the end of the message",
/// );
/// ```
#[derive(Clone, Copy, thiserror::Error)]
#[error("cannot read {message} at byte {offset}: {fault}")]
pub struct DecodeError {
    fault: Fault,
    message: &'static str,
    offset: usize,
    /// The address of the item in memory, for offsets relative to another start.
    address: usize,
}

impl DecodeError {
    /// An error at an item of `bytes`; `rest` is the remainder from that item on.
    #[cold]
    pub(crate) fn new(fault: Fault, message: &'static str, bytes: &[u8], rest: &[u8]) -> Self {
        Self { fault, message, offset: bytes.len() - rest.len(), address: rest.as_ptr() as usize }
    }

    /// An error about text in these bytes, which are not UTF-8.
    #[cold]
    #[inline(never)]
    pub(crate) fn of_text(bytes: &[u8]) -> Self {
        let valid = std::str::from_utf8(bytes);
        let valid = valid.map_or_else(|error| error.valid_up_to(), str::len);
        Self::new(Fault::Text, "string", bytes, &bytes[valid..])
    }

    /// An error at an item of `bytes`: at the start of `rest` if there is a fault, otherwise at the first item
    /// that cannot be read.
    #[cold]
    #[inline(never)]
    pub(crate) fn locate(
        fault: Option<Fault>,
        message: &'static str,
        bytes: &[u8],
        rest: &[u8],
    ) -> Self {
        let first = || first_fault(bytes, MAX_DEPTH);
        let found = fault.map(|fault| (fault, rest)).or_else(first);
        // Both passes read the same items, so the second one finds the fault.
        let (fault, rest) = found.unwrap_or((Fault::Truncated, rest));
        Self::new(fault, message, bytes, rest)
    }

    /// The fault.
    #[inline]
    pub fn fault(&self) -> Fault {
        self.fault
    }

    /// The name in the schema of the message that could not be read, such as `ServerInfo_User`.
    #[inline]
    pub fn message(&self) -> &'static str {
        self.message
    }

    /// The offset of the item that could not be read, in bytes.
    ///
    /// For a view it is relative to its own message, as the view does not know the enclosing message.
    /// [`check`](crate::game::check()), which reads a complete message, counts from the start of that. See
    /// [`within`](Self::within).
    #[inline]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The same error with its offset relative to `outer` if the item lies in `outer`; otherwise the error unchanged.
    #[must_use]
    pub fn within(mut self, outer: &[u8]) -> Self {
        let offset = self.address.checked_sub(outer.as_ptr() as usize);
        if let Some(offset) = offset.filter(|&offset| offset <= outer.len()) {
            self.offset = offset;
        }
        self
    }
}

impl fmt::Debug for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DecodeError")
            .field("fault", &self.fault)
            .field("message", &self.message)
            .field("offset", &self.offset)
            .finish()
    }
}

impl PartialEq for DecodeError {
    fn eq(&self, other: &Self) -> bool {
        (self.fault, self.message, self.offset) == (other.fault, other.message, other.offset)
    }
}

impl Eq for DecodeError {}

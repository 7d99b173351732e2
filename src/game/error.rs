use std::fmt;

use super::MAX_DEPTH;
use super::message::Message;

/// Bytes that are not a readable message: what is wrong, in which message and where.
#[derive(Clone, Copy)]
pub struct DecodeError {
    fault: Fault,
    message: &'static str,
    offset: usize,
    /// Where the item lies in memory, so that the offset can be counted from another start; 0
    /// where it has no place.
    address: usize,
}

impl DecodeError {
    /// `rest` is what was left of `bytes` when the item could not be read.
    #[cold]
    pub(crate) fn new(fault: Fault, message: &'static str, bytes: &[u8], rest: &[u8]) -> Self {
        Self {
            fault,
            message,
            offset: bytes.len() - rest.len(),
            address: rest.as_ptr() as usize,
        }
    }

    /// A message that was not just read lacks a required field.
    #[cold]
    pub(crate) fn missing<'a, M: Message<'a>>(field: &'static str) -> Self {
        Self::new(Fault::MissingRequired(field), M::NAME, &[], &[])
    }

    /// What is wrong.
    #[inline]
    pub fn fault(&self) -> Fault {
        self.fault
    }

    /// The schema's name of the message that could not be read, such as `ServerInfo_User`.
    #[inline]
    pub fn message(&self) -> &'static str {
        self.message
    }

    /// Where the item that could not be read begins, in bytes.
    ///
    /// A view counts from the start of its own message, for it knows nothing of what that lies
    /// in; [`Response::check`](super::Response::check), the JSON writers and whatever else reads
    /// a whole message count from the start of the outermost one. See [`within`](Self::within).
    #[inline]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The same error with its offset counted from the start of `outer`, where the item lies in
    /// `outer`; otherwise the error as it is.
    #[must_use]
    pub fn within(mut self, outer: &[u8]) -> Self {
        let place = self.address.checked_sub(outer.as_ptr() as usize);
        if let Some(offset) = place.filter(|&offset| offset <= outer.len()) {
            self.offset = offset;
        }
        self
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            fault,
            message,
            offset,
            ..
        } = self;
        write!(f, "cannot read {message} at byte {offset}: {fault}")
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

impl std::error::Error for DecodeError {}

impl From<TextError<'_>> for DecodeError {
    #[cold]
    fn from(error: TextError<'_>) -> Self {
        let valid = error.valid_up_to();
        let rest = error.bytes.get(valid..).unwrap_or_default();
        Self::new(Fault::Text, "string", error.bytes, rest)
    }
}

/// What is wrong with the bytes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The message ends within a field.
    Truncated,
    /// A varint of more than ten bytes.
    VarintTooLong,
    /// A tag of more than five bytes, or with bits above the 32nd.
    TagTooLong,
    /// A length of more than five bytes.
    LengthTooLong,
    /// A length that runs past the end of the message.
    LengthPastEnd,
    /// Field number 0.
    FieldNumberZero,
    /// Wire type 6 or 7.
    WireType,
    /// The end of a group that was not begun, or of another one than was begun.
    EndGroup,
    /// Messages or groups nested deeper than [`MAX_DEPTH`](super::MAX_DEPTH).
    TooDeep,
    /// A required field is absent; its name in the schema.
    MissingRequired(&'static str),
    /// Text that is not UTF-8. Only getters of text say so: the encoding itself allows any bytes.
    Text,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Truncated => "the message ends within a field",
            Self::VarintTooLong => "a varint is longer than ten bytes",
            Self::TagTooLong => "a tag is longer than 32 bits",
            Self::LengthTooLong => "a length is longer than five bytes",
            Self::LengthPastEnd => "a length runs past the end of the message",
            Self::FieldNumberZero => "field number 0 does not exist",
            Self::WireType => "wire types 6 and 7 do not exist",
            Self::EndGroup => "the end of a group that is not open",
            Self::TooDeep => return write!(f, "nested deeper than {MAX_DEPTH} levels"),
            Self::MissingRequired(field) => {
                return write!(f, "the required field `{field}` is missing");
            }
            Self::Text => "text is not UTF-8",
        })
    }
}

/// Text that is not UTF-8, with its bytes.
///
/// proto2 lets any bytes stand in a `string`, and so does this reader; only who asks for a `&str`
/// meets this error. It turns into a [`DecodeError`] with `?`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TextError<'a> {
    bytes: &'a [u8],
}

impl<'a> TextError<'a> {
    #[cold]
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// The field's bytes as they came.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// How many of the bytes, from the first, are UTF-8.
    pub fn valid_up_to(&self) -> usize {
        std::str::from_utf8(self.bytes).map_or_else(|error| error.valid_up_to(), str::len)
    }
}

impl fmt::Display for TextError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let valid = self.valid_up_to();
        write!(f, "text is not UTF-8 from its byte {valid} on")
    }
}

impl fmt::Debug for TextError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TextError(b\"{}\")", self.bytes.escape_ascii())
    }
}

impl std::error::Error for TextError<'_> {}

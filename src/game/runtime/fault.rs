/// The maximum nesting of sub-messages and groups below the outermost message when a complete message is read:
/// the limit of Google's libraries.
pub const MAX_DEPTH: u32 = 100;

/// A fault in the bytes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The message ends within a field.
    #[error("the message ends within a field")]
    Truncated,
    /// A varint of more than ten bytes.
    #[error("a varint is longer than ten bytes")]
    VarintTooLong,
    /// A tag of more than five bytes, or with bits above the 32nd.
    #[error("a tag is longer than 32 bits")]
    TagTooLong,
    /// A length of more than five bytes.
    #[error("a length is longer than five bytes")]
    LengthTooLong,
    /// A length that runs past the end of the message.
    #[error("a length runs past the end of the message")]
    LengthPastEnd,
    /// Field number 0.
    #[error("field number 0 is not valid")]
    FieldNumberZero,
    /// Wire type 6 or 7.
    #[error("wire types 6 and 7 are not valid")]
    WireType,
    /// The end of a group that is not open, or of another group than the open one.
    #[error("a group ends that is not open")]
    EndGroup,
    /// Messages or groups nested deeper than [`MAX_DEPTH`](crate::game::MAX_DEPTH).
    #[error("the nesting is deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// A required field is absent; its name in the schema.
    #[error("the required field `{0}` is missing")]
    MissingRequired(&'static str),
    /// Text that is not UTF-8. Only getters of text report it: the encoding allows any bytes.
    #[error("text is not UTF-8")]
    Text,
}

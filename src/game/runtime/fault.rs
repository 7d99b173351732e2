use std::fmt;

/// The maximum nesting of sub-messages and groups below the outermost message when a complete message is read:
/// the limit of Google's libraries.
pub const MAX_DEPTH: u32 = 100;

/// A fault in the bytes of a message.
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
    /// The end of a group that is not open, or of another group than the open one.
    EndGroup,
    /// Messages or groups nested deeper than [`MAX_DEPTH`](crate::game::MAX_DEPTH).
    TooDeep,
    /// A required field is absent; its name in the schema.
    MissingRequired(&'static str),
    /// Text that is not UTF-8. Only getters of text report it: the encoding allows any bytes.
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
            Self::FieldNumberZero => "field number 0 is not valid",
            Self::WireType => "wire types 6 and 7 are not valid",
            Self::EndGroup => "a group ends that is not open",
            Self::TooDeep => return write!(f, "the nesting is deeper than {MAX_DEPTH} levels"),
            Self::MissingRequired(field) => {
                return write!(f, "the required field `{field}` is missing");
            }
            Self::Text => "text is not UTF-8",
        })
    }
}

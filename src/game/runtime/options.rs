/// How many levels of sub-messages and groups may lie below the outermost message when a whole
/// message is read: the limit of Google's libraries.
pub const MAX_DEPTH: u32 = 100;

/// How strictly to read.
#[derive(Clone, Copy, Debug)]
pub struct DecodeOptions {
    /// How many levels of messages and groups may lie below this one.
    pub(crate) depth: u32,
    /// Whether required fields must be there.
    pub(crate) required: bool,
}

impl DecodeOptions {
    /// For a view: sub-messages are not read, and required fields may be absent.
    pub(crate) const VIEW: Self = Self {
        depth: MAX_DEPTH,
        required: false,
    };

    /// For reading a whole message as Google's libraries do.
    pub(crate) const FULL: Self = Self {
        depth: MAX_DEPTH,
        required: true,
    };

    /// The options for what lies one level deeper; `None` if that is too deep.
    pub(crate) fn descend(self) -> Option<Self> {
        let depth = self.depth.checked_sub(1)?;
        Some(Self { depth, ..self })
    }
}

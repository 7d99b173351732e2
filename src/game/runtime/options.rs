/// The maximum nesting of sub-messages and groups below the outermost message when a complete message is read:
/// the limit of Google's libraries.
pub const MAX_DEPTH: u32 = 100;

/// How strictly to read.
#[derive(Clone, Copy, Debug)]
pub struct DecodeOptions {
    /// The remaining levels of messages and groups below this one.
    pub(crate) depth: u32,
    /// Whether required fields must be present.
    pub(crate) required: bool,
}

impl DecodeOptions {
    /// For a view: sub-messages are not read, and required fields may be absent.
    pub(crate) const VIEW: Self = Self {
        depth: MAX_DEPTH,
        required: false,
    };

    /// For reading a complete message as Google's libraries do.
    pub(crate) const FULL: Self = Self {
        depth: MAX_DEPTH,
        required: true,
    };

    /// The options one level deeper; `None` if that is too deep.
    pub(crate) fn descend(self) -> Option<Self> {
        let depth = self.depth.checked_sub(1)?;
        Some(Self { depth, ..self })
    }
}

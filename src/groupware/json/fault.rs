//! Errors in JSON text.

/// An error in a text, and the byte at which it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason} at byte {at}")]
pub(crate) struct JsonFault {
    pub(crate) at: usize,
    pub(crate) reason: Stop,
}

/// Why a cursor stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Stop {
    #[error("not UTF-8")]
    Utf8,
    #[error("an unknown escape")]
    Escape,
    #[error("a control character in a string")]
    Control,
    #[error("a string without end")]
    Unterminated,
    #[error("no value")]
    Value,
    #[error("no digit in a number")]
    Digit,
    #[error("no key")]
    Key,
    #[error("no colon after a key")]
    Colon,
    #[error("no comma, and no end of an object or array")]
    Comma,
    #[error("nested too deeply")]
    Depth,
    #[error("more than one value")]
    Trailing,
    /// It is JSON, but not the expected value.
    #[error("{0}")]
    Unexpected(&'static str),
}

use std::fmt;

use crate::game::runtime::error::DecodeError;

/// Why a message could not be written as JSON.
#[derive(Debug)]
pub enum JsonError<E> {
    /// The message cannot be read.
    Decode(DecodeError),
    /// The output failed.
    Output(E),
}

impl<E: fmt::Display> fmt::Display for JsonError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Decode(error) => fmt::Display::fmt(error, f),
            Self::Output(error) => write!(f, "cannot write JSON: {error}"),
        }
    }
}

impl<E: std::error::Error + 'static> std::error::Error for JsonError<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Decode(error) => Some(error),
            Self::Output(error) => Some(error),
        }
    }
}

impl<E> From<DecodeError> for JsonError<E> {
    fn from(error: DecodeError) -> Self {
        Self::Decode(error)
    }
}

impl From<fmt::Error> for JsonError<fmt::Error> {
    fn from(error: fmt::Error) -> Self {
        Self::Output(error)
    }
}

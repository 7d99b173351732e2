use std::fmt;

use crate::game::runtime::error::DecodeError;

/// Why a message could not be written as JSON.
#[derive(Debug)]
pub enum JsonError {
    /// The message cannot be read.
    Decode(DecodeError),
    /// The output failed.
    Output(fmt::Error),
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Decode(error) => fmt::Display::fmt(error, f),
            Self::Output(error) => write!(f, "cannot write JSON: {error}"),
        }
    }
}

impl std::error::Error for JsonError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Decode(error) => Some(error),
            Self::Output(error) => Some(error),
        }
    }
}

impl From<DecodeError> for JsonError {
    fn from(error: DecodeError) -> Self {
        Self::Decode(error)
    }
}

impl From<fmt::Error> for JsonError {
    fn from(error: fmt::Error) -> Self {
        Self::Output(error)
    }
}

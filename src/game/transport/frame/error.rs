use std::fmt;
use std::io;

/// Why a stream cannot be split into messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrameError {
    /// A message is longer than the limit. The messages after it can still be read.
    TooLong {
        /// Its length in bytes.
        length: u32,
        /// The limit in bytes.
        limit: usize,
    },
    /// The stream begins like a greeting, but is not one.
    Greeting,
    /// The stream ends within a message, or within its length.
    Truncated {
        /// The minimum number of missing bytes.
        missing: usize,
    },
}

/// Why no message could be read.
#[derive(Debug)]
pub enum ReadError {
    /// The stream cannot be split into messages.
    Frame(FrameError),
    /// Reading failed.
    Io(io::Error),
}

// === impl FrameError ===

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { length, limit } => write!(
                f,
                "a message of {length} bytes is longer than the limit of {limit}; is this a stream of framed messages?"
            ),
            Self::Greeting => {
                f.write_str("the stream begins with XML that is not the greeting of a game server")
            }
            Self::Truncated { missing } => {
                write!(f, "the stream ends {missing} bytes before the end of a message")
            }
        }
    }
}

impl std::error::Error for FrameError {}

// === impl ReadError ===

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Frame(error) => fmt::Display::fmt(error, f),
            Self::Io(error) => write!(f, "cannot read from the game server: {error}"),
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Frame(error) => Some(error),
            Self::Io(error) => Some(error),
        }
    }
}

impl From<FrameError> for ReadError {
    fn from(error: FrameError) -> Self {
        Self::Frame(error)
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

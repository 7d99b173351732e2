use std::io;

/// Why a stream cannot be split into messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// A message is longer than the limit. The messages after it can still be read.
    #[error(
        "a message of {length} bytes is longer than the limit of {limit}; is this a stream of framed messages?"
    )]
    TooLong {
        /// Its length in bytes.
        length: u32,
        /// The limit in bytes.
        limit: usize,
    },
    /// The stream begins like a greeting, but is not one.
    #[error("the stream begins with XML that is not the greeting of a game server")]
    Greeting,
    /// The stream ends within a message, or within its length.
    #[error("the stream ends {missing} bytes before the end of a message")]
    Truncated {
        /// The minimum number of missing bytes.
        missing: usize,
    },
}

/// Why no message could be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The stream cannot be split into messages.
    #[error("{0}")]
    Frame(#[from] FrameError),
    /// Reading failed.
    #[error("cannot read from the game server: {0}")]
    Io(#[from] io::Error),
}

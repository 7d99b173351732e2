//! Frames: how messages follow each other on a TCP connection.
//!
//! A real stream begins with a greeting of 60 bytes that no length precedes; then each message
//! follows its length, four bytes in big-endian order. Length 0 is an empty message. The greeting
//! is taken where it is present and not required. Over WebSocket there are no frames: one binary
//! message is one [`ServerMessage`](super::ServerMessage).
//!
//! | input | reader | feature |
//! |---|---|---|
//! | a slice | [`Frames`] | `game` |
//! | `std::io::Read` | [`ReadFrames`] | `game` |
//! | any source, by hand | [`Framing::split`] | `game` |
//! | `AsyncRead` | `FrameReader` | `game-tokio` |
//! | tokio-util codec | `FrameCodec` | `game-tokio` |

#[cfg(feature = "game-tokio")]
mod codec;
mod error;
mod read;
#[cfg(feature = "game-tokio")]
mod reader;
mod slice;

#[cfg(feature = "game-tokio")]
pub use codec::FrameCodec;
pub use error::{FrameError, ReadError};
pub use read::ReadFrames;
#[cfg(feature = "game-tokio")]
pub use reader::FrameReader;
pub use slice::{Frame, Frames};

use super::message::Message;

/// The frame limit where none is set: 16 MiB. The largest answers known are replays, of a quarter
/// to a few MiB.
pub const DEFAULT_LIMIT: usize = 16 << 20;

/// Bytes of the length before a message.
pub const HEADER_LEN: usize = 4;

const GREETING_START: &[u8] = b"<?xml version=\"1.0\"?><cockatrice_server_stream version=\"";
const GREETING_END: &[u8] = b"\">";
/// Digits that the version in a greeting may have.
const VERSION_DIGITS: usize = 9;

/// Where in a stream the reader stands, and how long a message may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Framing {
    limit: usize,
    started: bool,
}

impl Framing {
    /// At the start of a stream, with the limit [`DEFAULT_LIMIT`].
    pub const fn new() -> Self {
        Self::with_limit(DEFAULT_LIMIT)
    }

    /// At the start of a stream; messages may have `limit` bytes at most.
    pub const fn with_limit(limit: usize) -> Self {
        Self {
            limit,
            started: false,
        }
    }

    /// Takes one item off the front of `bytes`.
    ///
    /// # Errors
    /// [`FrameError`] where a message is longer than the limit, and where something that begins
    /// like the greeting is not one.
    #[inline]
    pub fn split<'a>(&mut self, bytes: &'a [u8]) -> Result<Split<'a>, FrameError> {
        if !self.started && !bytes.is_empty() {
            match greeting(bytes)? {
                Start::Greeting(greeting, rest) => {
                    self.started = true;
                    return Ok(Split::Greeting(greeting, rest));
                }
                Start::Incomplete(missing) => return Ok(Split::Incomplete { missing }),
                Start::Frame => {}
            }
        }
        let Some((header, rest)) = bytes.split_first_chunk::<HEADER_LEN>() else {
            let missing = HEADER_LEN - bytes.len();
            return Ok(Split::Incomplete { missing });
        };
        self.started = true;
        let length = u32::from_be_bytes(*header);
        let wanted = usize::try_from(length).unwrap_or(usize::MAX);
        if wanted > self.limit {
            let limit = self.limit;
            return Err(FrameError::TooLong { length, limit });
        }
        match rest.split_at_checked(wanted) {
            Some((message, rest)) => Ok(Split::Message(message, rest)),
            None => Ok(Split::Incomplete {
                missing: wanted - rest.len(),
            }),
        }
    }
}

impl Default for Framing {
    fn default() -> Self {
        Self::new()
    }
}

/// What [`Framing::split`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split<'a> {
    /// The greeting, and what follows it.
    Greeting(Greeting, &'a [u8]),
    /// A message, and what follows it.
    Message(&'a [u8], &'a [u8]),
    /// Not enough bytes yet.
    Incomplete {
        /// How many more there must be at least.
        missing: usize,
    },
}

/// The greeting that a server sends first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Greeting {
    /// Number of the protocol, 14 at the time of writing.
    pub version: u32,
}

/// Appends a message to `out` as a frame.
///
/// # Panics
/// Where the message has 4 GiB or more, which no length can say.
pub fn append<'a, M: Message<'a>>(message: &M, out: &mut Vec<u8>) {
    let length = u32::try_from(message.encoded_len()).expect("a message of less than 4 GiB");
    out.reserve(HEADER_LEN + length as usize);
    out.extend_from_slice(&length.to_be_bytes());
    message.encode(out);
}

/// The greeting of a server with this number of the protocol.
pub fn greeting_of(version: u32) -> Vec<u8> {
    [GREETING_START, version.to_string().as_bytes(), GREETING_END].concat()
}

enum Start<'a> {
    Greeting(Greeting, &'a [u8]),
    Incomplete(usize),
    Frame,
}

/// No frame begins like the greeting: its length would be above 1 GB.
fn greeting(bytes: &[u8]) -> Result<Start<'_>, FrameError> {
    let known = bytes.len().min(GREETING_START.len());
    if bytes[..known] != GREETING_START[..known] {
        let looks_like_it =
            bytes.len() >= HEADER_LEN && bytes.starts_with(&GREETING_START[..HEADER_LEN]);
        return if looks_like_it {
            Err(FrameError::Greeting)
        } else {
            Ok(Start::Frame)
        };
    }
    let rest = &bytes[known..];
    let shortest = GREETING_START.len() + 1 + GREETING_END.len();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (version, end) = rest.split_at(digits);
    if digits > VERSION_DIGITS || (digits == 0 && !rest.is_empty()) {
        return Err(FrameError::Greeting);
    }
    if let Some(rest) = end.strip_prefix(GREETING_END) {
        let version = version
            .iter()
            .fold(0, |version, digit| version * 10 + u32::from(digit - b'0'));
        return Ok(Start::Greeting(Greeting { version }, rest));
    }
    if !GREETING_END.starts_with(end) {
        return Err(FrameError::Greeting);
    }
    let missing = shortest
        .saturating_sub(bytes.len())
        .max(GREETING_END.len() - end.len());
    Ok(Start::Incomplete(missing))
}

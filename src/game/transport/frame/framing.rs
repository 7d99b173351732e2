use super::error::FrameError;
use super::greeting::{Start, start_of};

/// The default limit on a message: 16 MiB. The largest known answers are replays, of a quarter to a few MiB.
pub const DEFAULT_LIMIT: usize = 16 << 20;

/// The size of the length before a message, in bytes.
pub const HEADER_LEN: usize = 4;

/// The state of splitting a stream into messages: whether it has begun, and how long a message may be.
///
/// The readers of this module use it. It can be used directly with any source of bytes, such as a socket of one's own:
///
/// ```
/// use portreeve::game::frame::{Framing, Split};
///
/// let mut framing = Framing::default();
/// // What has arrived so far: a message, and the length of the next one.
/// let mut rest = &b"\0\0\0\x02\x08\x01\0\0\0\x07"[..];
/// let mut messages = Vec::new();
/// let missing = loop {
///     match framing.split(rest)? {
///         Split::Message(message, after) => {
///             messages.push(message);
///             rest = after;
///         }
///         Split::Greeting(after) => rest = after,
///         // Keep `rest`, and read at least this many bytes more.
///         Split::Incomplete { missing } => break missing,
///     }
/// };
/// assert_eq!((messages, missing), (vec![&b"\x08\x01"[..]], 7));
/// # Ok::<(), portreeve::game::frame::FrameError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Framing {
    limit: usize,
    started: bool,
}

/// The result of [`Framing::split`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split<'a> {
    /// The greeting was first; the bytes after it. One within a stream is where the recording of another connection begins.
    Greeting(&'a [u8]),
    /// A message, and the bytes after it.
    Message(&'a [u8], &'a [u8]),
    /// Not enough bytes yet.
    Incomplete {
        /// The minimum number of further bytes needed.
        missing: usize,
    },
}

impl Framing {
    /// The state at the start of a stream, for messages of at most `limit` bytes.
    pub const fn with_limit(limit: usize) -> Self {
        Self { limit, started: false }
    }

    /// Splits one item off the front of `bytes`.
    ///
    /// # Errors
    /// [`FrameError`] if a message is longer than the limit, or if the stream begins like a greeting but is not one.
    #[inline]
    pub fn split<'a>(&mut self, bytes: &'a [u8]) -> Result<Split<'a>, FrameError> {
        if !self.started && !bytes.is_empty() {
            match start_of(bytes)? {
                Start::Greeting(rest) => {
                    self.started = true;
                    return Ok(Split::Greeting(rest));
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
            // No length within a limit begins like a greeting.
            match start_of(bytes) {
                Ok(Start::Greeting(rest)) => return Ok(Split::Greeting(rest)),
                Ok(Start::Incomplete(missing)) => return Ok(Split::Incomplete { missing }),
                Ok(Start::Frame) | Err(_) => {}
            }
            let limit = self.limit;
            return Err(FrameError::TooLong { length, limit });
        }
        match rest.split_at_checked(wanted) {
            Some((message, rest)) => Ok(Split::Message(message, rest)),
            None => Ok(Split::Incomplete { missing: wanted - rest.len() }),
        }
    }
}

impl Default for Framing {
    /// The state at the start of a stream, with [`DEFAULT_LIMIT`].
    fn default() -> Self {
        Self::with_limit(DEFAULT_LIMIT)
    }
}

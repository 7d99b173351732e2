use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

use super::error::{FrameError, ReadError};
use super::framing::{Framing, Split};
use super::greeting::Greeting;

/// The minimum size of a read, in bytes.
const CHUNK: usize = 8 << 10;

/// Reads messages from a TCP connection or any other [`AsyncRead`].
///
/// The buffer grows with the bytes that arrive, never with a length that a peer merely claims, and not
/// beyond the limit. [`next`](Self::next) is cancel-safe.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), portreeve::game::frame::ReadError> {
/// use portreeve::game::frame::AsyncFrameReader;
/// use portreeve::game::{MessageType, ServerMessage};
///
/// let stream = &b"\0\0\0\x02\x08\x01"[..];
/// let mut frames = AsyncFrameReader::new(stream);
/// while let Some(frame) = frames.next().await? {
///     let message = ServerMessage::parse(frame).expect("a readable message");
///     assert_eq!(message.message_type(), MessageType::SessionEvent);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct AsyncFrameReader<R> {
    source: R,
    framing: Framing,
    greeting: Option<Greeting>,
    buffer: Vec<u8>,
    /// How many bytes of the buffer have been returned.
    consumed: usize,
}

impl<R: AsyncRead + Unpin> AsyncFrameReader<R> {
    /// A reader at the start of a stream.
    pub fn new(source: R) -> Self {
        Self::with_framing(source, Framing::new())
    }

    /// A reader with another limit, or that starts within the stream.
    pub fn with_framing(source: R, framing: Framing) -> Self {
        Self {
            source,
            framing,
            greeting: None,
            buffer: Vec::new(),
            consumed: 0,
        }
    }

    /// The greeting, once the first message has been read.
    pub fn greeting(&self) -> Option<Greeting> {
        self.greeting
    }

    /// The next message; `None` if the stream ends after a whole message.
    ///
    /// # Errors
    /// [`ReadError::Frame`] if the stream cannot be split into messages, or ends within one;
    /// [`ReadError::Io`] if reading fails. After a [`ReadError::Frame`] nothing more can be read.
    pub async fn next(&mut self) -> Result<Option<&[u8]>, ReadError> {
        let (start, end) = loop {
            let bytes = &self.buffer[self.consumed..];
            match self.framing.split(bytes)? {
                Split::Message(message, rest) => {
                    let end = self.buffer.len() - rest.len();
                    break (end - message.len(), end);
                }
                Split::Greeting(greeting, rest) => {
                    self.greeting = Some(greeting);
                    self.consumed = self.buffer.len() - rest.len();
                }
                Split::Incomplete { missing } => {
                    if !self.fill(missing).await? {
                        return if self.consumed == self.buffer.len() {
                            Ok(None)
                        } else {
                            Err(FrameError::Truncated { missing }.into())
                        };
                    }
                }
            }
        };
        self.consumed = end;
        Ok(Some(&self.buffer[start..end]))
    }

    /// The source, and the bytes that were read from it but not returned.
    pub fn into_parts(self) -> (R, Vec<u8>) {
        let mut rest = self.buffer;
        rest.drain(..self.consumed);
        (self.source, rest)
    }

    /// Reads once; `false` at the end of the source.
    async fn fill(&mut self, missing: usize) -> io::Result<bool> {
        self.buffer.drain(..self.consumed);
        self.consumed = 0;
        self.buffer.reserve(missing.min(CHUNK));
        Ok(self.source.read_buf(&mut self.buffer).await? != 0)
    }
}

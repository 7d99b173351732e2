use std::io::{self, Read};

use super::error::{FrameError, ReadError};
use super::framing::{Framing, HEADER_LEN, Split};
use super::slice::Frame;

const CHUNK: usize = 256 << 10;

/// Reads messages from a file, a pipe or any other [`Read`], in constant memory.
///
/// It buffers by itself: the source need not. A message over the limit is an error, and the next call skips it.
#[derive(Debug)]
pub struct FrameReader<R> {
    source: R,
    framing: Framing,
    buffer: Vec<u8>,
    /// The part of the buffer that has not been returned yet.
    start: usize,
    end: usize,
    /// The offset of the buffer in the stream.
    offset: usize,
    /// The number of bytes to skip before the next frame.
    skip: usize,
}

impl<R: Read> FrameReader<R> {
    /// A reader at the start of a stream.
    pub fn new(source: R) -> Self {
        Self::with_framing(source, Framing::default())
    }

    /// A reader with another limit, or that starts within the stream.
    pub fn with_framing(source: R, framing: Framing) -> Self {
        Self { source, framing, buffer: vec![0; CHUNK], start: 0, end: 0, offset: 0, skip: 0 }
    }

    /// The offset of the next item in the stream, in bytes.
    pub fn offset(&self) -> usize {
        self.offset + self.start
    }

    /// The next message; `None` if the stream ends after a whole message.
    ///
    /// # Errors
    /// [`ReadError::Frame`] if the stream cannot be split into messages, or ends within one;
    /// [`ReadError::Io`] if reading fails. Reading can continue only after [`FrameError::TooLong`].
    // Not an iterator: a message lies in the buffer until the next call.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<Frame<'_>>, ReadError> {
        let (start, end) = loop {
            // If the source ends within a message over the limit, that was one error.
            if !self.skip_rest()? {
                return Ok(None);
            }
            let bytes = &self.buffer[self.start..self.end];
            match self.framing.split(bytes) {
                Ok(Split::Message(message, rest)) => {
                    let end = self.end - rest.len();
                    break (end - message.len(), end);
                }
                Ok(Split::Greeting(rest)) => self.start = self.end - rest.len(),
                Ok(Split::Incomplete { missing }) => {
                    if !self.fill(missing)? {
                        let is_whole = self.start == self.end;
                        self.start = self.end;
                        let error = FrameError::Truncated { missing };
                        return if is_whole { Ok(None) } else { Err(error.into()) };
                    }
                }
                Err(error) => {
                    if let FrameError::TooLong { length, .. } = error {
                        self.skip = HEADER_LEN + length as usize;
                    } else {
                        self.start = self.end;
                    }
                    return Err(error.into());
                }
            }
        };
        self.start = end;
        Ok(Some(Frame { offset: self.offset + start, message: &self.buffer[start..end] }))
    }

    /// Skips the rest of a message; `false` if the source ends first.
    fn skip_rest(&mut self) -> io::Result<bool> {
        while self.skip > 0 {
            if self.start == self.end && !self.fill(1)? {
                return Ok(false);
            }
            let here = self.skip.min(self.end - self.start);
            self.start += here;
            self.skip -= here;
        }
        Ok(true)
    }

    /// Reads once, after making room for `missing` bytes or doubling the buffer; `false` at the end.
    fn fill(&mut self, missing: usize) -> io::Result<bool> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.offset += self.start;
        self.end -= self.start;
        self.start = 0;
        if self.buffer.len() - self.end < missing.min(CHUNK) {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(read) => {
                    self.end += read;
                    return Ok(read != 0);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

use super::error::FrameError;
use super::framing::{Framing, HEADER_LEN, Split};

/// The messages of a stream in memory, such as a recording.
///
/// A message over the limit is an error, and is skipped. If the stream ends within a message, the last item is an error.
#[derive(Clone, Debug)]
pub struct Frames<'a> {
    rest: &'a [u8],
    length: usize,
    framing: Framing,
}

/// A message of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Frame<'a> {
    /// The offset of the message in the stream, after its length, in bytes.
    pub offset: usize,
    /// The message.
    pub message: &'a [u8],
}

impl<'a> Frames<'a> {
    /// The messages of a stream, from its start.
    pub fn new(stream: &'a [u8]) -> Self {
        Self::with_framing(stream, Framing::default())
    }

    /// The messages of a stream, with another limit, or starting within the stream.
    pub fn with_framing(stream: &'a [u8], framing: Framing) -> Self {
        Self { rest: stream, length: stream.len(), framing }
    }

    /// The offset of the next item in the stream, in bytes.
    pub fn offset(&self) -> usize {
        self.length - self.rest.len()
    }

    fn skip(&mut self, length: u32) {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let rest = self.rest.get(HEADER_LEN..).unwrap_or_default();
        self.rest = rest.get(length..).unwrap_or_default();
    }
}

impl<'a> Iterator for Frames<'a> {
    type Item = Result<Frame<'a>, FrameError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            let offset = self.offset() + HEADER_LEN;
            match self.framing.split(self.rest) {
                Ok(Split::Message(message, rest)) => {
                    self.rest = rest;
                    return Some(Ok(Frame { offset, message }));
                }
                Ok(Split::Greeting(rest)) => self.rest = rest,
                Ok(Split::Incomplete { missing }) => {
                    self.rest = &[];
                    return Some(Err(FrameError::Truncated { missing }));
                }
                Err(error) => {
                    match error {
                        FrameError::TooLong { length, .. } => self.skip(length),
                        _ => self.rest = &[],
                    }
                    return Some(Err(error));
                }
            }
        }
    }
}

impl std::iter::FusedIterator for Frames<'_> {}

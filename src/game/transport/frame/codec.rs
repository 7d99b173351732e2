use bytes::{Buf, BufMut, Bytes, BytesMut};
use tokio_util::codec::{Decoder, Encoder};

use super::error::{FrameError, ReadError};
use super::framing::{Framing, HEADER_LEN, Split};

/// The maximum number of bytes that are reserved at once, whatever a length claims.
const CHUNK: usize = 64 << 10;

/// A codec for [`FramedRead`](tokio_util::codec::FramedRead) and [`Framed`](tokio_util::codec::Framed), over a TCP
/// connection or any other `AsyncRead`: each item is the bytes of one message.
///
/// The buffer grows with the bytes that arrive, never with a length that a peer merely claims, and not beyond the
/// limit. After a [`ReadError::Frame`] nothing more can be read. Encoding adds the length; the greeting is never sent.
#[derive(Clone, Debug, Default)]
pub struct FrameCodec {
    framing: Framing,
}

impl FrameCodec {
    /// A codec with another limit, or that starts within the stream.
    pub fn with_framing(framing: Framing) -> Self {
        Self { framing }
    }
}

impl Decoder for FrameCodec {
    type Item = Bytes;
    type Error = ReadError;

    fn decode(&mut self, buffer: &mut BytesMut) -> Result<Option<Bytes>, ReadError> {
        loop {
            match self.framing.split(buffer)? {
                Split::Message(message, _) => {
                    let length = message.len();
                    buffer.advance(HEADER_LEN);
                    return Ok(Some(buffer.split_to(length).freeze()));
                }
                Split::Greeting(rest) => {
                    let length = buffer.len() - rest.len();
                    buffer.advance(length);
                }
                Split::Incomplete { missing } => {
                    buffer.reserve(missing.min(CHUNK));
                    return Ok(None);
                }
            }
        }
    }

    fn decode_eof(&mut self, buffer: &mut BytesMut) -> Result<Option<Bytes>, ReadError> {
        match self.decode(buffer)? {
            None if !buffer.is_empty() => match self.framing.split(buffer)? {
                Split::Incomplete { missing } => Err(FrameError::Truncated { missing }.into()),
                _ => Ok(None),
            },
            item => Ok(item),
        }
    }
}

impl<M: AsRef<[u8]>> Encoder<M> for FrameCodec {
    type Error = ReadError;

    fn encode(&mut self, message: M, buffer: &mut BytesMut) -> Result<(), ReadError> {
        let message = message.as_ref();
        let length = u32::try_from(message.len())
            .map_err(|_| FrameError::TooLong { length: u32::MAX, limit: u32::MAX as usize })?;
        buffer.reserve(HEADER_LEN + message.len());
        buffer.put_u32(length);
        buffer.put_slice(message);
        Ok(())
    }
}

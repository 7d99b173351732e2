//! One direction of a WebSocket connection, as it was on the wire (RFC 6455, section 5).
//!
//! Only the headers of frames are parsed by tungstenite, whose message reader is for live connections: it reports no
//! offsets, refuses frames masked for the other direction, answers pings, and fails at a message that is too long,
//! whereas this reader continues after it.

use std::io::{self, BufRead, Cursor, Read, Write};

use portreeve::game::frame::DEFAULT_LIMIT;
use tokio_tungstenite::tungstenite::protocol::frame::FrameHeader;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use super::input::{Item, Stream, too_long};

const HEAD: u64 = 64 << 10;
const CONTINUATION: OpCode = OpCode::Data(Data::Continue);
const BINARY: OpCode = OpCode::Data(Data::Binary);

const INCOMPLETE: &str = "the input ends within a frame";
const NOT_A_FRAME: &str = "this is not a WebSocket frame";

impl<R: Read> Stream<R> {
    /// The next binary message, joined and unmasked; texts, pings and the HTTP head are skipped.
    pub(super) fn next_message(&mut self) -> io::Result<Option<Item<'_>>> {
        let mut start = None;
        // The size of a message that is too long, whose frames are skipped.
        let mut excess = None;
        let (at, reason) = loop {
            let at = self.offset;
            let (header, length) = match self.frame()? {
                Ok(Some(frame)) => frame,
                Ok(None) if start.is_none() => return Ok(None),
                Ok(None) => break (at, "the input ends within a message"),
                Err(reason) => break (at, reason),
            };
            let taken = match header.opcode {
                CONTINUATION => start.is_some(),
                BINARY if start.is_some() => break (at, "a message begins inside another one"),
                BINARY => {
                    start = Some(at);
                    self.message.clear();
                    true
                }
                _ => false,
            };
            let room = (DEFAULT_LIMIT - self.message.len()) as u64;
            if taken && excess.is_none() && length > room {
                excess = Some(self.message.len().saturating_add(length as usize));
            }
            if !self.payload(&header, length, taken && excess.is_none())? {
                break (at, INCOMPLETE);
            }
            if let Some(offset) = start.filter(|_| taken && header.is_final) {
                return Ok(Some(match excess {
                    Some(size) => Item::unreadable(offset, size, too_long()),
                    None => Item::new(offset, &self.message),
                }));
            }
        };
        // Where the next frame begins is not known.
        self.done = true;
        Ok(Some(match (start, excess) {
            (Some(offset), Some(size)) => Item::unreadable(offset, size, too_long()),
            _ => Item::unreadable(at, 0, reason),
        }))
    }

    /// The header of the next frame, and the length of its payload; the first one may follow an HTTP head.
    fn frame(&mut self) -> io::Result<Result<Option<(FrameHeader, u64)>, &'static str>> {
        let mut bytes = Vec::new();
        loop {
            match bytes[..] {
                [b'H', b'T'] | [b'G', b'E'] if self.offset == bytes.len() => {
                    if !self.skip_head()? {
                        return Ok(Err("the HTTP head has no end"));
                    }
                    bytes.clear();
                }
                [flags, _] if flags & 0x70 != 0 || !matches!(flags & 0x0f, 0..=2 | 8..=10) => {
                    return Ok(Err(NOT_A_FRAME));
                }
                _ => {}
            }
            match FrameHeader::parse(&mut Cursor::new(&bytes)) {
                Ok(None) => {}
                Ok(frame) => return Ok(Ok(frame)),
                Err(_) => return Ok(Err(NOT_A_FRAME)),
            }
            match (&mut self.source).bytes().next().transpose()? {
                Some(byte) => bytes.push(byte),
                None if bytes.is_empty() => return Ok(Ok(None)),
                None => return Ok(Err(INCOMPLETE)),
            }
            self.offset += 1;
        }
    }

    /// Appends the payload to the message, or skips it; `false` if the input ends before.
    fn payload(&mut self, header: &FrameHeader, length: u64, taken: bool) -> io::Result<bool> {
        let from = self.message.len();
        let mut payload = (&mut self.source).take(length);
        let to: &mut dyn Write = if taken { &mut self.message } else { &mut io::sink() };
        let read = io::copy(&mut payload, to)?;
        self.offset += read as usize;
        let mask = header.mask.unwrap_or_default();
        for (byte, mask) in self.message[from..].iter_mut().zip(mask.iter().cycle()) {
            *byte ^= mask;
        }
        Ok(read == length)
    }

    /// Skips to the end of the empty line; `false` if there is none.
    fn skip_head(&mut self) -> io::Result<bool> {
        let mut head = Vec::new();
        let mut source = (&mut self.source).take(HEAD);
        while source.read_until(b'\n', &mut head)? > 0 {
            if head.ends_with(b"\r\n\r\n") {
                self.offset += head.len();
                return Ok(true);
            }
        }
        Ok(false)
    }
}

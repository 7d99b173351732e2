//! One direction of a WebSocket connection, as it was on the wire (RFC 6455, section 5).
//!
//! Only the headers of frames are parsed by tungstenite, whose message reader is for live connections: it reports no
//! offsets, refuses frames masked for the other direction, answers pings, and fails at a message that is too long,
//! whereas this reader continues after it.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use portreeve::game::frame::DEFAULT_LIMIT;
use tokio_tungstenite::tungstenite::protocol::frame::FrameHeader;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use super::item::Item;

const HEAD: u64 = 64 << 10;
const CONTINUATION: OpCode = OpCode::Data(Data::Continue);
const BINARY: OpCode = OpCode::Data(Data::Binary);

const INCOMPLETE: &str = "the input ends within a frame";
const NOT_A_FRAME: &str = "this is not a WebSocket frame";

/// The binary messages of a connection, joined and unmasked; texts, pings and the HTTP head are skipped.
pub(super) struct WebSocket<R> {
    source: BufReader<R>,
    /// How many bytes were read.
    offset: usize,
    message: Vec<u8>,
    done: bool,
}

struct Frame {
    header: FrameHeader,
    /// Of its payload, in bytes.
    length: u64,
}

// === impl WebSocket ===

impl<R: Read> WebSocket<R> {
    pub(super) fn new(source: R) -> Self {
        Self {
            source: BufReader::new(source),
            offset: 0,
            message: Vec::new(),
            done: false,
        }
    }

    /// The next message; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Item<'_>>> {
        if self.done {
            return Ok(None);
        }
        let mut start = None;
        loop {
            let at = self.offset;
            let frame = match self.frame()? {
                Ok(Some(frame)) => frame,
                Ok(None) if start.is_none() => return Ok(None),
                Ok(None) => return Ok(self.end(at, "the input ends within a message")),
                Err(reason) => return Ok(self.end(at, reason)),
            };
            let begun = start.is_some();
            let taken = match frame.header.opcode {
                CONTINUATION => begun,
                BINARY if begun => return Ok(self.end(at, "a message begins inside another one")),
                BINARY => {
                    start = Some(at);
                    self.message.clear();
                    true
                }
                _ => false,
            };
            if taken && frame.length > (DEFAULT_LIMIT - self.message.len()) as u64 {
                let start = start.take().unwrap_or(at);
                let size = self.message.len().saturating_add(frame.length as usize);
                if !self.payload(&frame, false)? || !self.skip_rest(frame.header.is_final)? {
                    self.done = true;
                }
                return Ok(Some(Item::too_long(start, size)));
            }
            if !self.payload(&frame, taken)? {
                return Ok(self.end(at, INCOMPLETE));
            }
            if let Some(offset) = start.filter(|_| taken && frame.header.is_final) {
                return Ok(Some(Item::new(offset, &self.message)));
            }
        }
    }

    /// Stops at a frame that cannot be read: where the next one begins is not known.
    fn end<'i>(&mut self, offset: usize, reason: &str) -> Option<Item<'i>> {
        self.done = true;
        Some(Item::unreadable(offset, 0, reason))
    }

    /// The header of the next frame; the first one may follow an HTTP head.
    fn frame(&mut self) -> io::Result<Result<Option<Frame>, &'static str>> {
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
                Ok(Some((header, length))) => return Ok(Ok(Some(Frame { header, length }))),
                Ok(None) => {}
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
    fn payload(&mut self, frame: &Frame, taken: bool) -> io::Result<bool> {
        let from = self.message.len();
        let mut payload = (&mut self.source).take(frame.length);
        let read = if taken {
            io::copy(&mut payload, &mut self.message)?
        } else {
            io::copy(&mut payload, &mut io::sink())?
        };
        self.offset += read as usize;
        let mask = frame.header.mask.unwrap_or_default();
        for (byte, mask) in self.message[from..].iter_mut().zip(mask.iter().cycle()) {
            *byte ^= mask;
        }
        Ok(read == frame.length)
    }

    /// Skips the other frames of a message; `false` if it does not end.
    fn skip_rest(&mut self, mut last: bool) -> io::Result<bool> {
        while !last {
            match self.frame()? {
                Ok(Some(frame)) if self.payload(&frame, false)? => {
                    last = frame.header.opcode == CONTINUATION && frame.header.is_final;
                }
                _ => return Ok(false),
            }
        }
        Ok(true)
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

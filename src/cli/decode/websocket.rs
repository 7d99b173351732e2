//! One direction of a WebSocket connection, as it was on the wire (RFC 6455, section 5).
//!
//! By hand, since tungstenite, which the client of the game uses, reads connections and not recordings: it
//! tells no offsets, knows which side it is on and refuses the masks of the other, answers pings, and ends at
//! a message that is too long, where this goes on behind it.

use std::io::{self, Read};

use portreeve::game::frame::DEFAULT_LIMIT;

/// The longest HTTP head that may stand before the frames.
const HEAD: usize = 64 << 10;
const CONTINUATION: u8 = 0;
const BINARY: u8 = 2;

/// The binary messages of a connection: frames joined, masks taken off, what else is sent (text,
/// pings, the HTTP head) passed over.
pub(super) struct WebSocket<R> {
    source: R,
    /// How many bytes were read.
    offset: usize,
    message: Vec<u8>,
    done: bool,
}

/// A message, or why there is none: offset of its first frame, size.
pub(super) type Found = (usize, usize, Result<(), String>);

struct Frame {
    last: bool,
    opcode: u8,
    mask: Option<[u8; 4]>,
    length: u64,
}

// === impl WebSocket ===

impl<R: Read> WebSocket<R> {
    pub(super) fn new(source: R) -> Self {
        Self {
            source,
            offset: 0,
            message: Vec::new(),
            done: false,
        }
    }

    /// The bytes of the message that was found last.
    pub(super) fn message(&self) -> &[u8] {
        &self.message
    }

    /// The next message; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Found>> {
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
            let taken = match frame.opcode {
                CONTINUATION => begun,
                BINARY if begun => return Ok(self.end(at, "a message begins within another one")),
                BINARY => {
                    start = Some(at);
                    self.message.clear();
                    true
                }
                _ => false,
            };
            if taken && frame.length > (DEFAULT_LIMIT - self.message.len()) as u64 {
                let start = start.take().unwrap_or(at);
                let size = self.message.len() + frame.length as usize;
                if self.skip(&frame)?.is_err() || !self.rest_is_skipped(frame.last)? {
                    self.done = true;
                }
                let reason =
                    format!("the message is longer than the limit of {DEFAULT_LIMIT} bytes");
                return Ok(Some((start, size, Err(reason))));
            }
            let read = if taken {
                self.take(&frame)?
            } else {
                self.skip(&frame)?
            };
            if read.is_err() {
                return Ok(self.end(at, "the input ends within a frame"));
            }
            if let Some(start) = start.filter(|_| taken && frame.last) {
                return Ok(Some((start, self.message.len(), Ok(()))));
            }
        }
    }

    /// What cannot be read is the last thing: where the next frame begins is not known.
    fn end(&mut self, at: usize, reason: &str) -> Option<Found> {
        self.done = true;
        Some((at, 0, Err(reason.to_owned())))
    }

    /// The header of the next frame; the first one may follow an HTTP head.
    fn frame(&mut self) -> io::Result<Result<Option<Frame>, &'static str>> {
        let first = self.offset == 0;
        let mut start = [0; 2];
        match self.fill(&mut start)? {
            0 => return Ok(Ok(None)),
            1 => return Ok(Err("the input ends within a frame")),
            _ => {}
        }
        if first && matches!(&start, b"HT" | b"GE") {
            if !self.skip_head()? {
                return Ok(Err("the HTTP head has no end"));
            }
            return self.frame();
        }
        let [flags, length] = start;
        if flags & 0x70 != 0 || !matches!(flags & 0x0f, 0..=2 | 8..=10) {
            return Ok(Err("this is no WebSocket frame"));
        }
        let mut extended = [0; 8];
        let from = match length & 0x7f {
            126 => 6,
            127 => 0,
            short => {
                extended[7] = short;
                8
            }
        };
        if self.fill(&mut extended[from..])? < 8 - from {
            return Ok(Err("the input ends within a frame"));
        }
        let mut mask = None;
        if length & 0x80 != 0 && self.fill(mask.insert([0; 4]))? < 4 {
            return Ok(Err("the input ends within a frame"));
        }
        Ok(Ok(Some(Frame {
            last: flags & 0x80 != 0,
            opcode: flags & 0x0f,
            mask,
            length: u64::from_be_bytes(extended),
        })))
    }

    /// Appends the payload to the message; an error if the input ends before.
    fn take(&mut self, frame: &Frame) -> io::Result<Result<(), ()>> {
        let from = self.message.len();
        let read = (&mut self.source)
            .take(frame.length)
            .read_to_end(&mut self.message)?;
        self.offset += read;
        if let Some(mask) = frame.mask {
            let payload = &mut self.message[from..];
            for (byte, mask) in payload.iter_mut().zip(mask.iter().cycle()) {
                *byte ^= mask;
            }
        }
        Ok((read as u64 == frame.length).then_some(()).ok_or(()))
    }

    fn skip(&mut self, frame: &Frame) -> io::Result<Result<(), ()>> {
        let read = io::copy(&mut (&mut self.source).take(frame.length), &mut io::sink())?;
        self.offset += read as usize;
        Ok((read == frame.length).then_some(()).ok_or(()))
    }

    /// Passes over the other frames of a message; `false` if there is no end of it.
    fn rest_is_skipped(&mut self, mut last: bool) -> io::Result<bool> {
        while !last {
            let Ok(Some(frame)) = self.frame()? else {
                return Ok(false);
            };
            if self.skip(&frame)?.is_err() {
                return Ok(false);
            }
            last = frame.opcode == CONTINUATION && frame.last;
        }
        Ok(true)
    }

    /// Passes over what stands before the empty line; `false` if there is none.
    fn skip_head(&mut self) -> io::Result<bool> {
        let mut end = [0; 4];
        for _ in 0..HEAD {
            end.rotate_left(1);
            if self.fill(&mut end[3..])? == 0 {
                return Ok(false);
            }
            if &end == b"\r\n\r\n" {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reads as many bytes as there are room for, fewer at the end of the input.
    fn fill(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut read = 0;
        while read < buffer.len() {
            match self.source.read(&mut buffer[read..]) {
                Ok(0) => break,
                Ok(more) => read += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.offset += read;
        Ok(read)
    }
}

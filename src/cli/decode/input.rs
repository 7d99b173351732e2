//! The input: TCP or WebSocket frames, lines of hexadecimal digits, or a single message.

use std::io::{self, BufReader, Read};

use clap::ValueEnum;

use portreeve::game::frame::{DEFAULT_LIMIT, FrameError, FrameReader, ReadError};

use super::arguments::MessageKind;
use super::content::Content;

const BUFFER: usize = 64 << 10;

/// How the input is split into messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Framing {
    /// Each message follows its length in four bytes, big-endian; a greeting may come first
    Tcp,
    /// One direction of a WebSocket connection: each binary message is a message; other messages and an HTTP head at
    /// the start are skipped
    #[value(name = "websocket")]
    WebSocket,
    /// One message per line, in hexadecimal digits; empty lines are skipped
    Hex,
    /// A single message
    Raw,
}

/// A message, or why it could not be found.
pub(super) struct Item<'i> {
    pub(super) offset: usize,
    /// Its size in bytes, or the size that it would have.
    pub(super) size: usize,
    message: Result<&'i [u8], String>,
}

pub(super) enum Input<R> {
    /// Whether nothing can be read after what came last.
    Tcp(FrameReader<R>, bool),
    Other(Framing, Stream<R>),
}

/// An input of any other framing.
pub(super) struct Stream<R> {
    pub(super) source: BufReader<R>,
    pub(super) offset: usize,
    pub(super) message: Vec<u8>,
    /// Whether nothing can be read any more.
    pub(super) done: bool,
}

// === impl Item ===

impl<'i> Item<'i> {
    pub(super) fn new(offset: usize, bytes: &'i [u8]) -> Self {
        Self { offset, size: bytes.len(), message: Ok(bytes) }
    }

    pub(super) fn unreadable(offset: usize, size: usize, reason: impl Into<String>) -> Self {
        Self { offset, size, message: Err(reason.into()) }
    }

    /// The message, which is still to be read, or why there is none.
    pub(super) fn content(&self, kind: MessageKind) -> Result<Content<'i>, String> {
        match &self.message {
            Ok([]) if kind == MessageKind::Replay => {
                Err("the input is empty, and so not a replay".to_owned())
            }
            Ok(bytes) => Ok(Content::new(bytes, kind)),
            Err(reason) => Err(reason.clone()),
        }
    }
}

// === impl Input ===

impl<R: Read> Input<R> {
    pub(super) fn new(source: R, framing: Framing) -> Self {
        if framing == Framing::Tcp {
            return Self::Tcp(FrameReader::new(source), false);
        }
        let source = BufReader::with_capacity(BUFFER, source);
        Self::Other(framing, Stream { source, offset: 0, message: Vec::new(), done: false })
    }

    /// The next message; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Item<'_>>> {
        match self {
            Self::Tcp(_, true) => Ok(None),
            Self::Tcp(frames, done) => next_frame(frames, done),
            Self::Other(_, stream) if stream.done => Ok(None),
            Self::Other(Framing::WebSocket, stream) => stream.next_message(),
            Self::Other(Framing::Hex, stream) => stream.next_line(),
            Self::Other(_, stream) => stream.whole(),
        }
    }
}

fn next_frame<'i, R: Read>(
    frames: &'i mut FrameReader<R>,
    done: &mut bool,
) -> io::Result<Option<Item<'i>>> {
    let offset = frames.offset();
    match frames.next() {
        Ok(frame) => Ok(frame.map(|frame| Item::new(frame.offset, frame.message))),
        Err(ReadError::Io(error)) => Err(error),
        Err(ReadError::Frame(error)) => {
            let skipped = match error {
                FrameError::TooLong { length, .. } => Some(length as usize),
                _ => None,
            };
            *done = skipped.is_none();
            let size = skipped.unwrap_or_default();
            Ok(Some(Item::unreadable(offset, size, error.to_string())))
        }
        Err(error) => Err(io::Error::other(error)),
    }
}

// === impl Stream ===

impl<R: Read> Stream<R> {
    fn next_line(&mut self) -> io::Result<Option<Item<'_>>> {
        loop {
            let start = self.offset;
            self.message.clear();
            let (mut digits, mut error) = (0_usize, None);
            for byte in (&mut self.source).bytes() {
                let byte = byte?;
                self.offset += 1;
                match char::from(byte).to_digit(16) {
                    _ if byte == b'\n' => break,
                    _ if byte.is_ascii_whitespace() || error.is_some() => {}
                    // A byte order mark, which editors on Windows write.
                    None if "\u{feff}".as_bytes().get(self.offset - 1) == Some(&byte) => {}
                    None => {
                        let at = self.offset - start;
                        error =
                            Some(format!("character {at} of the line is not a hexadecimal digit"));
                    }
                    Some(_) if digits == 2 * DEFAULT_LIMIT => error = Some(too_long()),
                    Some(digit) => {
                        if digits.is_multiple_of(2) {
                            self.message.push((digit as u8) << 4);
                        } else if let Some(byte) = self.message.last_mut() {
                            *byte |= digit as u8;
                        }
                        digits += 1;
                    }
                }
            }
            if self.offset == start {
                return Ok(None);
            }
            if digits == 0 && error.is_none() {
                continue;
            }
            if !digits.is_multiple_of(2) {
                error.get_or_insert_with(|| "the line has an odd number of digits".to_owned());
            }
            return Ok(Some(match error {
                Some(error) => Item::unreadable(start, digits / 2, error),
                None => Item::new(start, &self.message),
            }));
        }
    }

    fn whole(&mut self) -> io::Result<Option<Item<'_>>> {
        self.done = true;
        let limit = DEFAULT_LIMIT as u64 + 1;
        let size = (&mut self.source).take(limit).read_to_end(&mut self.message)?;
        Ok(Some(if size > DEFAULT_LIMIT {
            Item::unreadable(0, size, too_long())
        } else {
            Item::new(0, &self.message)
        }))
    }
}

pub(super) fn too_long() -> String {
    format!("the message is longer than the limit of {DEFAULT_LIMIT} bytes")
}

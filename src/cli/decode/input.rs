//! The input: TCP or WebSocket frames, lines of hexadecimal digits, or a single message.

use std::io::{self, BufReader, Read};

use clap::ValueEnum;

use portreeve::game::frame::{DEFAULT_LIMIT, FrameError, FrameReader, ReadError};

use super::item::{Item, too_long};
use super::websocket::WebSocket;

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
    /// One message per line, in hexadecimal digits
    Hex,
    /// A single message
    Raw,
}

pub(super) enum Input<R> {
    /// Whether nothing can be read after what came last.
    Tcp(FrameReader<R>, bool),
    WebSocket(WebSocket<R>),
    Hex(Lines<R>),
    Raw(R, Option<Vec<u8>>),
}

/// Lines of hexadecimal digits; white space and empty lines are ignored.
pub(super) struct Lines<R> {
    source: io::Bytes<BufReader<R>>,
    /// How many bytes were read.
    offset: usize,
    message: Vec<u8>,
}

// === impl Input ===

impl<R: Read> Input<R> {
    pub(super) fn new(source: R, framing: Framing) -> Self {
        match framing {
            Framing::Tcp => Self::Tcp(FrameReader::new(source), false),
            Framing::WebSocket => Self::WebSocket(WebSocket::new(source)),
            Framing::Hex => Self::Hex(Lines::new(source)),
            Framing::Raw => Self::Raw(source, None),
        }
    }

    /// The next message; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Item<'_>>> {
        match self {
            Self::Tcp(_, true) | Self::Raw(_, Some(_)) => Ok(None),
            Self::Tcp(frames, done) => next_frame(frames, done),
            Self::WebSocket(connection) => connection.next(),
            Self::Hex(lines) => lines.next(),
            Self::Raw(source, message) => {
                let bytes = message.insert(Vec::new());
                let limit = DEFAULT_LIMIT;
                source.take(limit as u64 + 1).read_to_end(bytes)?;
                Ok(Some(match bytes.len() {
                    size if size > limit => Item::too_long(0, size),
                    _ => Item::new(0, bytes),
                }))
            }
        }
    }
}

fn next_frame<'i, R: Read>(
    frames: &'i mut FrameReader<R>,
    done: &mut bool,
) -> io::Result<Option<Item<'i>>> {
    let offset = frames.offset();
    match frames.next() {
        Ok(None) => Ok(None),
        Ok(Some(frame)) => Ok(Some(Item::new(frame.offset, frame.message))),
        Err(ReadError::Io(error)) => Err(error),
        Err(ReadError::Frame(error)) => {
            let size = match error {
                FrameError::TooLong { length, .. } => length as usize,
                _ => 0,
            };
            *done = !matches!(error, FrameError::TooLong { .. });
            Ok(Some(Item::unreadable(offset, size, error.to_string())))
        }
    }
}

// === impl Lines ===

impl<R: Read> Lines<R> {
    fn new(source: R) -> Self {
        Self {
            source: BufReader::with_capacity(BUFFER, source).bytes(),
            offset: 0,
            message: Vec::new(),
        }
    }

    fn next(&mut self) -> io::Result<Option<Item<'_>>> {
        loop {
            let start = self.offset;
            self.message.clear();
            let (mut digits, mut error) = (0_usize, None);
            let is_ended = loop {
                let Some(byte) = self.source.next().transpose()? else {
                    break self.offset == start;
                };
                self.offset += 1;
                match char::from(byte).to_digit(16) {
                    _ if byte == b'\n' => break false,
                    _ if byte.is_ascii_whitespace() || error.is_some() => {}
                    // A byte order mark, which editors on Windows write.
                    None if "\u{feff}".as_bytes().get(self.offset - 1) == Some(&byte) => {}
                    None => {
                        let at = self.offset - start;
                        error = Some(format!(
                            "character {at} of the line is not a hexadecimal digit"
                        ));
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
            };
            if is_ended {
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
}

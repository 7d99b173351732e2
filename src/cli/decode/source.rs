//! The source of the input: a file or standard input.

use std::fs::File;
use std::io::{self, Cursor, IsTerminal, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use super::arguments::MessageKind;
use super::input::Framing;
use crate::cli::Failure;
use crate::cli::output::say;

/// The start of a gzip file (RFC 1952, section 2.3.1). In no framing does a message begin like this: the length would
/// be above the limit, the wire type is invalid, and it is not a digit.
const GZIP: &[u8] = &[0x1f, 0x8b];

/// Opens a file, or standard input: returns its first byte, decompressed if it begins like a gzip file, and all of it.
pub(super) fn open(path: Option<&PathBuf>) -> Result<(Option<u8>, Box<dyn Read>), Failure> {
    let source: Box<dyn Read> = match path {
        None => Box::new(standard_input()),
        Some(path) => Box::new(file(path)?),
    };
    let opened = peek(source).and_then(|(start, source)| match &*start {
        // Of several members, as `cat` makes of two files.
        GZIP => peek(MultiGzDecoder::new(source)),
        _ => Ok((start, source)),
    });
    let (start, source) = opened.map_err(Failure::cannot("read", name(path)))?;
    Ok((start.first().copied(), source))
}

fn file(path: &PathBuf) -> Result<File, Failure> {
    let cannot = Failure::cannot("open", path);
    let file = File::open(path).map_err(&cannot)?;
    if file.metadata().map_err(&cannot)?.is_dir() {
        return Err(cannot(io::ErrorKind::IsADirectory.into()));
    }
    Ok(file)
}

/// Standard input; if it is a terminal, prints a hint for users who forgot to name a file.
fn standard_input() -> io::StdinLock<'static> {
    let input = io::stdin();
    if input.is_terminal() {
        say(
            "portreeve: reading messages from this terminal; end the input with Ctrl-D, or read a \
             file with `portreeve decode FILE`",
        );
    }
    input.lock()
}

fn peek(mut source: impl Read + 'static) -> io::Result<(Vec<u8>, Box<dyn Read>)> {
    let mut start = Vec::new();
    let length = GZIP.len() as u64;
    (&mut source).take(length).read_to_end(&mut start)?;
    let whole = Cursor::new(start.clone()).chain(source);
    Ok((start, Box::new(whole)))
}

/// What an input that begins with this byte may be instead, if it cannot be what it was read as.
pub(super) fn hint(first: u8, framing: Framing, kind: MessageKind) -> Option<&'static str> {
    // The first byte of a length up to the limit, or of a greeting.
    let may_be_frames = matches!(first, 0 | 1 | b'<');
    match (framing, kind) {
        // No message begins with one of the first two: the field number would be 0.
        (Framing::Raw, MessageKind::Replay) if may_be_frames => Some(
            "the input begins like a recorded connection, not like a replay: \
             `--message server` reads one, and `--format table` prints a line per message",
        ),
        (Framing::Tcp, MessageKind::Server | MessageKind::Command) if !may_be_frames => Some(
            "the input does not begin with the length of a message: if it is a replay, add \
             `--message replay`; `--framing` says how the messages of a recording are divided",
        ),
        _ => None,
    }
}

pub(super) fn name(path: Option<&PathBuf>) -> &Path {
    path.map_or(Path::new("standard input"), PathBuf::as_path)
}

//! Reads files that a running gateway depends on.
//!
//! Such a file may be replaced by something else, opened to other users, or be on a mount whose server is gone. So
//! only regular files are read, that no other user can write to, and with a limit on size and time.

mod in_time;

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::fs::OFlags;
use zeroize::Zeroizing;

pub(crate) use in_time::in_time;

pub(crate) const WRITE_BY_OTHERS: u32 = 0o022;

/// The coarsest clock of a file system in use: FAT keeps times to two seconds.
const COARSEST_CLOCK: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(crate) struct Content {
    /// Wiped from memory when it is dropped.
    pub(crate) bytes: Zeroizing<Vec<u8>>,
    /// The state of the file just before it was read.
    pub(crate) stamp: Stamp,
}

/// The state of a file, compared without reading it.
///
/// A different length, modification time or file in its place gives a different stamp; so does an edit
/// in place after which the modification time was reset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    modified: Option<SystemTime>,
    len: u64,
    device_and_inode: (u64, u64),
    /// Seconds and nanoseconds of the last change of status.
    changed: (i64, i64),
}

// === impl Content ===

impl Content {
    /// The text, without a byte order mark, which editors on Windows write and which is not part of a secret.
    pub(crate) fn into_text(self) -> io::Result<Zeroizing<String>> {
        text(&self.bytes)
    }
}

// === impl Stamp ===

impl Stamp {
    /// The stamp of the file at `path`. Take it before reading: a change in between then counts as a further one.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        metadata(path).map(|metadata| Self::new(&metadata))
    }

    fn new(metadata: &Metadata) -> Self {
        Self {
            modified: metadata.modified().ok(),
            len: metadata.len(),
            device_and_inode: (metadata.dev(), metadata.ino()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Whether the last change is so old that a further one has another stamp, however coarse the file system's clock.
    pub(crate) fn is_settled(&self) -> bool {
        let age = self.modified.and_then(|at| at.elapsed().ok());
        age.is_some_and(|age| age > COARSEST_CLOCK)
    }
}

/// The metadata of the file at `path`, taken in a thread of its own ([`in_time`]).
pub(crate) fn metadata(path: &Path) -> io::Result<Metadata> {
    let owned = path.to_owned();
    in_time(path, move || fs::metadata(owned))
}

/// Reads the file at `path` in a thread of its own ([`in_time`]).
pub(crate) fn read(path: &Path, limit: u64) -> io::Result<Content> {
    let owned = path.to_owned();
    let read = move || read_changed(&owned, limit, None);
    Ok(in_time(path, read)?.expect("a file differs from none"))
}

/// Like [`read`], for a file of text.
pub(crate) fn read_text(path: &Path, limit: u64) -> io::Result<Zeroizing<String>> {
    read(path, limit)?.into_text()
}

/// Like [`read_text`], for a start, when a pipe or a terminal may be in the place of the file. It is read to its end,
/// however long that takes: whoever starts the process provides it.
pub(crate) fn read_text_or_pipe(path: &Path, limit: u64) -> io::Result<Zeroizing<String>> {
    if metadata(path)?.is_file() {
        return read_text(path, limit);
    }
    read_text_from(File::open(path)?, limit)
}

/// Reads `source`, such as standard input, to its end, without a byte order mark.
pub(crate) fn read_text_from(source: impl Read, limit: u64) -> io::Result<Zeroizing<String>> {
    text(&read_to_end(source, limit, limit)?)
}

/// Reads the file at `path` unless it is as it was when `known` was taken. May block on the file system for ever.
///
/// # Errors
/// - [`io::ErrorKind::InvalidInput`] if it is not a regular file;
/// - [`io::ErrorKind::PermissionDenied`] if other users can write to it: whoever can write it decides what it says;
/// - [`io::ErrorKind::FileTooLarge`] if it is longer than `limit` bytes;
/// - any error of opening and reading.
pub(crate) fn read_changed(
    path: &Path,
    limit: u64,
    known: Option<&Stamp>,
) -> io::Result<Option<Content>> {
    // Before it is opened: opening a device can do something.
    check_kind(&fs::metadata(path)?)?;
    // A pipe that takes its place after that is opened without waiting for a writer.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = File::options().read(true).custom_flags(flags).open(path)?;
    // Of the open file: another one may be at the path by now.
    let metadata = file.metadata()?;
    check_kind(&metadata)?;
    check_mode(path, &metadata)?;
    let stamp = Stamp::new(&metadata);
    if known == Some(&stamp) {
        return Ok(None);
    }
    let len = metadata.len();
    if len > limit {
        return Err(too_large(limit));
    }
    let bytes = read_to_end(&file, len, limit)?;
    Ok(Some(Content { bytes, stamp }))
}

/// Reads `source`, which has some `len` bytes and may have grown to `limit` at most.
fn read_to_end(source: impl Read, len: u64, limit: u64) -> io::Result<Zeroizing<Vec<u8>>> {
    // Allocated once: a growing vector would leave copies behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(len as usize + 1));
    source.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(too_large(limit));
    }
    Ok(bytes)
}

fn too_large(limit: u64) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("it is longer than {limit} bytes"))
}

fn text(bytes: &[u8]) -> io::Result<Zeroizing<String>> {
    // Windows writes UTF-16 by default.
    let not_text = "it is not UTF-8 text; save it as UTF-8";
    let text =
        str::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, not_text))?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text).to_owned().into())
}

fn check_kind(metadata: &Metadata) -> io::Result<()> {
    let fault = || io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file");
    metadata.is_file().then_some(()).ok_or_else(fault)
}

fn check_mode(path: &Path, metadata: &Metadata) -> io::Result<()> {
    let mode = metadata.mode() & 0o7777;
    if mode & WRITE_BY_OTHERS == 0 {
        return Ok(());
    }
    let problem = format!(
        "other users can write to it (mode {mode:04o}); check that nobody did, then run `chmod go-w {}`",
        path.display()
    );
    Err(io::Error::new(io::ErrorKind::PermissionDenied, problem))
}

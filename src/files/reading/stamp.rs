//! Detects changes of a file.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// The coarsest clock of a file system in use: FAT keeps times to two seconds.
const COARSEST_CLOCK: Duration = Duration::from_secs(2);

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

impl Stamp {
    /// The stamp of the file at `path`. Take it before reading the file: a change in between is then
    /// not missed, but seen as a further change.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        super::metadata(path).map(|metadata| Self::new(&metadata))
    }

    pub(super) fn new(metadata: &fs::Metadata) -> Self {
        Self {
            modified: metadata.modified().ok(),
            len: metadata.len(),
            device_and_inode: (metadata.dev(), metadata.ino()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Whether the last change is so long ago that a further one would give a different stamp, however
    /// coarse the file system's clock is.
    pub(crate) fn is_settled(&self) -> bool {
        let age = self.modified.and_then(|at| at.elapsed().ok());
        age.is_some_and(|age| age > COARSEST_CLOCK)
    }
}

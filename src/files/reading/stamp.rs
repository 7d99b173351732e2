//! Detects changes of a file.

use std::fs;
use std::io;
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
    inode: Inode,
}

/// Device, inode number, and the time (seconds, nanoseconds) of the last change of status.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Inode(u64, u64, i64, i64);

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
            inode: inode(metadata),
        }
    }

    /// Whether the last change is so long ago that a further one would give a different stamp, however
    /// coarse the file system's clock is.
    pub(crate) fn is_settled(&self) -> bool {
        let age = |at| SystemTime::now().duration_since(at).ok();
        self.modified
            .and_then(age)
            .is_some_and(|age| age > COARSEST_CLOCK)
    }
}

#[cfg(unix)]
fn inode(metadata: &fs::Metadata) -> Inode {
    use std::os::unix::fs::MetadataExt as _;
    Inode(
        metadata.dev(),
        metadata.ino(),
        metadata.ctime(),
        metadata.ctime_nsec(),
    )
}

#[cfg(not(unix))]
fn inode(_: &fs::Metadata) -> Inode {
    Inode(0, 0, 0, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_content_another_file_and_a_set_back_time_give_another_stamp() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        fs::write(&path, "one").unwrap();
        let first = Stamp::of(&path).unwrap();
        assert_eq!(first, Stamp::of(&path).unwrap());
        assert!(!first.is_settled());

        let file = fs::File::options().write(true).open(&path).unwrap();
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        file.set_modified(long_ago).unwrap();
        let old = Stamp::of(&path).unwrap();
        assert_ne!(old, first);
        assert!(old.is_settled());

        // The clock of file times may tick only every few milliseconds.
        std::thread::sleep(Duration::from_millis(50));
        fs::write(&path, "two").unwrap();
        file.set_modified(long_ago).unwrap();
        let edited = Stamp::of(&path).unwrap();
        assert_eq!((edited.modified, edited.len), (old.modified, old.len));
        #[cfg(unix)]
        assert_ne!(edited, old);

        let other = dir.path().join("other");
        fs::write(&other, "two").unwrap();
        fs::rename(&other, &path).unwrap();
        assert_ne!(Stamp::of(&path).unwrap(), edited);
        assert!(Stamp::of(&other).is_err());
    }
}

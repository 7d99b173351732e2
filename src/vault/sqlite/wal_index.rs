//! A look at the header of the WAL-index, SQLite's `-shm` file.
//!
//! Every commit of any process changes this header before it is acknowledged: it holds a count of
//! the commits, the last frame of the log, a checksum over all of its frames, and the log's salts
//! (<https://www.sqlite.org/walformat.html>, section 2.2). Comparing it with the one seen last is
//! how SQLite itself finds out, when a transaction begins, whether what a connection has cached is
//! still what is stored (`walIndexTryHdr`), and so what `PRAGMA data_version` comes from. Reading
//! it here takes one system call; the pragma takes two locks and a transaction around the same
//! comparison.
//!
//! The file stays the same one while any connection is open, and the log cannot be switched off:
//! for both SQLite needs locks that an open connection withholds.
//!
//! Only on Linux, where reading a file and mapping it show the same memory.

use rusqlite::Connection;

/// Bytes of the header.
const HEADER_LEN: usize = 48;

/// `iVersion`, in the byte order of the machine.
#[cfg(target_os = "linux")]
const FORMAT_VERSION: u32 = 3_007_000;

/// The offset of `isInit`.
#[cfg(target_os = "linux")]
const INITIALIZED_AT: usize = 12;

/// The WAL-index of one database, for reading.
#[derive(Debug)]
pub(super) struct WalIndex {
    #[cfg(target_os = "linux")]
    file: &'static std::fs::File,
    #[cfg(not(target_os = "linux"))]
    never: std::convert::Infallible,
}

/// What the header holds while no commit is about to change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header([u8; HEADER_LEN]);

#[cfg(target_os = "linux")]
impl WalIndex {
    /// The WAL-index that `connection` uses; `None` if it has none.
    pub(super) fn of(connection: &Connection) -> Option<Self> {
        // SQLite's own absolute path, with symbolic links resolved.
        let path = format!("{}-shm", connection.path()?);
        let file = open_once(path.as_ref()).ok()?;
        Some(Self { file })
    }

    /// `None` while it is being changed, or if it is not of the known format.
    #[inline]
    pub(super) fn header(&self) -> Option<Header> {
        use std::os::unix::fs::FileExt as _;

        // It is there twice. A writer changes the second copy first, so that equal ones are whole.
        let mut copies = [[0; HEADER_LEN]; 2];
        self.file.read_exact_at(copies.as_flattened_mut(), 0).ok()?;
        let [first, second] = copies;
        let known = first[..4] == FORMAT_VERSION.to_ne_bytes() && first[INITIALIZED_AT] == 1;
        (known && first == second).then_some(Header(first))
    }
}

#[cfg(not(target_os = "linux"))]
impl WalIndex {
    pub(super) fn of(_: &Connection) -> Option<Self> {
        None
    }

    pub(super) fn header(&self) -> Option<Header> {
        match self.never {}
    }
}

/// Opens a file once for the whole life of the process.
///
/// A process loses its POSIX locks on a file when it closes any descriptor of that file, no matter
/// which code opened it: closing this one would drop the locks of all of SQLite's connections to the
/// database, also those of other stores and of other code in this process. So it is never closed,
/// and there is one for each database, however often that is opened.
#[cfg(target_os = "linux")]
fn open_once(path: &std::path::Path) -> std::io::Result<&'static std::fs::File> {
    use std::collections::HashMap;
    use std::fs::{self, File};
    use std::os::unix::fs::MetadataExt as _;
    use std::sync::{LazyLock, Mutex, PoisonError};

    type Inode = (u64, u64);
    static OPEN: LazyLock<Mutex<HashMap<Inode, &File>>> = LazyLock::new(Mutex::default);

    let inode = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    // No other file gets the number of one that is open.
    if let Some(file) = open.get(&inode(fs::metadata(path)?)) {
        return Ok(file);
    }
    let file: &'static File = Box::leak(Box::new(File::open(path)?));
    open.insert(inode(file.metadata()?), file);
    Ok(file)
}

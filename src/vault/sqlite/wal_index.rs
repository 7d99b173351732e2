//! A look at the header of the WAL-index, SQLite's `-shm` file.
//!
//! Every commit of any process changes this header before it is acknowledged: it holds a count of the commits, the last frame
//! of the log, a checksum over all of its frames, and the log's salts (<https://www.sqlite.org/walformat.html>, section 2.2).
//! Comparing it with the one seen last is how SQLite itself finds out, when a transaction begins, whether what a connection has
//! cached is still what is stored (`walIndexTryHdr`), and so what `PRAGMA data_version` comes from. Reading it here takes one
//! system call; the pragma takes two locks and a transaction around the same comparison.
//!
//! The file stays the same one while any connection is open, and the log stays: to end either, SQLite needs its locks.
//!
//! SQLite maps the file, and here it is read. On Linux both show the same memory, but a file system
//! may do it differently (FUSE with direct I/O): a commit would go unseen. So it is used only if
//! reading has shown one commit that was made to find that out.

use rusqlite::Connection;
#[cfg(target_os = "linux")]
use rusqlite::{Transaction, TransactionBehavior};

const HEADER_LEN: usize = 48;

/// `iVersion`, in the byte order of the machine.
#[cfg(target_os = "linux")]
const FORMAT_VERSION: u32 = 3_007_000;

/// The offset of `isInit`.
#[cfg(target_os = "linux")]
const INITIALIZED_AT: usize = 12;

#[derive(Clone, Copy, Debug)]
pub(super) struct WalIndex {
    #[cfg(target_os = "linux")]
    file: &'static std::fs::File,
    #[cfg(not(target_os = "linux"))]
    never: std::convert::Infallible,
}

/// The contents of the header while no commit is about to change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header([u8; HEADER_LEN]);

#[cfg(target_os = "linux")]
impl WalIndex {
    /// The WAL-index that `writer` uses; `None` if it has none, or if reading it does not show what `writer` commits.
    pub(super) fn shown_by(writer: &Connection) -> Option<Self> {
        // SQLite's own absolute path, with symbolic links resolved.
        let path = format!("{}-shm", writer.path()?);
        let file = open_once(path.as_ref()).ok()?;
        let index = Self { file };
        let before = index.header()?;
        commit_nothing_new(writer).ok()?;
        (index.header()? != before).then_some(index)
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
    pub(super) fn shown_by(_: &Connection) -> Option<Self> {
        None
    }

    pub(super) fn header(&self) -> Option<Header> {
        match self.never {}
    }
}

/// A commit that changes nothing but the log and its index.
#[cfg(target_os = "linux")]
fn commit_nothing_new(writer: &Connection) -> rusqlite::Result<()> {
    let transaction = Transaction::new_unchecked(writer, TransactionBehavior::Immediate)?;
    let version: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    // It is written even though it is the same.
    transaction.pragma_update(None, "user_version", version)?;
    transaction.commit()
}

/// Opens a file once for the whole life of the process.
///
/// A process loses its POSIX locks on a file when it closes any descriptor of that file, no matter which code opened it:
/// closing this one would drop the locks of all of SQLite's connections to the database, also those of other stores and of
/// other code in this process. So it is never closed, and there is one for each database, however often that is opened.
#[cfg(target_os = "linux")]
fn open_once(path: &std::path::Path) -> std::io::Result<&'static std::fs::File> {
    use std::collections::HashMap;
    use std::fs::{self, File};
    use std::os::unix::fs::MetadataExt as _;
    use std::sync::LazyLock;

    use parking_lot::Mutex;

    type Inode = (u64, u64);
    static OPEN: LazyLock<Mutex<HashMap<Inode, &File>>> = LazyLock::new(Mutex::default);

    let inode = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let mut open = OPEN.lock();
    // No other file gets the number of one that is open.
    if let Some(file) = open.get(&inode(fs::metadata(path)?)) {
        return Ok(file);
    }
    let file: &'static File = Box::leak(Box::new(File::open(path)?));
    open.insert(inode(file.metadata()?), file);
    Ok(file)
}

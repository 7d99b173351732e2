//! Making and opening the file.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use super::error::SqliteOpenError;
use crate::files;
use crate::vault::Inspection;
use crate::vault::cipher::HEADER_LEN;
use crate::vault::schema::{SCHEMA_VERSION, tables};

/// Marks the file as ours (`PRAGMA application_id`): "port" in ASCII.
const APPLICATION_ID: i64 = 0x706f_7274;

/// How long a write waits for another process's.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// How a connection shares the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sharing {
    /// With other connections and processes, by an index in shared memory.
    Shared,
    /// With nobody, and with the index in its own memory: a full disk has no room for it.
    Alone,
}

/// A connection to the file at `path`, which is made if it is missing. If the disk is full, it has the file alone, and
/// can read.
pub(super) fn open(path: &Path) -> Result<(Connection, Sharing), SqliteOpenError> {
    // SQLite itself would make it with the mode that the umask leaves, and its log files take the
    // mode of this one.
    files::create_empty(path).map_err(|source| SqliteOpenError::Create {
        path: path.to_owned(),
        source,
    })?;
    unless_full(|sharing| Ok((open_as(path, sharing)?, sharing)))
}

/// The outcome of `work` with a shared connection or, if that fails since the disk is full, with one of its own.
fn unless_full<T>(
    work: impl Fn(Sharing) -> Result<T, SqliteOpenError>,
) -> Result<T, SqliteOpenError> {
    match work(Sharing::Shared) {
        // If others have the file open, the first error says more than the second.
        Err(error) if error.is_disk_full() => work(Sharing::Alone).or(Err(error)),
        done => done,
    }
}

fn open_as(path: &Path, sharing: Sharing) -> Result<Connection, SqliteOpenError> {
    let mut connection = connect_unconfigured(path, sharing)?;
    let fault = fault(path);
    // Its owner is read before anything in it is changed: it may belong to another program. In one
    // transaction, since another process may be making it at this instant.
    let look = connection.transaction().map_err(fault)?;
    is_made(&look, path)?;
    look.finish().map_err(fault)?;
    configure(&connection).map_err(fault)?;

    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(fault)?;
    if !is_made(&transaction, path)? {
        make(&transaction).map_err(fault)?;
    }
    transaction.commit().map_err(fault)?;
    Ok(connection)
}

fn make(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let mut tables = tables();
    for (postgres, sqlite) in [
        ("portreeve.", ""),
        (" COLLATE \"C\"", ""),
        ("BIGINT", "INTEGER"),
        ("BYTEA", "BLOB"),
        ("/*", ""),
        ("*/", ""),
    ] {
        tables = tables.replace(postgres, sqlite);
    }
    transaction.execute_batch(&tables)?;
    transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)
}

/// Looks at the records of the file at `path`; `None` if it is empty.
pub(super) fn inspect(path: &Path) -> Result<Option<Inspection>, SqliteOpenError> {
    unless_full(|sharing| inspect_as(path, sharing))
}

fn inspect_as(path: &Path, sharing: Sharing) -> Result<Option<Inspection>, SqliteOpenError> {
    let fault = fault(path);
    let mut connection = connect_unconfigured(path, sharing)?;
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if Path::new(&log).exists() {
        // The last connection that is closed would write the log of a crash into the file.
        connection
            .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
            .map_err(fault)?;
    }
    let look = connection.transaction().map_err(fault)?;
    if !is_made(&look, path)? {
        return Ok(None);
    }
    let mut found = Inspection::new(SCHEMA_VERSION.cast_unsigned());
    let mut count = |table: &str, number: &str| {
        let sql =
            format!("SELECT substr(sealed, 1, {HEADER_LEN}), {number} FROM {table} GROUP BY 1");
        let mut statement = look.prepare(&sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let count: i64 = row.get(1)?;
            if count == 0 {
                continue;
            }
            found.add(row.get_ref(0)?.as_blob()?, count.cast_unsigned());
        }
        Ok(())
    };
    for table in ["credential", "binding", "delivery_target"] {
        count(table, "count(*)").map_err(fault)?;
    }
    count("receipt_total", "sum(receipts)").map_err(fault)?;
    Ok(Some(found))
}

/// Copies the file at `path`, which must be there, to the new file at `to`.
pub(super) fn back_up(path: &Path, to: &Path) -> Result<(), SqliteOpenError> {
    let mut connection = connect_unconfigured(path, Sharing::Shared)?;
    let look = connection.transaction().map_err(fault(path))?;
    is_made(&look, path)?;
    look.finish().map_err(fault(path))?;
    let create = |source| SqliteOpenError::Create {
        path: to.to_owned(),
        source,
    };
    // It is synced afterwards, which SQLite does not do here.
    let created = files::create_whole_with(to, |draft| {
        let draft = draft.to_str().ok_or(io::ErrorKind::InvalidFilename)?;
        let copied = connection.execute("VACUUM INTO ?1", [draft]);
        copied.map(drop).map_err(io::Error::other)
    });
    match created.map_err(create)? {
        true => Ok(()),
        false => Err(create(io::ErrorKind::AlreadyExists.into())),
    }
}

/// A connection to the file at `path`, which must be there.
pub(super) fn connect(path: &Path) -> Result<Connection, SqliteOpenError> {
    let connection = connect_unconfigured(path, Sharing::Shared)?;
    configure(&connection).map_err(fault(path))?;
    Ok(connection)
}

fn connect_unconfigured(path: &Path, sharing: Sharing) -> Result<Connection, SqliteOpenError> {
    // Without SQLITE_OPEN_URI: `?vfs=` or `?mode=` in a path would change what is opened.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags)
        .and_then(|connection| {
            connection.busy_timeout(BUSY_TIMEOUT)?;
            if sharing == Sharing::Alone {
                connection.execute_batch("PRAGMA locking_mode = EXCLUSIVE")?;
            }
            Ok(connection)
        })
        .map_err(fault(path))
}

fn fault(path: &Path) -> impl Fn(rusqlite::Error) -> SqliteOpenError + Copy {
    move |source| SqliteOpenError::Open {
        path: path.to_owned(),
        source,
    }
}

/// Whether the file has its tables; it is empty otherwise. An error if it belongs to another program or version.
fn is_made(connection: &Connection, path: &Path) -> Result<bool, SqliteOpenError> {
    let fault = fault(path);
    let number = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get(0));
    let owner: i64 = number("application_id").map_err(fault)?;
    let found: i64 = number("user_version").map_err(fault)?;
    let is_empty = !connection
        .prepare("SELECT 1 FROM sqlite_schema")
        .and_then(|mut any| any.exists([]))
        .map_err(fault)?;
    let path = path.to_owned();
    match (owner, found) {
        (0, 0) if is_empty => Ok(false),
        (APPLICATION_ID, _) if found == i64::from(SCHEMA_VERSION) => Ok(true),
        (APPLICATION_ID, _) => Err(SqliteOpenError::Version { path, found }),
        _ => Err(SqliteOpenError::Foreign { path }),
    }
}

fn configure(connection: &Connection) -> rusqlite::Result<()> {
    begin_wal(connection)?;
    // Those of the store and of deliveries: more than the 16 that are kept by default.
    connection.set_prepared_statement_cache_capacity(48);
    // FULL syncs the log before a commit is acknowledged; NORMAL would lose the last ones in a
    // power cut. On macOS only `fullfsync` reaches the disk itself.
    connection.execute_batch(
        "PRAGMA synchronous = FULL;
         PRAGMA fullfsync = ON;
         PRAGMA secure_delete = ON;
         PRAGMA temp_store = MEMORY;
         PRAGMA trusted_schema = OFF;",
    )
}

/// Switches the file to a write-ahead log, if it has none. SQLite's busy timeout does not cover
/// this: of two processes that switch a new file at once, one would fail.
fn begin_wal(connection: &Connection) -> rusqlite::Result<()> {
    let deadline = Instant::now() + BUSY_TIMEOUT;
    loop {
        let switched = connection.execute_batch("PRAGMA journal_mode = WAL");
        match &switched {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && Instant::now() < deadline =>
            {
                std::thread::sleep(Duration::from_millis(2));
            }
            _ => return switched,
        }
    }
}

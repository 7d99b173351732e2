//! Making, upgrading and opening the files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use super::deliveries::rows;
use super::error::SqliteOpenError;
use crate::files::{self, beside};
use crate::vault::Inspection;
use crate::vault::deliveries::SqlRow;
use crate::vault::schema::{FIRST_VERSION, Part, SCHEMA_VERSION, tables, upgrades};

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

/// A connection to the vault's file at `path`, which is made if it is missing and upgraded if it is old. If the disk is
/// full, it has the file alone, and can read.
pub(super) fn open(path: &Path) -> Result<(Connection, Sharing), SqliteOpenError> {
    unless_full(|sharing| Ok((connect(path, Part::Vault, sharing)?, sharing)))
}

/// The file of one of the two parts, by that of the vault.
pub(super) fn path_of(vault: &Path, part: Part) -> PathBuf {
    if part == Part::Deliveries { vault.with_file_name("deliveries.db") } else { vault.to_owned() }
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

/// A connection to the file of `part` at `path`, which is made if it is missing and upgraded if it is old.
pub(super) fn connect(
    path: &Path,
    part: Part,
    sharing: Sharing,
) -> Result<Connection, SqliteOpenError> {
    // SQLite itself would make it with the mode that the umask leaves, and its log files take the mode of this one.
    let created = files::create_empty(path);
    created.map_err(|source| SqliteOpenError::Create(path.to_owned(), source))?;
    let mut connection = connect_unconfigured(path, sharing)?;
    let fault = fault(path);
    // Its owner is read before anything in it is changed: it may belong to another program. In one
    // transaction, since another process may be making it at this instant.
    let look = connection.transaction().map_err(fault)?;
    let found = version(&look, path, part)?;
    look.finish().map_err(fault)?;
    configure(&connection, part).map_err(fault)?;
    if found == Some(SCHEMA_VERSION) {
        return Ok(connection);
    }

    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fault)?;
    let found = version(&transaction, path, part)?;
    if found != Some(SCHEMA_VERSION) {
        bring_up_to_date(&transaction, part, found).map_err(fault)?;
    }
    transaction.commit().map_err(fault)?;
    Ok(connection)
}

/// Makes the tables, or brings those of version `found` up to date.
fn bring_up_to_date(
    transaction: &Transaction<'_>,
    part: Part,
    found: Option<i32>,
) -> rusqlite::Result<()> {
    let mut sql = found.map_or_else(|| tables(part), |_| String::new());
    sql += &upgrades(found.unwrap_or(FIRST_VERSION), part);
    for (postgres, sqlite) in [
        ("portreeve.", ""),
        (" COLLATE \"C\"", ""),
        ("BIGINT", "INTEGER"),
        ("BYTEA", "BLOB"),
        ("/*", ""),
        ("*/", ""),
    ] {
        sql = sql.replace(postgres, sqlite);
    }
    transaction.execute_batch(&sql)?;
    transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    transaction.pragma_update(None, "application_id", application_id(part))
}

/// Marks a file as ours (`PRAGMA application_id`): "port" or "pord" in ASCII.
fn application_id(part: Part) -> i64 {
    if part == Part::Deliveries { 0x706f_7264 } else { 0x706f_7274 }
}

/// Looks at the records of the vault's file at `path`, and of that of deliveries; `None` if both are missing or empty.
pub(super) fn inspect(path: &Path) -> Result<Option<Inspection>, SqliteOpenError> {
    let look = |part| unless_full(|sharing| counted(&path_of(path, part), part, sharing));
    let mut all = Vec::from_iter(look(Part::Vault)?);
    let deliveries = look(Part::Deliveries).map(|found| all.extend(found));
    let without_deliveries = deliveries.err().map(|error| error.to_string().into());
    if all.is_empty() && without_deliveries.is_none() {
        return Ok(None);
    }
    let version = all.first().map_or(0, |(version, _)| *version);
    let counted = all.into_iter().flat_map(|(_, counted)| counted);
    Ok(Some(Inspection { without_deliveries, ..Inspection::new(version, counted) }))
}

/// The version of the file at `path`, and how many records there are of each key; `None` if it is missing or empty.
fn counted(
    path: &Path,
    part: Part,
    sharing: Sharing,
) -> Result<Option<(i32, Vec<SqlRow>)>, SqliteOpenError> {
    let missing = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
    if fs::metadata(path).is_err_and(|error| missing.contains(&error.kind())) {
        return Ok(None);
    }
    let fault = fault(path);
    let mut connection = connect_unconfigured(path, sharing)?;
    if beside(path, "-wal").exists() {
        // The last connection that is closed would write the log of a crash into the file.
        connection
            .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
            .map_err(fault)?;
    }
    let look = connection.transaction().map_err(fault)?;
    let Some(version) = version(&look, path, part)? else {
        return Ok(None);
    };
    let counted = rows(&look, &Inspection::sql(part), Vec::new()).map_err(fault)?;
    Ok(Some((version, counted)))
}

/// Copies the file of `part` by that of the vault at `path`, which must be there, to a new one by `to`.
pub(super) fn back_up(path: &Path, part: Part, to: &Path) -> Result<(), SqliteOpenError> {
    let [path, to] = [path, to].map(|vault| path_of(vault, part));
    let (path, to) = (&*path, &*to);
    let mut connection = connect_unconfigured(path, Sharing::Shared)?;
    let look = connection.transaction().map_err(fault(path))?;
    version(&look, path, part)?;
    look.finish().map_err(fault(path))?;
    let create = |source| SqliteOpenError::Create(to.to_owned(), source);
    // It is synced afterwards, which SQLite does not do here.
    let created = files::create_whole_with(to, |draft| {
        let draft = draft.to_str().ok_or(io::ErrorKind::InvalidFilename)?;
        connection.execute("VACUUM INTO ?1", [draft]).map(drop).map_err(io::Error::other)
    });
    let is_new = created.map_err(create)?;
    let exists = || create(io::ErrorKind::AlreadyExists.into());
    is_new.then_some(()).ok_or_else(exists)
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
    move |source| SqliteOpenError::Open(path.to_owned(), source)
}

/// The version of the file's tables; `None` if it is empty. An error if it belongs to another program or to a version that
/// cannot be used.
fn version(
    connection: &Connection,
    path: &Path,
    part: Part,
) -> Result<Option<i32>, SqliteOpenError> {
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
        (0, 0) if is_empty => Ok(None),
        (owner, _) if owner == application_id(part) => i32::try_from(found)
            .ok()
            .filter(|found| (FIRST_VERSION..=SCHEMA_VERSION).contains(found))
            .map(Some)
            .ok_or(SqliteOpenError::Version(path, found)),
        _ => Err(SqliteOpenError::Foreign(path)),
    }
}

fn configure(connection: &Connection, part: Part) -> rusqlite::Result<()> {
    // Mebibytes of the log that are written before it is copied back, and kept when it begins anew, however large it was; and
    // those of the file in memory. A burst of deliveries changes the same pages again and again.
    let (log, memory) = if part == Part::Deliveries { (16, 8) } else { (4, 2) };
    begin_wal(connection)?;
    // Those of deliveries: more than the 16 that are kept by default.
    connection.set_prepared_statement_cache_capacity(48);
    // Otherwise a statement is planned anew for each value that might be compared with the condition of an index.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // FULL syncs the log before a commit is acknowledged; NORMAL would lose the last ones in a
    // power cut. On macOS only `fullfsync` reaches the disk itself.
    connection.execute_batch(&format!(
        "PRAGMA synchronous = FULL;
         PRAGMA fullfsync = ON;
         PRAGMA secure_delete = ON;
         PRAGMA temp_store = MEMORY;
         PRAGMA trusted_schema = OFF;
         PRAGMA wal_autocheckpoint = {};
         PRAGMA journal_size_limit = {};
         PRAGMA cache_size = -{};",
        log << 8,
        log << 20,
        memory << 10,
    ))
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

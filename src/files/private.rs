//! Files and directories that only the process's own user may read.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

/// The directory that contains `path`.
pub(super) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Creates `directory` and its parents with mode 0700, if they are missing.
pub(super) fn create_dir(directory: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(directory)
}

/// Creates the file `path` with mode 0600.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`] if it already exists.
pub(super) fn create(path: &Path) -> io::Result<File> {
    options().create_new(true).open(path)
}

/// Opens the file `path` for writing, creating it with mode 0600 if it is missing.
pub(super) fn open_or_create(path: &Path) -> io::Result<File> {
    options().create(true).truncate(false).open(path)
}

/// Syncs the entries of `directory` to disk: without its entry, a synced file is lost in a crash.
pub(super) fn sync_dir(directory: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(directory)?.sync_all()?;
    }
    Ok(())
}

/// Creates the empty file `path` with mode 0600, and its directory with mode 0700, if they are missing.
#[cfg(feature = "sqlite")]
pub(crate) fn create_empty(path: &Path) -> io::Result<()> {
    let directory = parent(path);
    create_dir(directory)?;
    match create(path) {
        Ok(file) => file.sync_all().and_then(|()| sync_dir(directory)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.write(true);
    options
}

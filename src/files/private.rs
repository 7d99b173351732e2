//! Files and directories that only the process's own user may read.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, fchown};
use std::path::Path;

use rustix::fs::OFlags;

pub(crate) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        None if path.has_root() => path,
        _ => Path::new("."),
    }
}

/// Creates `directory` and its parents with mode 0700, if they are missing.
pub(super) fn create_dir(directory: &Path) -> io::Result<()> {
    if directory.is_dir() {
        return Ok(());
    }
    create_dir(parent(directory))?;
    match DirBuilder::new().mode(0o700).create(directory) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && directory.is_dir() => Ok(()),
        Err(error) => Err(error),
        Ok(()) => give_to_owner(parent(directory), &open_dir(directory)?),
    }
}

/// Creates the file `path` with mode 0600; if root does, it gets the owner of its directory.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    let file = options().create_new(true).open(path)?;
    give_to_owner(parent(path), &file)?;
    Ok(file)
}

/// Opens the file `path` for writing, creating it if it is missing as [`create`] does.
pub(crate) fn open_or_create(path: &Path) -> io::Result<File> {
    match create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => options().open(path),
        created => created,
    }
}

/// Syncs the entries of `directory` to disk: without its entry, a synced file is lost in a crash.
pub(super) fn sync_dir(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
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

/// Gives `created`, if root created it, to the owner of `directory`: a command of an administrator must not lock out the
/// account that the gateway runs as. It takes an open file, since that owner may have put another one at its path.
fn give_to_owner(directory: &Path, created: &File) -> io::Result<()> {
    match created.metadata()?.uid() {
        0 => set_owner(created, &fs::metadata(directory)?),
        _ => Ok(()),
    }
}

pub(super) fn set_owner(file: &File, like: &fs::Metadata) -> io::Result<()> {
    let now = file.metadata()?;
    if (now.uid(), now.gid()) == (like.uid(), like.gid()) {
        return Ok(());
    }
    fchown(file, Some(like.uid()), Some(like.gid()))
}

/// Opens `directory` itself, not what a symbolic link that took its place points to.
fn open_dir(directory: &Path) -> io::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::DIRECTORY).bits().cast_signed();
    File::options().read(true).custom_flags(flags).open(directory)
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).mode(0o600);
    options
}

//! Files that are created and replaced atomically: neither a reader nor a crash sees a partial one.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::private::{create, create_dir, open_or_create, parent, sync_dir};

/// Creates the file `path` with `contents` and mode 0600, and its directory with mode 0700. If the file
/// already exists, changes nothing and returns `false`.
///
/// The file is on disk when this returns, and if several processes create it concurrently, all of them
/// see the same one.
pub(crate) fn create_whole(path: &Path, contents: &[u8]) -> io::Result<bool> {
    let directory = parent(path);
    create_dir(directory)?;
    let suffix = getrandom::u64().map_err(io::Error::other)?;
    let draft = path.with_extension(format!("{suffix:016x}"));
    // A hard link appears atomically and never replaces an existing file, unlike a rename.
    let linked = create(&draft)
        .and_then(|mut file| {
            file.write_all(contents)?;
            file.sync_all()
        })
        .and_then(|()| fs::hard_link(&draft, path));
    let _ = fs::remove_file(&draft);
    match linked {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
        Ok(()) => sync_dir(directory).map(|()| true),
    }
}

/// Waits for the lock on edits of the file `path`, which is held until the returned file is dropped. The directory is
/// created with mode 0700 if it is missing.
///
/// The lock is on `<path>.lock`: the file itself cannot carry it, since each edit replaces it.
pub(crate) fn lock(path: &Path) -> io::Result<File> {
    create_dir(parent(path))?;
    let file = open_or_create(&beside(path, ".lock"))?;
    file.lock()?;
    Ok(file)
}

/// Replaces the file `path` by `contents` atomically; it is on disk when this returns. Mode and owner are
/// those of `former`, or 0600 and the process's user without one.
///
/// The caller must hold the [`lock`], since `<path>.new` is written first.
pub(crate) fn replace(
    path: &Path,
    contents: &[u8],
    former: Option<&fs::Metadata>,
) -> io::Result<()> {
    let draft = beside(path, ".new");
    let replaced = write_draft(&draft, contents, former).and_then(|()| fs::rename(&draft, path));
    if replaced.is_err() {
        let _ = fs::remove_file(&draft);
    }
    replaced.and_then(|()| sync_dir(parent(path)))
}

fn write_draft(draft: &Path, contents: &[u8], former: Option<&fs::Metadata>) -> io::Result<()> {
    // An interrupted edit may have left one behind; the lock makes this process the only writer.
    match fs::remove_file(draft) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = create(draft)?;
    file.write_all(contents)?;
    if let Some(former) = former {
        keep_owner(&file, former)?;
        file.set_permissions(former.permissions())?;
    }
    file.sync_all()
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}

/// An administrator's edit must not lock out the account that the gateway runs as.
#[cfg(unix)]
fn keep_owner(file: &File, former: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, fchown};

    let now = file.metadata()?;
    if (now.uid(), now.gid()) == (former.uid(), former.gid()) {
        return Ok(());
    }
    fchown(file, Some(former.uid()), Some(former.gid()))
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

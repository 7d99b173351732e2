//! Files that appear, and change, whole: no reader and no crash meets half of one.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::private::{create, create_dir, open_or_create, parent, sync_dir};

/// Makes the file `path` with `contents` and mode 0600, and its directory with mode 0700; `false`,
/// and nothing is changed, if there is such a file already.
///
/// It is on disk when this returns, and the same one for everybody, however many processes make it
/// at once.
pub(crate) fn create_whole(path: &Path, contents: &[u8]) -> io::Result<bool> {
    let directory = parent(path);
    create_dir(directory)?;
    let suffix = getrandom::u64().map_err(io::Error::other)?;
    let draft = path.with_extension(format!("{suffix:016x}"));
    // A link appears at once and never over an existing name, which no rename promises.
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

/// Waits for the lock on edits of the file `path`; it is held until the answer is dropped.
///
/// The lock is on `<path>.lock`: the file itself cannot carry it, since each edit replaces it.
pub(crate) fn lock(path: &Path) -> io::Result<File> {
    let file = open_or_create(&beside(path, ".lock"))?;
    file.lock()?;
    Ok(file)
}

/// Puts `contents` in the place of the file `path` in one step, on disk when this returns. The mode
/// and the owner are those of `former`; 0600 and the process's user without one.
///
/// Hold the [`lock`]: `<path>.new` is written first.
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
    // What an edit that was killed left behind; the lock makes this process the only writer.
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

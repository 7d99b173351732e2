//! Files that are created and replaced atomically: neither a reader nor a crash sees a partial one.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use super::private::{create, create_dir, open_or_create, parent, set_owner, sync_dir};
use super::reading::read_text;

/// Creates the file `path` with `contents` and mode 0600, and its directory with mode 0700. If the file
/// already exists, changes nothing and returns `false`.
///
/// The file is on disk when this returns, and if several processes create it concurrently, all of them see the same one.
pub(crate) fn create_whole(path: &Path, contents: &[u8]) -> io::Result<bool> {
    create_whole_with(path, |draft| File::options().write(true).open(draft)?.write_all(contents))
}

/// Like [`create_whole`], with the contents that `write` gives to an empty file.
pub(crate) fn create_whole_with(
    path: &Path,
    write: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<bool> {
    let directory = parent(path);
    create_dir(directory)?;
    let suffix = getrandom::u64().map_err(io::Error::other)?;
    let draft = path.with_extension(format!("{suffix:016x}"));
    // A hard link appears atomically and never replaces an existing file, unlike a rename.
    let linked = create(&draft)
        .and_then(|file| {
            write(&draft)?;
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

/// An edit of a text file. Until it is dropped, it keeps other processes from editing that file.
pub(crate) struct Edit {
    path: PathBuf,
    pub(crate) text: Zeroizing<String>,
    /// The file's metadata; `None` if it is to be created.
    former: Option<fs::Metadata>,
    _lock: File,
}

impl Edit {
    /// Waits for other edits of the file `path`, and reads it. A missing one is begun with the text `new`, if there is one.
    ///
    /// # Errors
    /// With what was attempted: `read`, which fails for files longer than `limit` bytes, or `lock`.
    pub(crate) fn begin(
        path: &Path,
        limit: u64,
        new: Option<&str>,
    ) -> Result<Self, (&'static str, io::Error)> {
        let unread = |error| ("read", error);
        let new = |error: io::Error| match new {
            Some(text) if error.kind() == io::ErrorKind::NotFound => Ok(text.to_owned().into()),
            _ => Err(unread(error)),
        };
        // A symbolic link is kept: the file that it points to is replaced.
        let path = match fs::canonicalize(path) {
            Ok(real) => real,
            Err(error) => new(error).map(|_: Zeroizing<String>| path.to_owned())?,
        };
        let lock = lock(&path).map_err(|error| ("lock", error))?;
        let (text, former) = match fs::metadata(&path) {
            Ok(metadata) => (read_text(&path, limit).map_err(unread)?, Some(metadata)),
            Err(error) => (new(error)?, None),
        };
        Ok(Self { path, text, former, _lock: lock })
    }

    /// Replaces the file by `text` atomically; it is on disk when this returns. It keeps its mode and owner; a new one is
    /// private, as [`create`] makes it.
    pub(crate) fn finish(self, text: &str) -> io::Result<()> {
        let draft = beside(&self.path, ".new");
        let written = write_draft(&draft, text.as_bytes(), self.former.as_ref());
        let replaced = written.and_then(|()| fs::rename(&draft, &self.path));
        if replaced.is_err() {
            let _ = fs::remove_file(&draft);
        }
        replaced.and_then(|()| sync_dir(parent(&self.path)))
    }
}

/// Waits for the lock on edits of the file `path`, which is held until the returned file is dropped. The directory is
/// created with mode 0700 if it is missing.
///
/// The lock is on `<path>.lock`: the file itself cannot carry it, since each edit replaces it.
fn lock(path: &Path) -> io::Result<File> {
    create_dir(parent(path))?;
    let file = open_or_create(&beside(path, ".lock"))?;
    file.lock()?;
    Ok(file)
}

fn write_draft(draft: &Path, contents: &[u8], former: Option<&fs::Metadata>) -> io::Result<()> {
    // An interrupted edit may have left one behind; the lock makes this process the only writer.
    if let Err(error) = fs::remove_file(draft)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error);
    }
    let mut file = create(draft)?;
    file.write_all(contents)?;
    if let Some(former) = former {
        set_owner(&file, former)?;
        file.set_permissions(former.permissions())?;
    }
    file.sync_all()
}

/// The path of a file in the same directory: its name with `suffix`.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}

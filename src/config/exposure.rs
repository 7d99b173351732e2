//! What others can do with a file that holds secrets, or decides where they go.

use std::fmt;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::process::{getegid, geteuid};

/// Bits of a file's mode.
const WRITE_BY_OTHERS: u32 = 0o022;
const READ_BY_GROUP: u32 = 0o040;
const READ_BY_ALL: u32 = 0o004;

/// That others than the gateway's user and root have a way to a file. As text it says so, and what to
/// do.
#[derive(Debug)]
pub(crate) struct Exposure {
    path: PathBuf,
    pub(crate) to: Access,
}

/// What others can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Change it.
    Write { mode: u32 },
    /// Read it.
    Read { mode: u32 },
    /// Both, as its owner.
    Own { owner: u32 },
}

// === impl Exposure ===

impl Exposure {
    /// The worst that others can do with the file at `path`. What is missing is made private later; a
    /// terminal, a pipe or the like is for whoever made it to guard.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        // Whatever else is wrong with it, opening it says so.
        let metadata = std::fs::metadata(path).ok()?;
        let to = metadata.is_file().then(|| access(&metadata)).flatten()?;
        Some(Self {
            path: path.to_owned(),
            to,
        })
    }
}

fn access(metadata: &Metadata) -> Option<Access> {
    let mode = metadata.mode() & 0o7777;
    let (owner, this) = (metadata.uid(), geteuid().as_raw());
    // A file of root's that the gateway reads as its group's is nobody else's; the group of root has
    // nobody else in it either.
    let group = metadata.gid();
    let is_own_group = owner == 0 && this != 0 && (group == 0 || group == getegid().as_raw());
    if mode & WRITE_BY_OTHERS != 0 {
        Some(Access::Write { mode })
    } else if mode & READ_BY_ALL != 0 || (mode & READ_BY_GROUP != 0 && !is_own_group) {
        Some(Access::Read { mode })
    } else if owner != this && owner != 0 {
        Some(Access::Own { owner })
    } else {
        None
    }
}

impl fmt::Display for Exposure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.path.display();
        match self.to {
            Access::Write { mode } => write!(
                f,
                "others can write to {file} (mode {mode:04o}); make sure that nobody did, then `chmod \
                 go-w {file}`"
            ),
            Access::Read { mode } => write!(
                f,
                "others can read {file} (mode {mode:04o}); `chmod go= {file}`"
            ),
            Access::Own { owner } => {
                let this = geteuid().as_raw();
                write!(
                    f,
                    "{file} belongs to the user {owner}, who can read and change it, and not to the \
                     gateway's, {this}; `chown {this} {file}`"
                )
            }
        }
    }
}

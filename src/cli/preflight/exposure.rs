//! Detects access of others to a file that contains secrets, or determines where they are sent.

use std::fmt;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::process::{getegid, geteuid};

use crate::files;

/// Bits in the mode of a file.
const WRITE_BY_OTHERS: u32 = 0o022;
const READ_BY_GROUP: u32 = 0o040;
const READ_BY_ALL: u32 = 0o004;

/// Users other than the gateway's and root have access to a file. Its `Display` says so, and what to do.
#[derive(Debug)]
pub(super) struct Exposure {
    path: PathBuf,
    pub(super) to: Access,
}

/// The access of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Others can write it.
    Write { mode: u32 },
    /// Others can read it.
    Read { mode: u32 },
    /// Its owner, who can do both, is another user.
    Own { owner: u32 },
}

// === impl Exposure ===

impl Exposure {
    /// The most dangerous access that others have to the file at `path`. `None` for a missing file, which is created
    /// private later, and for a terminal or a pipe, which its creator has to protect.
    pub(super) fn find(path: &Path) -> Option<Self> {
        // Other faults are reported by opening it.
        let metadata = files::metadata(path).ok()?;
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
    // A file that is owned by root and readable by the gateway's group is not exposed; neither is one with the
    // group of root.
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
                "other users can write to {file} (mode {mode:04o}); check that nobody did, then run \
                 `chmod go-w {file}`"
            ),
            Access::Read { mode } => write!(
                f,
                "other users can read {file} (mode {mode:04o}); run `chmod go= {file}`"
            ),
            // It is probably the gateway's user; root runs commands beside it.
            Access::Own { owner } if geteuid().is_root() => write!(
                f,
                "{file} belongs to user {owner}, who can read and change it; unless the gateway runs as that user, run \
                 `chown root {file}`"
            ),
            Access::Own { owner } => {
                let this = geteuid().as_raw();
                write!(
                    f,
                    "{file} belongs to user {owner}, who can read and change it, and not to the \
                     gateway's user {this}; run `chown {this} {file}`"
                )
            }
        }
    }
}

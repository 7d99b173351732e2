//! Detects access of others to a file that contains secrets, or determines where they are sent.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::process::{getegid, geteuid};

use crate::files::{self, WRITE_BY_OTHERS};

const READ_BY_GROUP: u32 = 0o040;
const READ_BY_ALL: u32 = 0o004;

/// Users other than the gateway's and root have access to a file.
pub(super) struct Exposure {
    pub(super) can_write: bool,
    /// The access, and what to do.
    pub(super) problem: String,
}

impl Exposure {
    /// The most dangerous access that others have to the file at `path`. `None` for a missing file, which is created
    /// private later, and for a terminal or a pipe, which its creator has to protect.
    pub(super) fn find(path: &Path) -> Option<Self> {
        // Other faults are reported by opening it.
        let metadata = files::metadata(path).ok().filter(|it| it.is_file())?;
        let mode = metadata.mode() & 0o7777;
        let (owner, this, file) = (metadata.uid(), geteuid().as_raw(), path.display());
        // A file of root is not exposed if the gateway's group can read it, nor one with the group of root.
        let group = metadata.gid();
        let is_own_group = owner == 0 && this != 0 && (group == 0 || group == getegid().as_raw());
        let can_write = mode & WRITE_BY_OTHERS != 0;
        let problem = if can_write {
            format!(
                "other users can write to {file} (mode {mode:04o}); check that nobody did, then run `chmod go-w {file}`"
            )
        } else if mode & READ_BY_ALL != 0 || (mode & READ_BY_GROUP != 0 && !is_own_group) {
            format!("other users can read {file} (mode {mode:04o}); run `chmod go= {file}`")
        } else if owner == this || owner == 0 {
            return None;
        } else if this == 0 {
            // It is probably the gateway's user; root runs commands beside it.
            format!(
                "{file} belongs to user {owner}, who can read and change it; unless the gateway runs as that user, run \
                 `chown root {file}`"
            )
        } else {
            format!(
                "{file} belongs to user {owner}, who can read and change it, and not to the gateway's user {this}; run \
                 `chown {this} {file}`"
            )
        };
        Some(Self { can_write, problem })
    }
}

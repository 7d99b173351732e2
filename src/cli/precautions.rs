//! Precautions of `serve` before it reads a secret: denies access to its memory, and raises a limit.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Excludes the memory of this process, which contains keys and passwords, from core dumps and from access by other
/// processes of its user.
///
/// # Errors
/// If the system refuses it.
pub(super) fn hide_memory() -> io::Result<()> {
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    setrlimit(Resource::Core, none)?;
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    }
    Ok(())
}

/// Raises the soft limit of open files to the hard one: each connection is one, and many systems start
/// with a soft limit far below `max_connections`.
///
/// # Errors
/// If the system refuses it.
pub(super) fn raise_open_files() -> io::Result<()> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        ..limit
    };
    Ok(setrlimit(Resource::Nofile, raised)?)
}

//! Precautions of `serve` before it reads a secret: denies access to its memory, and raises a limit.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Excludes this process's memory, which has keys and passwords, from core dumps and from other processes of its user.
pub(super) fn hide_memory() -> io::Result<()> {
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    setrlimit(Resource::Core, none)?;
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    }
    Ok(())
}

/// Descriptors of a process that serves, beside its connections and those to the groupware server: the database, the
/// identity provider, the listener for metrics and its clients, log files.
const OTHER_FILES: u64 = 128;

/// What the limit of open files is, and what this process may need, if that is more.
pub(super) fn too_few_open_files(connections: usize, in_flight: usize) -> Option<(u64, u64)> {
    let limit = getrlimit(Resource::Nofile).current?;
    let needed = (connections as u64).saturating_add(in_flight as u64).saturating_add(OTHER_FILES);
    (limit < needed).then_some((limit, needed))
}

/// Raises the soft limit of open files to the hard one: connections need more than many systems' soft limit.
pub(super) fn raise_open_files() -> io::Result<()> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, ..limit };
    Ok(setrlimit(Resource::Nofile, raised)?)
}

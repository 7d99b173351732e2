//! The cores and open files of this process and its children.

use std::sync::OnceLock;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The core reserved for the servers, if there is more than one.
static LAST: OnceLock<CpuSet> = OnceLock::new();

/// Raises the limit of open files to its maximum.
pub(crate) fn raise_open_files() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, ..limit };
    setrlimit(Resource::Nofile, raised).unwrap();
}

/// Keeps this thread, and those that it starts, off the last core, which is reserved for the servers.
pub(crate) fn leave_the_last() {
    let mut cores = sched_getaffinity(None).unwrap();
    let at = (0..CpuSet::MAX_CPU).rfind(|core| cores.is_set(*core));
    let at = at.expect("the process runs on a core");
    cores.unset(at);
    if cores.count() > 0 {
        let mut last = CpuSet::new();
        last.set(at);
        sched_setaffinity(None, &cores).unwrap();
        LAST.get_or_init(|| last);
    }
}

/// Runs `start` on the last core: a process that it starts stays there.
pub(crate) fn on_the_last<T>(start: impl FnOnce() -> T) -> T {
    let Some(last) = LAST.get() else {
        return start();
    };
    let others = sched_getaffinity(None).unwrap();
    sched_setaffinity(None, last).unwrap();
    let started = start();
    sched_setaffinity(None, &others).unwrap();
    started
}

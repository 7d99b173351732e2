//! Work on a file that may never end, such as on a mount whose server is gone.

use std::collections::BTreeSet;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;

/// How long a file may take. A local one takes less than a millisecond.
pub(crate) const TIME_LIMIT: Duration = Duration::from_secs(2);

/// The files whose work has taken longer and has not ended yet, so that it is not begun again.
static OVERDUE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Does `work` on the file at `path` in a thread of its own, and waits for it for at most 2 seconds. No runtime and no
/// end of the process waits for that thread.
///
/// It blocks for that long: do not call it on a runtime's threads, but in `spawn_blocking`.
///
/// # Errors
/// Those of `work`, or [`io::ErrorKind::TimedOut`]; that at once, while earlier work on this file has not ended.
pub(crate) fn in_time<T: Send + 'static>(
    path: &Path,
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    if OVERDUE.lock().contains(path) {
        return Err(timed_out());
    }
    let (sender, receiver) = mpsc::sync_channel(1);
    let owned = path.to_owned();
    let job = move || {
        let caught = panic::catch_unwind(AssertUnwindSafe(work));
        let result = caught.unwrap_or_else(|_| Err(io::Error::other("reading it panicked")));
        let mut overdue = OVERDUE.lock();
        overdue.remove(&owned);
        // Nobody may be waiting any more.
        let _ = sender.send(result);
    };
    thread::Builder::new().name("file".into()).spawn(job)?;
    receiver.recv_timeout(TIME_LIMIT).unwrap_or_else(|_| {
        let mut overdue = OVERDUE.lock();
        // It may have ended just now.
        receiver.try_recv().unwrap_or_else(|_| {
            overdue.insert(path.to_owned());
            Err(timed_out())
        })
    })
}

fn timed_out() -> io::Error {
    let problem = format!(
        "the file system did not answer within {} seconds; check the disk or mount that it is on",
        TIME_LIMIT.as_secs()
    );
    io::Error::new(io::ErrorKind::TimedOut, problem)
}

#[cfg(test)]
#[path = "../../../tests/unit/in_time.rs"]
mod tests;

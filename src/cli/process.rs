//! The environment of a command: its settings, and a runtime.

use std::io;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use clap::ArgMatches;
use futures_util::FutureExt as _;
use tokio::runtime::{Builder, Runtime};

use super::failure::Failure;
use crate::config::setting::{ALL, Setting};
use crate::config::{Faults, ReadFile, Sources, refuse_unknown};
use crate::files;

/// How long the end of a command waits for threads that work on files.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// The sources of the values of the settings in this process.
///
/// # Errors
/// The environment has a variable that looks like a setting but is not, the TOML file is invalid, or so is one of
/// the settings of the command, used or not.
pub(super) fn sources(matches: &ArgMatches) -> Result<Sources<'_>, Failure> {
    let (sources, mut faults) = all_sources(matches, files::read_text_or_pipe);
    if let Some(sources) = &sources {
        let is_own = |it: &&'static Setting| matches.try_contains_id(it.key).is_ok();
        let more = sources.faults(ALL.iter().copied().filter(is_own));
        more.0.into_iter().for_each(|fault| faults.add(fault));
    }
    sources.filter(|_| faults.is_empty()).ok_or_else(|| Failure::all(faults.0))
}

/// The sources, `None` if the TOML file cannot be read, and the faults of the environment.
pub(super) fn all_sources(
    matches: &ArgMatches,
    read_file: ReadFile,
) -> (Option<Sources<'_>>, Faults) {
    let mut faults = Faults::default();
    faults.keep(refuse_unknown(std::env::vars_os()));
    let sources = Sources::new(matches, &|name| std::env::var_os(name), read_file);
    (faults.keep(sources), faults)
}

/// A runtime of this thread alone, for a short task.
pub(super) fn current_thread() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

/// Runs `task` on a runtime with a thread for each core; on a single core in this thread, which wakes no other threads.
pub(super) fn block_on<T>(task: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let mut runtime = match thread::available_parallelism() {
        Ok(cores) if cores.get() == 1 => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    let runtime = runtime.enable_all().build()?;
    // Boxed, so that the runtime is not compiled for each command.
    let result = runtime.block_on(task.boxed_local());
    end(runtime);
    result
}

fn end(runtime: Runtime) {
    // What a thread is still at may never end: a file on a mount whose server is gone, the name of a host. Nor may the
    // drop of a task, which closes the database, on a disk that hangs: so that is not done in this thread either.
    let (ended, has_ended) = mpsc::channel();
    thread::spawn(move || {
        runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
        ended.send(()).ok();
    });
    has_ended.recv_timeout(2 * SHUTDOWN_TIMEOUT).ok();
}

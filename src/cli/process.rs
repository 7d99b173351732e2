//! What a command has of its process: the environment, and a runtime.

use std::ffi::OsString;

use clap::ArgMatches;
use tokio::runtime::Builder;

use super::failure::Failure;
use crate::config::{ConfigError, Sources, refuse_unknown};

/// The sources from which this process has the values of its settings.
///
/// # Errors
/// The environment has a variable that looks like a setting and is none, or the TOML file cannot be
/// used.
pub(super) fn sources(matches: &ArgMatches) -> Result<Sources<'_>, ConfigError> {
    refuse_unknown(std::env::vars_os())?;
    Sources::new(matches, &environment)
}

fn environment(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// Runs `task` on a runtime with a thread for each core; on one core alone in this thread, so that
/// no thread has to wake another one.
pub(super) fn block_on<T>(task: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let mut runtime = match std::thread::available_parallelism() {
        Ok(cores) if cores.get() == 1 => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    runtime.enable_all().build()?.block_on(task)
}

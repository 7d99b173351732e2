//! What a command has of its process: the environment, and a runtime.

use std::ffi::OsString;

use clap::ArgMatches;

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

/// Runs `task` on a runtime with all cores.
pub(super) fn block_on<T>(task: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?
        .block_on(task)
}

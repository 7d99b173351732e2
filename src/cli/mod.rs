//! The commands of the binary.

mod check_config;
mod credentials;
mod decode;
mod demo;
mod identity;
mod logging;
mod open;
mod output;
mod precautions;
mod serve;
mod token;

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::process::ExitCode;

use clap::{ArgMatches, Command};

use self::output::say;
use crate::config::{ConfigError, Sources};

/// Runs the command of the command line.
pub(crate) fn run() -> ExitCode {
    let matches = command().get_matches();
    let Some((name, matches)) = matches.subcommand() else {
        unreachable!("clap asks for a command");
    };
    let result = match name {
        "serve" => serve::run(matches),
        "demo" => demo::run(matches),
        "decode" => decode::run(matches),
        "credentials" => credentials::run(matches),
        "token" => token::run(matches),
        "check-config" => check_config::run(matches),
        _ => unreachable!("clap knows no other command"),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            say(format_args!("portreeve: {}", failure.line));
            ExitCode::from(failure.code)
        }
    }
}

fn command() -> Command {
    Command::new("portreeve")
        .version(clap::crate_version!())
        .about("A guarded side gate to a Nextcloud server, and a reader of Cockatrice's messages")
        .after_help(
            "Start here:\n  \
             portreeve demo      a gateway to try, with everything it needs in one process\n  \
             portreeve serve     the gateway; `portreeve serve --help` lists the settings\n  \
             portreeve decode    the messages of a recorded game session, a line each",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(serve::command())
        .subcommand(demo::command())
        .subcommand(decode::command())
        .subcommand(credentials::command())
        .subcommand(token::command())
        .subcommand(check_config::command())
}

/// Why a command failed: one line for standard error, and the exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    line: String,
    code: u8,
}

impl Failure {
    /// A failure with this line, and exit code 1.
    pub(crate) fn new(line: impl fmt::Display) -> Self {
        // One line, even if the text of a cause has several.
        let line = line.to_string().replace(['\n', '\r'], " ");
        Self { line, code: 1 }
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        let code = if error.is_of_command_line() { 2 } else { 1 };
        Self {
            code,
            ..Self::new(error)
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::new(error)
    }
}

/// The sources from which this process has the values of its settings.
fn sources(matches: &ArgMatches) -> Result<Sources<'_>, ConfigError> {
    Sources::new(matches, &environment)
}

fn environment(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// Runs `task` on a runtime with all cores.
fn block_on<T>(task: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?
        .block_on(task)
}

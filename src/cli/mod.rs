//! The commands.

mod decode;

use std::fmt;
use std::process::ExitCode;

use clap::Command;

/// Runs the command of the command line.
pub(crate) fn run() -> ExitCode {
    let matches = command().get_matches();
    let Some((name, matches)) = matches.subcommand() else {
        unreachable!("clap asks for a command");
    };
    let result = match name {
        "decode" => decode::run(matches),
        _ => unreachable!("clap knows no other command"),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("portreeve: {}", failure.line);
            ExitCode::from(failure.code)
        }
    }
}

fn command() -> Command {
    Command::new("portreeve")
        .version(clap::crate_version!())
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(decode::command())
}

/// Why a command failed: one line for standard error, and the exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    line: String,
    code: u8,
}

impl Failure {
    /// The command failed at what it says.
    pub(crate) fn new(line: impl fmt::Display) -> Self {
        // One line, whatever a cause says of itself.
        let line = line.to_string().replace(['\n', '\r'], " ");
        Self { line, code: 1 }
    }
}

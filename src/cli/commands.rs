//! Tables of commands: a row is everything that the program needs to know about a command.

use clap::{ArgMatches, Command};

use super::Failure;

/// A command: its definition for the command line, and its implementation.
pub(super) type Row = (fn() -> Command, fn(&ArgMatches) -> Result<(), Failure>);

/// Adds `rows` as the required subcommands of `command`.
pub(super) fn with_commands(command: Command, rows: &[Row]) -> Command {
    command
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(rows.iter().map(|(command, _)| command()))
}

/// Runs the selected one of `rows`, which [`with_commands`] added.
pub(super) fn run(rows: &[Row], matches: &ArgMatches) -> Result<(), Failure> {
    let (name, matches) = matches.subcommand().expect("clap asks for a command");
    let mut rows = rows.iter();
    let (_, run) = rows
        .find(|(command, _)| command().get_name() == name)
        .expect("clap knows no other command");
    run(matches)
}

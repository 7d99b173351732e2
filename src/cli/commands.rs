//! Tables of commands: a row is all that the program has to be told of a command.

use clap::{ArgMatches, Command};

use super::Failure;

/// A command: how it looks on the command line, and what it does.
pub(super) type Row = (fn() -> Command, fn(&ArgMatches) -> Result<(), Failure>);

/// `command`, which does nothing without one of `rows`.
pub(super) fn with_commands(command: Command, rows: &[Row]) -> Command {
    command
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(rows.iter().map(|(command, _)| command()))
}

/// Runs the one of `rows` that was asked for, of those that [`with_commands`] added.
pub(super) fn run(rows: &[Row], matches: &ArgMatches) -> Result<(), Failure> {
    let (name, matches) = matches.subcommand().expect("clap asks for a command");
    let mut rows = rows.iter();
    let (_, run) = rows
        .find(|(command, _)| command().get_name() == name)
        .expect("clap knows no other command");
    run(matches)
}

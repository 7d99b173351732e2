//! `portreeve game`: talking to a game server.

mod connect;
mod input;
mod lines;
mod output;
mod recording;
mod session;

use clap::{ArgMatches, Command};

use super::Failure;

/// The command line of `game`.
pub(super) fn command() -> Command {
    Command::new("game")
        .about("Talks to a game server")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(connect::command())
}

/// Runs `game`.
pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    match matches.subcommand() {
        Some(("connect", matches)) => connect::run(matches),
        _ => unreachable!("clap rejects other commands"),
    }
}

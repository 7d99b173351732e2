//! `portreeve game`: talking to a game server.

mod connect;
mod input;
mod lines;
mod output;
mod recording;
mod session;

use clap::Command;

use super::commands::Row;

pub(super) const COMMANDS: &[Row] = &[Row::One(connect::command, connect::run)];

/// The command line of `game`.
pub(super) fn command() -> Command {
    Command::new("game").about("Talks to a game server")
}

//! `portreeve game`: talking to a game server.

mod connect;
mod demo;
mod input;
mod lines;
mod output;
mod recording;
mod replays;
mod server;
mod session;

use clap::Command;

use super::commands::Row;

pub(super) const COMMANDS: &[Row] = &[
    Row::One(connect::command, connect::run),
    Row::One(replays::command, replays::run),
    Row::One(demo::command, demo::run),
];

pub(super) fn command() -> Command {
    Command::new("game").about("Talk to a game server, try out a bot, and save replays")
}

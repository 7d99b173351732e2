//! The commands of the binary.

mod accounts;
mod any_certificate;
mod audit;
mod check_config;
mod check_token;
mod commands;
mod completions;
mod config_file;
mod credentials;
mod decode;
mod demo;
mod events;
mod failure;
mod game;
mod healthcheck;
mod identity;
mod init;
mod logging;
mod man;
mod open;
mod openapi;
mod output;
mod password;
mod precautions;
mod preflight;
mod process;
mod serve;
mod signals;
mod spans;
mod tls;
mod token;
mod vault;
mod version;

use std::process::ExitCode;

use clap::Command;

use self::commands::{Row, with_commands};
use self::output::say;

pub(crate) use failure::Failure;
use process::{block_on, sources};

/// The commands, in the order of `--help`.
const COMMANDS: &[Row] = &[
    (init::command, init::run),
    (serve::command, serve::run),
    (demo::command, demo::run),
    (decode::command, decode::run),
    (game::command, game::run),
    (credentials::command, credentials::run),
    (accounts::command, accounts::run),
    (vault::command, vault::run),
    (token::command, token::run),
    (check_config::command, check_config::run),
    (config_file::command, config_file::run),
    (healthcheck::command, healthcheck::run),
    (completions::command, completions::run),
    (man::command, man::run),
    (openapi::command, openapi::run),
    (events::command, events::run),
    (version::command, version::run),
];

/// Runs the command of the command line.
pub(crate) fn run() -> ExitCode {
    match commands::run(COMMANDS, &command().get_matches()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            for line in failure.line.lines() {
                say(format_args!("portreeve: {line}"));
            }
            ExitCode::from(failure.code)
        }
    }
}

fn command() -> Command {
    let program = Command::new("portreeve")
        .version(version::VERSION)
        .about("A guarded side gate to a Nextcloud server, and a reader of Cockatrice's messages")
        .after_help(
            "Start here:\n  \
             portreeve demo      try a gateway, with everything it needs in one process\n  \
             portreeve init      create a configuration file for your server, checked online\n  \
             portreeve serve     run the gateway; `portreeve serve --help` lists the settings\n  \
             portreeve decode    print the messages of a recorded game session\n  \
             portreeve game      talk to a game server, in lines of JSON",
        );
    man::with_names(with_commands(program, COMMANDS))
}

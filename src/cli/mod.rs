//! The commands of the binary.

mod accounts;
mod audit;
mod check_config;
mod check_token;
mod commands;
mod completions;
mod config_file;
mod credentials;
#[cfg(feature = "game-client")]
mod decode;
mod deliveries;
mod demo;
mod events;
mod failure;
mod forward;
#[cfg(feature = "game-client")]
mod game;
mod healthcheck;
mod identity;
mod init;
mod keys;
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
mod sockets;
mod terminal;
mod tls;
mod token;
mod users;
mod vault;

use std::process::ExitCode;

use clap::Command;

use self::commands::{Row, with_commands};
use self::output::say;

pub(crate) use failure::Failure;
use process::{block_on, current_thread, sources};

/// The version, the commit it was built from, and the features that are on.
const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    " (revision ",
    env!("BUILT_FROM_REVISION"),
    ", features ",
    env!("BUILT_WITH_FEATURES"),
    ")"
);

const COMMANDS: &[Row] = &[
    Row::One(init::command, init::run),
    Row::One(serve::command, serve::run),
    Row::One(demo::command, demo::run),
    #[cfg(feature = "game-client")]
    Row::One(decode::command, decode::run),
    #[cfg(feature = "game-client")]
    Row::Group(game::command, game::COMMANDS),
    Row::Group(credentials::command, credentials::COMMANDS),
    Row::Group(accounts::command, accounts::COMMANDS),
    Row::Group(users::command, users::COMMANDS),
    Row::Group(keys::command, keys::COMMANDS),
    Row::Group(vault::command, vault::COMMANDS),
    Row::Group(token::command, token::COMMANDS),
    Row::One(check_config::command, check_config::run),
    Row::Group(config_file::command, config_file::COMMANDS),
    Row::WithSettings(healthcheck::command, healthcheck::SETTINGS, healthcheck::run),
    Row::One(completions::command, completions::run),
    Row::One(man::command, man::run),
    Row::One(openapi::command, openapi::run),
    Row::Group(events::command, events::COMMANDS),
    Row::Group(deliveries::command, deliveries::COMMANDS),
    Row::Group(forward::command, forward::COMMANDS),
];

pub(crate) fn run() -> ExitCode {
    let matches = match command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => match commands::secret_flag(&error) {
            Some(line) => {
                say(format_args!("portreeve: {line}"));
                return ExitCode::from(2);
            }
            None => error.exit(),
        },
    };
    match commands::run(COMMANDS, &matches) {
        Ok(()) => ExitCode::SUCCESS,
        Err(mut failure) => {
            failure.name_file(&matches);
            for line in failure.line.lines() {
                say(format_args!("portreeve: {line}"));
            }
            ExitCode::from(failure.code)
        }
    }
}

fn command() -> Command {
    let reader = cfg!(feature = "game-client").then_some(", and a reader of Cockatrice's messages");
    let about = "A gateway to Nextcloud for callers with bearer tokens";
    let program = Command::new("portreeve")
        .version(VERSION)
        .about(format!("{about}{}", reader.unwrap_or_default()))
        .after_help(
            "Start here:\n  \
             portreeve demo      try a gateway, with everything it needs in one process\n  \
             portreeve init      create a configuration file for your server, checked online\n  \
             portreeve serve     run the gateway; `portreeve serve --help` lists the settings",
        );
    man::with_names(with_commands(program, COMMANDS))
}

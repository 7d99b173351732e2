//! The commands of the binary.

mod accounts;
mod any_certificate;
mod audit;
mod check_config;
mod check_token;
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
mod spans;
mod store;
mod tls;
mod token;
mod vault;
mod version;

use std::process::ExitCode;

use clap::Command;

use self::output::say;

pub(crate) use failure::{Failure, with_causes};
use process::{block_on, sources};

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
        "game" => game::run(matches),
        "accounts" => accounts::run(matches),
        "credentials" => credentials::run(matches),
        "vault" => vault::run(matches),
        "token" => token::run(matches),
        "check-config" => check_config::run(matches),
        "config" => config_file::run(matches),
        "healthcheck" => healthcheck::run(matches),
        "completions" => completions::run(matches),
        "man" => man::run(matches),
        "openapi" => openapi::run(),
        "events" => events::run(matches),
        "version" => version::run(),
        _ => unreachable!("clap knows no other command"),
    };
    match result {
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
             portreeve demo      a gateway to try, with everything it needs in one process\n  \
             portreeve serve     the gateway; `portreeve serve --help` lists the settings\n  \
             portreeve decode    the messages of a recorded game session, a line each\n  \
             portreeve game      a session with a game server, as lines of JSON",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(serve::command())
        .subcommand(demo::command())
        .subcommand(decode::command())
        .subcommand(game::command())
        .subcommand(credentials::command())
        .subcommand(accounts::command())
        .subcommand(vault::command())
        .subcommand(token::command())
        .subcommand(check_config::command())
        .subcommand(config_file::command())
        .subcommand(healthcheck::command())
        .subcommand(completions::command())
        .subcommand(man::command())
        .subcommand(openapi::command())
        .subcommand(events::command())
        .subcommand(version::command());
    man::with_names(program)
}

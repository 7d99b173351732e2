//! `portreeve config`: a configuration file to begin with.

use clap::{ArgMatches, Command};

use super::Failure;
use super::output::print;
use crate::config::example_file;

pub(super) fn command() -> Command {
    let example = Command::new("example")
        .about("Print a commented configuration file with every setting, its default or an example")
        .after_help(
            "Each setting stands behind a `#`: as it is, the file changes nothing. `portreeve \
             check-config --config FILE` tells what is in force.",
        );
    Command::new("config")
        .about("Print a configuration file to begin with")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(example)
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    match matches.subcommand_name() {
        Some("example") => print(example_file().as_bytes()),
        _ => unreachable!("clap knows no other command"),
    }
}

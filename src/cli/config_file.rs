//! `portreeve config`: a configuration file to begin with.

use clap::{ArgMatches, Command};

use super::Failure;
use super::commands::Row;
use super::output::print;
use crate::config::config_file;

pub(super) const COMMANDS: &[Row] = &[Row::One(example_command, example)];

pub(super) fn command() -> Command {
    Command::new("config").about("Print an example of a configuration file")
}

fn example_command() -> Command {
    Command::new("example")
        .about("Print a commented configuration file with every setting, its default or an example")
        .after_help(
            "Every setting is commented out with `#`, so the unchanged file has no effect. \
             `portreeve check-config --config FILE` shows the settings in force.",
        )
}

fn example(_: &ArgMatches) -> Result<(), Failure> {
    print(config_file(|_| None).as_bytes())
}

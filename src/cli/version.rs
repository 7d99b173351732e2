//! `portreeve version`, and `portreeve --version`.

use clap::{ArgMatches, Command};

use super::Failure;
use super::output::print;

/// The version, the commit it was built from, and the features that are on.
pub(super) const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    " (revision ",
    env!("BUILT_FROM_REVISION"),
    ", features ",
    env!("BUILT_WITH_FEATURES"),
    ")"
);

pub(super) fn command() -> Command {
    Command::new("version")
        .about("Print the version, the commit it was built from, and the features that are on")
}

pub(super) fn run(_: &ArgMatches) -> Result<(), Failure> {
    print(format!("portreeve {VERSION}\n").as_bytes())
}

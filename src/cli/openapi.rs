//! `portreeve openapi`: the description of the API.

use clap::{ArgMatches, Command};
use portreeve::gateway::OPENAPI;

use super::Failure;
use super::output::print;

pub(super) fn command() -> Command {
    Command::new("openapi")
        .about("Print the description of the API, an OpenAPI 3.1 document in JSON")
}

pub(super) fn run(_: &ArgMatches) -> Result<(), Failure> {
    print(OPENAPI.as_bytes())
}

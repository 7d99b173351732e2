//! `portreeve openapi`: the description of the API.

use std::io::{self, Write as _};

use clap::Command;
use portreeve::gateway::OPENAPI;

use super::Failure;
use super::output::is_closed;

pub(super) fn command() -> Command {
    Command::new("openapi")
        .about("Print the description of the API, an OpenAPI 3.1 document in JSON")
}

pub(super) fn run() -> Result<(), Failure> {
    is_closed(io::stdout().write_all(OPENAPI.as_bytes()))?;
    Ok(())
}

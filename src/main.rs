//! The `portreeve` binary: see `portreeve --help`.

mod causes;
mod cli;
mod config;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}

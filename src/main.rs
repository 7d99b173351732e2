//! The `portreeve` binary: see `portreeve --help`.

mod causes;
mod cli;
mod config;
// The part of the library's own module that reads, which is not public.
#[allow(
    dead_code,
    reason = "the library needs other parts of it than the binary"
)]
#[path = "files/reading/mod.rs"]
mod files;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}

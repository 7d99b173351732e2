//! The `portreeve` binary: see `portreeve --help`.

mod any_server;
mod causes;
mod cli;
mod config;
// The library's own module, which is not public.
#[allow(dead_code, unused_imports, reason = "the library needs other parts of it than the binary")]
mod files;
#[allow(
    dead_code,
    unreachable_pub,
    reason = "the library needs other parts of it, and exports them"
)]
mod tls;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}

//! The management API and the command line as text: each `.txt` file of `tests/exchanges` has exchanges with the
//! gateway, each of `tests/transcripts` commands and what they print. The notation is described in `tests/README.md`.

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use portreeve_test_support as support;

mod pattern;
mod play;
mod script;
#[cfg(feature = "cli")]
mod shell;
mod talk;

fn main() -> ExitCode {
    let mut trials = Vec::new();
    for test in script::read_all("tests/exchanges") {
        let name = format!("{}::{}", test.file, test.name);
        assert!(script::names_a_section(&test.name), "{name} names no section of docs/API.md");
        trials.push(Trial::test(name, move || play::play(&test).map_err(Into::into)));
    }
    #[cfg(feature = "cli")]
    for test in script::read_all("tests/transcripts") {
        let name = format!("{}::{}", test.file, test.name);
        trials.push(Trial::test(name, move || shell::play(&test).map_err(Into::into)));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

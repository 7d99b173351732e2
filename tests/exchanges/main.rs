//! The management API as text: each `.txt` file here has exchanges with the gateway. The notation is described in
//! `tests/README.md`.

use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use portreeve_test_support as support;

mod pattern;
mod play;
mod script;

fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exchanges");
    let trials = script::read_all(&folder).into_iter().map(|test| {
        let name = format!("{}::{}", test.file, test.name);
        Trial::test(name, move || play::play(&test).map_err(Into::into))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

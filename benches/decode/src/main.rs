//! The reader of `Response` messages beside the other protobuf decoders, on the same messages, in
//! one run: instructions and wall time.
//!
//!     cargo bench --bench decode
//!     cargo bench --bench decode -- chart
//!
//! The second counts only instructions, and draws docs/charts/decode.svg. Instructions are counted by valgrind, if
//! it is installed; the rest needs nothing but cargo. Every decoder must give the same outcome for every message
//! before anything is measured.
// A program has no exports.
#![allow(unreachable_pub)]

mod chart;
mod check;
mod checksum;
mod clock;
mod guard;
mod instructions;
mod peers;
mod reader;
mod results;
mod schema {
    include!(concat!(env!("OUT_DIR"), "/schema.rs"));
}
mod task;
mod workload;

use std::io;
use std::process::ExitCode;

use results::Bench;
use task::Task;

const USAGE: &str = "usage: cargo bench --bench decode -- [chart | guard [--update]]

  chart     count instructions only, and draw docs/charts/decode.svg
  guard     hold the reader's instructions against benches/decode/instructions.txt
  --update  write them there";

fn main() -> ExitCode {
    // Cargo adds an argument.
    let words = std::env::args().skip(1).filter(|word| word != "--bench");
    let words: Vec<String> = words.collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    // The order of the lines in every table.
    let decoders = std::iter::once(reader::DECODER).chain(peers::ALL);
    let bench = Bench::new(decoders.collect());
    if let [instructions::ARGUMENT, guarded @ ..] = &words[..] {
        match guarded {
            [] => instructions::measure(&bench.cells()),
            _ => instructions::measure(&guard::reader().cells()),
        }
        return ExitCode::SUCCESS;
    }
    check::check(&bench.decoders, &bench.workloads);
    let outcome = match words[..] {
        [] => {
            bench.describe();
            if let Err(error) = counts(&bench, false) {
                eprintln!("\nNo instructions counted: {error}. Is valgrind installed?");
            }
            for task in Task::ALL {
                bench.print("nanoseconds a message", bench.nanoseconds(task));
            }
            Ok(())
        }
        ["chart"] => counts(&bench, true),
        ["guard"] => guard::run(false),
        ["guard", "--update"] => guard::run(true),
        _ => Err(io::Error::other(USAGE)),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints the instructions, and may draw them.
fn counts(bench: &Bench, drawn: bool) -> io::Result<()> {
    let counted = bench.instructions(&[])?;
    if drawn {
        chart::draw(bench, &counted)?;
    }
    for results in counted {
        bench.print("instructions a message", results);
    }
    Ok(())
}

//! The reader of `Response` messages beside the other protobuf decoders, on the same messages, in
//! one run: instructions and wall time.
//!
//!     cargo bench --bench decode
//!     cargo bench --bench decode --profile bench-default
//!     cargo bench --bench decode -- instructions --chart docs/charts/decode.svg
//!
//! The first builds with link-time optimisation, the second with cargo's defaults; the last prints only
//! one part (`instructions` or `time`) and draws it. Instructions are
//! counted by valgrind, if it is installed; the rest needs nothing but cargo. Every decoder must
//! give the same outcome for every message before anything is measured.
// A program has no exports.
#![allow(unreachable_pub)]

mod arguments;
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

use std::process::ExitCode;

use arguments::{Arguments, Part};
use results::Bench;
use task::Task;

fn main() -> ExitCode {
    let arguments = Arguments::from_env();
    // The order of the lines in every table.
    let decoders = std::iter::once(reader::DECODER).chain(peers::ALL);
    let bench = Bench::new(decoders.collect());
    if arguments.under_callgrind {
        if arguments.guard {
            instructions::measure(&guard::reader().cells());
        } else {
            instructions::measure(&bench.cells());
        }
        return ExitCode::SUCCESS;
    }
    check::check(&bench.decoders, &bench.workloads);
    if arguments.guard {
        return guard::run(arguments.update).unwrap_or_else(|error| {
            eprintln!("The reader's instructions cannot be guarded: {error}.");
            ExitCode::FAILURE
        });
    }
    bench.describe();
    let mut outcome = ExitCode::SUCCESS;
    if arguments.asks_for(Part::Instructions)
        && let Err(error) = instructions(&bench, &arguments)
    {
        eprintln!("\nNo instructions counted: {error}. Is valgrind installed?");
        if arguments.names(Part::Instructions) || arguments.chart.is_some() {
            outcome = ExitCode::FAILURE;
        }
    }
    if arguments.asks_for(Part::Time) {
        for task in Task::ALL {
            bench.print("nanoseconds a message", bench.nanoseconds(task));
        }
    }
    outcome
}

fn instructions(bench: &Bench, arguments: &Arguments) -> std::io::Result<()> {
    let counted = bench.instructions(&[])?;
    if let Some(file) = &arguments.chart {
        chart::write(bench, &counted, file)?;
    }
    for results in counted {
        bench.print("instructions a message", results);
    }
    Ok(())
}

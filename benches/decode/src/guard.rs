//! Compares the reader's instructions with the checked-in counts.
use std::io;
use std::path::Path;
use std::process::ExitCode;

use bench_report::guard;

use crate::reader;
use crate::results::Bench;

/// The reader without its peers.
pub fn reader() -> Bench {
    Bench::new(vec![reader::DECODER])
}

/// Compares the counts with the file, or updates it.
///
/// # Errors
///
/// If valgrind cannot be run, or the file cannot be read or written.
pub fn run(update: bool) -> io::Result<ExitCode> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("instructions.txt");
    let bench = reader();
    let mut counts = Vec::new();
    for results in bench.instructions(&["guard"])? {
        let task = results.task.name();
        let values = results.rows.into_iter().flat_map(|row| row.values);
        for (workload, count) in bench.workloads.iter().zip(values) {
            let name = format!("{task}, {}", workload.name);
            counts.extend(count.map(|count| (name, count)));
        }
    }
    if update {
        guard::write(&file, &counts)?;
    }
    Ok(ExitCode::from(u8::from(!guard::holds(&file, &counts)?)))
}

//! Compares the reader's instructions with the checked-in counts.
use std::io;
use std::path::Path;

use bench_report::guard;

use crate::reader;
use crate::results::Bench;

/// The reader without its peers.
pub fn reader() -> Bench {
    Bench::new(vec![reader::DECODER])
}

/// Compares the counts with the file, after updating it if `update`.
///
/// # Errors
///
/// If one has grown, if valgrind cannot be run, or if the file cannot be read or written.
pub fn run(update: bool) -> io::Result<()> {
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
    guard::hold(&file, &counts, update)
}

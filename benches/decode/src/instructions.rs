//! Instruction counts, by valgrind's tool callgrind: they are the same in every run.
//!
//! The program starts itself again under callgrind, where [`measure`] calls [`measured`] once for
//! each cell of the tables. Callgrind counts within that function only and writes a file each time
//! it is left; [`count`] reads those files in the same order.
use std::hint::black_box;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::task::{Frame, Run};

/// The argument that indicates that the program runs under callgrind.
pub const ARGUMENT: &str = "--under-callgrind";

/// A cell of the tables.
pub type Cell<'a> = (Run, &'a [Frame]);

/// Instructions per message, in the order of the cells, or why there are none. The child process gets
/// `arguments` too, so that it measures the same cells.
pub fn count(cells: &[Cell], arguments: &[&str]) -> io::Result<Vec<f64>> {
    let folder = tempfile::tempdir()?;
    let out = folder.path().join("out");
    let run = Command::new("valgrind")
        .args(["--tool=callgrind", "--collect-atstart=no"])
        .arg(format!("--toggle-collect={MEASURED}"))
        .arg(format!("--dump-after={MEASURED}"))
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(std::env::current_exe()?)
        .arg(ARGUMENT)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()?;
    if !run.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&run.stderr).into_owned()));
    }
    // The first call counts the overhead around a decoder.
    let overhead = total(&out, 1)?;
    let each = |(index, (_, frames)): (usize, &Cell)| {
        let nothing = overhead * frames.len() as f64 / OVERHEAD_FRAMES as f64;
        Ok((total(&out, index + 2)? - nothing) / frames.len() as f64)
    };
    cells.iter().enumerate().map(each).collect()
}

const OVERHEAD_FRAMES: usize = 1_000;

/// Runs the measurements under callgrind.
pub fn measure(cells: &[Cell]) {
    let frames: Vec<Frame> = (0..OVERHEAD_FRAMES).map(|_| Vec::new().into()).collect();
    measured(|_| Some(0), &frames);
    for (run, frames) in cells {
        // Once outside of the count: the first run detects the processor's features, and leaves
        // the allocator with memory at hand.
        for frame in *frames {
            black_box(run(frame));
        }
        measured(*run, frames);
    }
}

/// The name by which callgrind knows [`measured`].
const MEASURED: &str = "decode::instructions::measured";

#[inline(never)]
fn measured(run: Run, frames: &[Frame]) {
    for frame in black_box(frames) {
        black_box(black_box(run)(frame));
    }
}

/// The total of the file that callgrind wrote when [`measured`] was left the `call`th time.
fn total(out: &Path, call: usize) -> io::Result<f64> {
    let file = out.with_extension(call.to_string());
    let text = std::fs::read_to_string(&file)?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: "));
    total
        .and_then(|total| total.trim().parse().ok())
        .ok_or_else(|| io::Error::other(format!("no totals in {}", file.display())))
}

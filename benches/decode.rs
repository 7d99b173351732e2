//! The reader of `Response` messages beside the other protobuf decoders, on the same messages, in
//! one run: instructions, wall time, allocations.
//!
//!     cargo bench --bench decode
//!     cargo bench --bench decode --profile bench-default
//!     cargo bench --bench decode -- instructions
//!
//! The first builds with link-time optimisation, the second as cargo does by default; the last
//! prints one part alone, `instructions`, `time` or `allocations`. Instructions are counted by
//! valgrind, where it is installed; the rest needs nothing but cargo. Every decoder must give the
//! same outcome for every message before anything is measured.
// A program exports nothing.
#![allow(unreachable_pub)]

#[path = "decode/allocations.rs"]
mod allocations;
#[path = "decode/checksum.rs"]
mod checksum;
#[path = "decode/clock.rs"]
mod clock;
#[path = "decode/floor.rs"]
mod floor;
#[path = "decode/instructions.rs"]
mod instructions;
#[path = "decode/peers/mod.rs"]
mod peers;
#[path = "decode/reader.rs"]
mod reader;
#[path = "decode/schema.rs"]
mod schema;
#[path = "decode/table.rs"]
mod table;
#[path = "decode/task.rs"]
mod task;
#[path = "decode/workload.rs"]
mod workload;

use checksum::Sum;
use table::Row;
use task::{Decoder, Frame, Run, Task};
use workload::Workload;

const FLOOR: Decoder = Decoder {
    name: "floor",
    pair: Some(|frame| floor::pair(&frame.bytes)),
    full: Some(|frame| floor::full(&frame.bytes)),
    owned: None,
};

const FLOOR_WITH_TEXT: Decoder = Decoder {
    name: "floor + text",
    pair: None,
    full: Some(|frame| floor::full_with_text(&frame.bytes)),
    owned: None,
};

fn main() {
    let workloads = workload::all();
    let decoders: Vec<Decoder> = [FLOOR, FLOOR_WITH_TEXT, reader::DECODER]
        .into_iter()
        .chain(peers::ALL)
        .collect();
    let bench = Bench {
        decoders,
        workloads,
    };
    if std::env::args().any(|argument| argument == instructions::ARGUMENT) {
        let cells: Vec<_> = Task::ALL
            .into_iter()
            .flat_map(|task| bench.cells(task))
            .collect();
        return instructions::measure(&cells);
    }
    bench.check();
    bench.describe();
    let parts = ["instructions", "time", "allocations"];
    let named: Vec<_> = std::env::args()
        .filter(|argument| parts.contains(&argument.as_str()))
        .collect();
    for part in parts {
        if !named.is_empty() && !named.iter().any(|named| named == part) {
            continue;
        }
        match part {
            "instructions" => bench.print_instructions(),
            "time" => bench.print_nanoseconds(),
            _ => bench.print_allocations(),
        }
    }
}

struct Bench {
    decoders: Vec<Decoder>,
    workloads: Vec<Workload>,
}

impl Bench {
    /// Stops the program where a decoder does not give the same outcome as the others.
    fn check(&self) {
        for Workload { name, frames } in &self.workloads {
            for (number, frame) in frames.iter().enumerate() {
                self.check_frame(&format!("{name}, message {number}"), frame);
            }
        }
    }

    fn check_frame(&self, place: &str, frame: &Frame) {
        for task in [Task::Pair, Task::Full] {
            let expected = reader::DECODER.run(task).and_then(|run| run(frame));
            let expected = expected.unwrap_or_else(|| panic!("{place}: cannot be read"));
            for decoder in &self.decoders {
                let Some(run) = decoder.run(task) else {
                    continue;
                };
                let outcome = run(frame);
                let agrees = match outcome {
                    // A walk that decodes no value sees as many fields.
                    Some(sum) if task == Task::Full && decoder.name.starts_with("floor") => {
                        Sum::fields(sum) == Sum::fields(expected)
                    }
                    outcome => outcome == Some(expected),
                };
                let task = task.name();
                let name = decoder.name;
                assert!(
                    agrees,
                    "{place}, {task}: {name} gives {outcome:x?}, not {expected:x}"
                );
            }
        }
    }

    fn describe(&self) {
        println!("\n| workload | messages | bytes |\n|---|--:|--:|");
        for workload in &self.workloads {
            println!(
                "| {} | {} | {} |",
                workload.name,
                workload.frames.len(),
                workload.size()
            );
        }
    }

    /// Every cell of a task's table that is not empty, line by line.
    fn cells(&self, task: Task) -> Vec<(Run, &[Frame])> {
        let runs = self.decoders.iter().filter_map(|decoder| decoder.run(task));
        runs.flat_map(|run| {
            self.workloads
                .iter()
                .map(move |workload| (run, workload.frames.as_slice()))
        })
        .collect()
    }

    fn print_instructions(&self) {
        let cells: Vec<_> = Task::ALL
            .into_iter()
            .flat_map(|task| self.cells(task))
            .collect();
        let counts = match instructions::count(&cells) {
            Ok(counts) => counts,
            Err(error) => {
                println!("\nNo instructions counted: {error}. Is valgrind installed?");
                return;
            }
        };
        let mut counts = counts.into_iter();
        for task in Task::ALL {
            let rows = self.rows(task, |_| {
                self.workloads.iter().map(|_| counts.next()).collect()
            });
            self.print("instructions a message", task, rows);
        }
    }

    fn print_nanoseconds(&self) {
        for task in Task::ALL {
            let runs: Vec<_> = self
                .decoders
                .iter()
                .map(|decoder| decoder.run(task))
                .collect();
            let columns: Vec<_> = self
                .workloads
                .iter()
                .map(|workload| clock::nanoseconds(&runs, &workload.frames))
                .collect();
            let rows = self.rows(task, |index| {
                columns.iter().map(|column| column[index]).collect()
            });
            self.print("nanoseconds a message", task, rows);
        }
    }

    fn print_allocations(&self) {
        for task in [Task::Full, Task::Owned] {
            let rows = self.rows(task, |index| {
                let run = self.decoders[index].run(task);
                self.workloads
                    .iter()
                    .map(|workload| run.map(|run| allocations_of(run, &workload.frames)))
                    .collect()
            });
            table::print(
                &title("allocations a message", task),
                &self.workloads,
                &rows,
            );
        }
    }

    /// A row for each decoder that does the task.
    fn rows(&self, task: Task, mut values: impl FnMut(usize) -> Vec<Option<f64>>) -> Vec<Row> {
        let decoders = self.decoders.iter().enumerate();
        decoders
            .filter(|(_, decoder)| decoder.run(task).is_some())
            .map(|(index, decoder)| Row {
                name: decoder.name.to_owned(),
                values: values(index),
            })
            .collect()
    }

    /// Prints the rows, and how the reader stands to the floor and to the best of its peers.
    fn print(&self, what: &str, task: Task, mut rows: Vec<Row>) {
        let reader = rows.iter().position(|row| row.name == reader::DECODER.name);
        if let Some(reader) = reader {
            let best = table::best("", &rows[reader + 1..]);
            let to_best = table::ratio("best peer / portreeve", &best, &rows[reader]);
            let to_floor = reader
                .checked_sub(1)
                .map(|floor| (&rows[floor], format!("portreeve / {}", rows[floor].name)))
                .map(|(floor, name)| table::ratio(&name, &rows[reader], floor));
            rows.extend(to_floor);
            rows.push(to_best);
        }
        table::print(&title(what, task), &self.workloads, &rows);
    }
}

fn title(what: &str, task: Task) -> String {
    format!("### {}: {what}", task.name())
}

fn allocations_of(run: Run, frames: &[Frame]) -> f64 {
    let count = allocations::during(|| {
        for frame in frames {
            std::hint::black_box(run(frame));
        }
    });
    count as f64 / frames.len() as f64
}

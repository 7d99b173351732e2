//! The tables: a line for each decoder, a column for each workload.
use bench_report::{Row, Table, short};

use crate::instructions::{self, Cell};
use crate::task::{Decoder, Frame, Run, Task};
use crate::workload::Workload;
use crate::{allocations, clock, reader};

/// What is measured: each decoder on each workload.
pub struct Bench {
    pub decoders: Vec<Decoder>,
    pub workloads: Vec<Workload>,
}

/// What one task costs each decoder that does it.
pub struct Results {
    pub task: Task,
    /// In the order of the decoders.
    pub rows: Vec<Row>,
}

impl Bench {
    /// Every cell of the tables that is not empty: task by task, line by line.
    pub fn cells(&self) -> Vec<Cell<'_>> {
        let runs = Task::ALL.into_iter().flat_map(|task| {
            let decoders = self.decoders.iter();
            decoders.filter_map(move |decoder| decoder.run(task))
        });
        runs.flat_map(|run| {
            let workloads = self.workloads.iter();
            workloads.map(move |workload| (run, workload.frames.as_slice()))
        })
        .collect()
    }

    pub fn describe(&self) {
        println!("\n| workload | what | messages | bytes |\n|---|---|--:|--:|");
        for workload in &self.workloads {
            let Workload {
                name,
                content,
                frames,
            } = workload;
            let (messages, bytes) = (frames.len(), short(workload.size() as f64));
            println!("| {name} | {content} | {messages} | {bytes} |");
        }
        let view = size_of::<portreeve::game::info::User<'_>>();
        println!("\nA view of a user takes {view} bytes.");
    }

    /// Instructions a message, for every task.
    ///
    /// # Errors
    ///
    /// If valgrind cannot be run.
    pub fn instructions(&self) -> std::io::Result<Vec<Results>> {
        let mut counts = instructions::count(&self.cells())?.into_iter();
        let of_task = |task| Results {
            task,
            rows: self.rows(task, |_| {
                self.workloads.iter().map(|_| counts.next()).collect()
            }),
        };
        Ok(Task::ALL.into_iter().map(of_task).collect())
    }

    /// Nanoseconds a message.
    pub fn nanoseconds(&self, task: Task) -> Results {
        let decoders = self.decoders.iter();
        let runs: Vec<_> = decoders.map(|decoder| decoder.run(task)).collect();
        let columns: Vec<_> = self
            .workloads
            .iter()
            .map(|workload| clock::nanoseconds(&runs, &workload.frames))
            .collect();
        let rows = self.rows(task, |index| {
            columns.iter().map(|column| column[index]).collect()
        });
        Results { task, rows }
    }

    /// Allocations a message.
    pub fn allocations(&self, task: Task) -> Results {
        let rows = self.rows(task, |index| {
            let run = self.decoders[index].run(task);
            let each = |frames| run.map(|run| allocations_of(run, frames));
            self.workloads
                .iter()
                .map(|workload| each(&workload.frames))
                .collect()
        });
        Results { task, rows }
    }

    /// Prints what was measured, and with `compare` how the reader stands to the floor and to the
    /// best of its peers.
    pub fn print(&self, what: &str, results: Results, compare: bool) {
        let Results { task, mut rows } = results;
        if compare {
            rows.extend(comparisons(&rows));
        }
        let columns = self.workloads.iter();
        let table = Table {
            title: format!("### {}: {what}", task.name()),
            columns: columns.map(|workload| workload.name.to_owned()).collect(),
            rows,
        };
        print!("\n{table}");
    }

    /// A row for each decoder that does the task, from the values of the decoder at an index.
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
}

/// The reader's row, the floor before it if the task has one, and the peers after it.
pub fn split(rows: &[Row]) -> Option<(Option<&Row>, &Row, &[Row])> {
    let index = rows
        .iter()
        .position(|row| row.name == reader::DECODER.name)?;
    let floor = index.checked_sub(1).map(|floor| &rows[floor]);
    Some((floor, &rows[index], &rows[index + 1..]))
}

fn comparisons(rows: &[Row]) -> Vec<Row> {
    let Some((floor, reader, peers)) = split(rows) else {
        return Vec::new();
    };
    let to_floor =
        floor.map(|floor| ratio(&format!("{} / {}", reader.name, floor.name), reader, floor));
    let to_best = ratio(
        &format!("best peer / {}", reader.name),
        &best(peers),
        reader,
    );
    to_floor.into_iter().chain([to_best]).collect()
}

fn ratio(name: &str, row: &Row, to: &Row) -> Row {
    let values = row.values.iter().zip(&to.values);
    Row {
        name: name.to_owned(),
        values: values.map(|(value, to)| Some((*value)? / (*to)?)).collect(),
    }
}

/// The lowest value of each column.
fn best(rows: &[Row]) -> Row {
    let columns = rows.first().map_or(0, |row| row.values.len());
    let lowest = |column: usize| {
        let values = rows.iter().filter_map(|row| row.values[column]);
        values.min_by(f64::total_cmp)
    };
    Row {
        name: String::new(),
        values: (0..columns).map(lowest).collect(),
    }
}

fn allocations_of(run: Run, frames: &[Frame]) -> f64 {
    let count = allocations::during(|| {
        for frame in frames {
            std::hint::black_box(run(frame));
        }
    });
    count as f64 / frames.len() as f64
}

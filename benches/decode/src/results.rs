//! The tables: a line for each decoder, a column for each workload.
use bench_report::{Row, Table, short};

use crate::clock;
use crate::instructions::{self, Cell};
use crate::task::{Decoder, Task};
use crate::workload::{self, Workload};

/// The measurements: each decoder on each workload.
pub struct Bench {
    pub decoders: Vec<Decoder>,
    pub workloads: Vec<Workload>,
}

/// The cost of one task for each decoder that supports it.
pub struct Results {
    pub task: Task,
    /// In the order of the decoders.
    pub rows: Vec<Row>,
}

impl Bench {
    pub fn new(decoders: Vec<Decoder>) -> Self {
        Self { decoders, workloads: workload::all() }
    }

    /// Every cell of the tables that is not empty: task by task, line by line.
    pub fn cells(&self) -> Vec<Cell<'_>> {
        let lines = Task::ALL.into_iter().flat_map(|task| {
            let decoders = self.decoders.iter();
            decoders.map(move |decoder| (task, decoder))
        });
        lines
            .flat_map(|(task, decoder)| {
                self.workloads.iter().filter_map(move |workload| {
                    let run = decoder.run(task, workload.framing)?;
                    Some((run, workload.frames.as_slice()))
                })
            })
            .collect()
    }

    pub fn describe(&self) {
        println!("\n| workload | what | messages | bytes |\n|---|---|--:|--:|");
        for workload in &self.workloads {
            let Workload { name, content, frames, .. } = workload;
            let (messages, bytes) = (frames.len(), short(workload.size() as f64));
            println!("| {name} | {content} | {messages} | {bytes} |");
        }
        let view = size_of::<portreeve::game::info::User<'_>>();
        println!("\nA view of a user takes {view} bytes.");
    }

    /// Instructions per message for every task, counted in a child process with `arguments`.
    ///
    /// # Errors
    ///
    /// If valgrind cannot be run.
    pub fn instructions(&self, arguments: &[&str]) -> std::io::Result<Vec<Results>> {
        let mut counts = instructions::count(&self.cells(), arguments)?.into_iter();
        let table = |task| Results {
            task,
            rows: self.rows(task, |_| self.workloads.iter().map(|_| counts.next()).collect()),
        };
        Ok(Task::ALL.into_iter().map(table).collect())
    }

    /// Nanoseconds per message.
    pub fn nanoseconds(&self, task: Task) -> Results {
        let column = |workload: &Workload| {
            let decoders = self.decoders.iter();
            let runs = decoders.map(|decoder| decoder.run(task, workload.framing));
            clock::nanoseconds(&runs.collect::<Vec<_>>(), &workload.frames)
        };
        let columns: Vec<_> = self.workloads.iter().map(column).collect();
        let rows = self.rows(task, |index| columns.iter().map(|column| column[index]).collect());
        Results { task, rows }
    }

    /// Prints the results, and the ratio of the best of its peers to the reader.
    pub fn print(&self, what: &str, results: Results) {
        let Results { task, mut rows } = results;
        if let Some((reader, peers)) = rows.split_first() {
            rows.push(ratio(reader, peers));
        }
        let columns = self.workloads.iter();
        let table = Table {
            title: format!("### {}: {what}", task.name()),
            columns: columns.map(|workload| workload.name).collect(),
            rows,
        };
        print!("\n{table}");
    }

    /// A row for each decoder that does the task, from the values of the decoder at an index.
    fn rows(&self, task: Task, mut values: impl FnMut(usize) -> Vec<Option<f64>>) -> Vec<Row> {
        let decoders = self.decoders.iter().enumerate();
        decoders
            .filter(|(_, decoder)| decoder.does(task))
            .map(|(index, decoder)| Row { name: decoder.name.to_owned(), values: values(index) })
            .collect()
    }
}

/// The lowest value of each column of the peers, in proportion to the reader's.
fn ratio(reader: &Row, peers: &[Row]) -> Row {
    let columns = reader.values.iter().enumerate();
    let ratio = |(column, ours): (usize, &Option<f64>)| {
        let values = peers.iter().filter_map(|row| row.values[column]);
        Some(values.min_by(f64::total_cmp)? / (*ours)?)
    };
    Row { name: format!("best peer / {}", reader.name), values: columns.map(ratio).collect() }
}

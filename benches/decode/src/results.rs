//! The tables: a line for each decoder, a column for each workload.
use bench_report::{Row, Table, short};

use crate::instructions::{self, Cell};
use crate::task::{Decoder, Frame, Run, Task};
use crate::workload::{self, Ids, Workload};
use crate::{allocations, clock, reader};

/// The measurements: each decoder on each workload.
pub struct Bench {
    pub decoders: Vec<Decoder>,
    pub workloads: Vec<(Ids, Vec<Workload>)>,
}

/// The cost of one task for each decoder that supports it.
pub struct Results {
    pub task: Task,
    pub ids: Ids,
    /// In the order of the decoders.
    pub rows: Vec<Row>,
}

/// The ids of the tables other than those of *pair*: where there are fields to read, one id more or
/// less weighs little, so that it is the longest.
const WIDEST: Ids = Ids::FiveBytes;

impl Bench {
    pub fn new(decoders: Vec<Decoder>) -> Self {
        let workloads = Ids::ALL.into_iter();
        Self {
            decoders,
            workloads: workloads.map(|ids| (ids, workload::all(ids))).collect(),
        }
    }

    /// The tables of instructions: *pair* for each width of the ids, the others once.
    fn tables() -> impl Iterator<Item = (Task, Ids)> {
        let pairs = Ids::ALL.into_iter().map(|ids| (Task::Pair, ids));
        pairs.chain([(Task::Full, WIDEST), (Task::Owned, WIDEST)])
    }

    fn workloads(&self, ids: Ids) -> &[Workload] {
        let found = self.workloads.iter().find(|(known, _)| *known == ids);
        found.map_or(&[], |(_, workloads)| workloads)
    }

    /// The names of the columns of the tables.
    pub fn columns(&self, ids: Ids) -> impl Iterator<Item = &'static str> {
        self.workloads(ids).iter().map(|workload| workload.name)
    }

    /// The index of a workload in the tables.
    pub fn column(&self, ids: Ids, name: &str) -> Option<usize> {
        let mut workloads = self.workloads(ids).iter();
        workloads.position(|workload| workload.name == name)
    }

    /// Every cell of the tables that is not empty: task by task, line by line.
    pub fn cells(&self) -> Vec<Cell<'_>> {
        let lines = Self::tables().flat_map(|(task, ids)| {
            let decoders = self.decoders.iter();
            decoders.map(move |decoder| (task, ids, decoder))
        });
        lines
            .flat_map(|(task, ids, decoder)| {
                self.workloads(ids).iter().filter_map(move |workload| {
                    let run = decoder.run(task, workload.framing)?;
                    Some((run, workload.frames.as_slice()))
                })
            })
            .collect()
    }

    pub fn describe(&self) {
        println!("\n| workload | what | messages | bytes |\n|---|---|--:|--:|");
        for workload in self.workloads(WIDEST) {
            let Workload {
                name,
                content,
                frames,
                ..
            } = workload;
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
        let table = |(task, ids)| Results {
            task,
            ids,
            rows: self.rows(task, |_| {
                let workloads = self.workloads(ids).iter();
                workloads.map(|_| counts.next()).collect()
            }),
        };
        Ok(Self::tables().map(table).collect())
    }

    /// Nanoseconds per message.
    pub fn nanoseconds(&self, task: Task) -> Results {
        let column = |workload: &Workload| {
            let decoders = self.decoders.iter();
            let runs = decoders.map(|decoder| decoder.run(task, workload.framing));
            clock::nanoseconds(&runs.collect::<Vec<_>>(), &workload.frames)
        };
        let columns: Vec<_> = self.workloads(WIDEST).iter().map(column).collect();
        let rows = self.rows(task, |index| {
            columns.iter().map(|column| column[index]).collect()
        });
        Results {
            task,
            ids: WIDEST,
            rows,
        }
    }

    /// Allocations per message.
    pub fn allocations(&self, task: Task) -> Results {
        let rows = self.rows(task, |index| {
            let each = |workload: &Workload| {
                let run = self.decoders[index].run(task, workload.framing)?;
                Some(allocations_of(run, &workload.frames))
            };
            self.workloads(WIDEST).iter().map(each).collect()
        });
        Results {
            task,
            ids: WIDEST,
            rows,
        }
    }

    /// Prints the results, and with `compare` the ratio of the reader to the floor and to the best of its
    /// peers.
    pub fn print(&self, what: &str, results: Results, compare: bool) {
        let Results {
            task,
            ids,
            mut rows,
        } = results;
        if compare {
            rows.extend(comparisons(&rows));
        }
        let columns = self.workloads(ids).iter();
        let table = Table {
            title: format!("### {}, {}: {what}", task.name(), ids.name()),
            columns: columns.map(|workload| workload.name.to_owned()).collect(),
            rows,
        };
        print!("\n{table}");
    }

    /// A row for each decoder that does the task, from the values of the decoder at an index.
    fn rows(&self, task: Task, mut values: impl FnMut(usize) -> Vec<Option<f64>>) -> Vec<Row> {
        let decoders = self.decoders.iter().enumerate();
        decoders
            .filter(|(_, decoder)| decoder.does(task))
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
    let to_best = (!peers.is_empty()).then(|| {
        let name = format!("best peer / {}", reader.name);
        ratio(&name, &best(peers), reader)
    });
    to_floor.into_iter().chain(to_best).collect()
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

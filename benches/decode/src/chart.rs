//! The chart of the instruction counts.
use std::io;
use std::path::Path;

use bench_report::{Bar, Chart, Panel, Row, short};

use crate::results::{Bench, Results, split};
use crate::task::Task;

/// The panels of the chart from the top: a task on a workload. The tables have all of them. These are the
/// recorded session, which is real traffic, and the largest list, where the fields outweigh everything
/// else.
const PANELS: [(Task, &str, &str); 3] = [
    (
        Task::Pair,
        "session",
        "which command is answered, how, and with what: a recorded session",
    ),
    (
        Task::Full,
        "session",
        "every field, all text checked: a recorded session",
    ),
    (
        Task::Full,
        "list users",
        "every field, all text checked: a list of 1,000 users",
    ),
];

/// Draws the chart into a file.
///
/// # Errors
///
/// If the file cannot be written.
pub fn write(bench: &Bench, instructions: &[Results], file: &Path) -> io::Result<()> {
    let panels = PANELS.into_iter();
    let chart = Chart {
        title: "Reading a Response message".to_owned(),
        subtitle: "Instructions a message, counted by callgrind; fewer is better".to_owned(),
        panels: panels
            .filter_map(|(task, workload, detail)| {
                let results = instructions.iter().find(|each| each.task == task)?;
                let mut workloads = bench.workloads.iter();
                let column = workloads.position(|known| known.name == workload)?;
                panel(task, detail, &results.rows, column)
            })
            .collect(),
        one_scale: false,
        command: "cargo bench --bench decode -- instructions".to_owned(),
    };
    chart.write(file)
}

fn panel(task: Task, detail: &str, rows: &[Row], column: usize) -> Option<Panel> {
    let (reader, peers) = split(rows)?;
    let ours = reader.values[column]?;
    let bar = |row: &Row| {
        let value = row.values[column]?;
        let highlighted = std::ptr::eq(row, reader);
        Some(Bar {
            name: row.name.clone(),
            value,
            remark: if highlighted {
                String::new()
            } else {
                format!("{}×", short(value / ours))
            },
            highlighted,
        })
    };
    Some(Panel {
        title: capitalised(task.name()),
        detail: detail.to_owned(),
        bars: std::iter::once(reader)
            .chain(peers)
            .filter_map(bar)
            .collect(),
        mark: ours,
    })
}

fn capitalised(name: &str) -> String {
    let (first, rest) = name.split_at(name.len().min(1));
    first.to_uppercase() + rest
}

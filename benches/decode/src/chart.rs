//! The chart of the instruction counts.
use std::path::Path;
use std::{fs, io};

use bench_report::{Bar, Chart, Panel, Row};

use crate::results::{Bench, Results};
use crate::task::Task;

/// The panels of the chart from the top: a task on a workload. The tables have all of them. These are the
/// recorded session, which is real traffic, and the largest list, where the fields outweigh everything
/// else.
const PANELS: [(Task, &str, &str); 3] = [
    (Task::Pair, "session", "which command is answered, how, and with what: a recorded session"),
    (Task::Full, "session", "every field, all text checked: a recorded session"),
    (Task::Full, "list users", "every field, all text checked: a list of 1,000 users"),
];

/// Draws docs/charts/decode.svg.
///
/// # Errors
///
/// If the file cannot be written.
pub fn draw(bench: &Bench, instructions: &[Results]) -> io::Result<()> {
    let panels = PANELS.into_iter().filter_map(|(task, workload, detail)| {
        let results = instructions.iter().find(|each| each.task == task)?;
        let mut workloads = bench.workloads.iter();
        let column = workloads.position(|known| known.name == workload)?;
        panel(task, detail, &results.rows, column)
    });
    let chart = Chart {
        title: "Reading a Response message",
        subtitle: "Instructions a message, counted by callgrind; fewer is better",
        panels: panels.collect(),
        one_scale: false,
        command: "cargo bench --bench decode",
    };
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/charts/decode.svg");
    fs::write(file, chart.to_svg())
}

fn panel(task: Task, detail: &'static str, rows: &[Row], column: usize) -> Option<Panel> {
    let ours = rows.first()?.values[column]?;
    let bar = |row: &Row| {
        let value = row.values[column]?;
        Some(Bar { name: row.name.clone(), value, ratio: value / ours })
    };
    Some(Panel {
        title: capitalised(task.name()),
        detail,
        bars: rows.iter().filter_map(bar).collect(),
    })
}

fn capitalised(name: &str) -> String {
    let (first, rest) = name.split_at(name.len().min(1));
    first.to_uppercase() + rest
}

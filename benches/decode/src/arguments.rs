//! The command line.
use std::path::{Path, PathBuf};

use crate::instructions;

/// The parsed command line.
pub struct Arguments {
    /// Whether this is the child process, whose instructions callgrind counts.
    pub under_callgrind: bool,
    /// Whether to compare the reader's counts with the checked-in ones.
    pub guard: bool,
    /// Whether to update those instead.
    pub update: bool,
    /// The parts to print; all of them if none is named.
    parts: Vec<Part>,
    /// The file for a chart of the instructions.
    pub chart: Option<PathBuf>,
}

/// A part of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Instructions,
    Time,
}

const USAGE: &str = "usage: cargo bench --bench decode -- [instructions] [time] [--chart FILE]
       cargo bench --bench decode -- guard [--update]

  guard          hold the reader's instructions against benches/decode/instructions.txt
  --update       write them there
  --chart FILE   also draw the instructions as an SVG; FILE is relative to the repository's root";

impl Arguments {
    /// Parses the command line. An invalid one ends the program.
    pub fn from_env() -> Self {
        Self::parse(std::env::args().skip(1)).unwrap_or_else(|wrong| {
            eprintln!("{wrong}\n{USAGE}");
            std::process::exit(2);
        })
    }

    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut parsed = Self {
            under_callgrind: false,
            guard: false,
            update: false,
            parts: Vec::new(),
            chart: None,
        };
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "instructions" => parsed.parts.push(Part::Instructions),
                "time" => parsed.parts.push(Part::Time),
                "guard" => parsed.guard = true,
                "--update" => parsed.update = true,
                "--chart" => {
                    let file = arguments.next().ok_or("--chart needs a file")?;
                    parsed.chart = Some(in_repository(&file));
                }
                instructions::ARGUMENT => parsed.under_callgrind = true,
                // Cargo adds it.
                "--bench" => {}
                other => return Err(format!("unknown argument {other:?}")),
            }
        }
        if parsed.update && !parsed.guard {
            return Err("--update is of guard".to_owned());
        }
        if parsed.chart.is_some() && !parsed.asks_for(Part::Instructions) {
            return Err("--chart draws instructions, which are not asked for".to_owned());
        }
        Ok(parsed)
    }

    pub fn asks_for(&self, part: Part) -> bool {
        self.parts.is_empty() || self.names(part)
    }

    /// Whether the part is requested by name, so that it is an error if it cannot be measured.
    pub fn names(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }
}

/// Cargo runs a benchmark in the folder of its package, the reader types a path in the root.
fn in_repository(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(file)
}

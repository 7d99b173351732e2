//! The command line.
use std::path::{Path, PathBuf};

/// The parsed command line.
#[derive(Default)]
pub(crate) struct Arguments {
    pub(crate) sections: Vec<Section>,
    /// Whether [`Section::Cost`] draws docs/charts/gateway.svg.
    pub(crate) chart: bool,
    /// The binary to measure, instead of one built by cargo.
    pub(crate) program: Option<PathBuf>,
    /// Whether [`Section::Guard`] writes the counts.
    pub(crate) update: bool,
}

/// A part of the report.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    Cost,
    Instructions,
    Parts,
    Guard,
    Worst,
    Idle,
    Users,
    Forward,
}

const USAGE: &str = "usage: cargo bench --bench gateway -- [SECTION]... [--chart] [--program FILE] [--update]

  cost            CPU and times of a request
  instructions    instructions and allocations of a request (needs valgrind)
  parts           where the instructions of a request go (needs valgrind); only if it is named
  idle            memory of a connection that idles
  users           1,000 users at once before a server that takes 200 ms
  forward         what is forwarded: CPU, memory and the first byte, beside their goals (needs nginx); only if it is named
  guard           hold the gateway's instructions against benches/gateway/instructions.txt; only if it is named
  worst           hold the costliest known requests to their limit of instructions; only if it is named

  --chart         draw the CPU times as docs/charts/gateway.svg
  --program FILE  the binary to measure, relative to the repository's root; cargo builds one by default
  --update        write what `guard` counts";

impl Arguments {
    /// Parses the command line. An invalid one ends the program.
    pub(crate) fn from_env() -> Self {
        Self::parse(std::env::args().skip(1)).unwrap_or_else(|| {
            eprintln!("{USAGE}");
            std::process::exit(2);
        })
    }

    fn parse(mut words: impl Iterator<Item = String>) -> Option<Self> {
        use Section::{Cost, Forward, Guard, Idle, Instructions, Parts, Users, Worst};
        let mut arguments = Self::default();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--chart" => arguments.chart = true,
                "--program" => {
                    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
                    arguments.program = Some(root.join(words.next()?));
                }
                "--update" => arguments.update = true,
                // Cargo adds it.
                "--bench" => {}
                "cost" => arguments.sections.push(Cost),
                "instructions" => arguments.sections.push(Instructions),
                "parts" => arguments.sections.push(Parts),
                "idle" => arguments.sections.push(Idle),
                "users" => arguments.sections.push(Users),
                "forward" => arguments.sections.push(Forward),
                "guard" => arguments.sections.push(Guard),
                "worst" => arguments.sections.push(Worst),
                _ => return None,
            }
        }
        if arguments.sections.is_empty() {
            arguments.sections = vec![Cost, Instructions, Idle, Users];
        }
        Some(arguments)
    }
}

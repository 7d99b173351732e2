//! The command line.
use std::path::{Path, PathBuf};

/// The parsed command line.
pub(crate) struct Arguments {
    pub(crate) sections: Vec<Section>,
    /// A little of everything, to see that it works; the figures mean nothing.
    pub(crate) quick: bool,
    /// The file for a chart of [`Section::Cost`].
    pub(crate) chart: Option<PathBuf>,
    /// The binary to measure, instead of one built by cargo.
    pub(crate) program: Option<PathBuf>,
    /// Whether [`Section::Guard`] writes the counts.
    pub(crate) update: bool,
    /// The URL of an empty PostgreSQL database, to measure that as well.
    pub(crate) database: Option<String>,
}

/// A part of the report.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    Cost,
    Instructions,
    Guard,
    Worst,
    InFlight,
    Idle,
    Start,
    Users,
}

/// The folder of the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

const USAGE: &str =
    "usage: cargo bench --bench gateway -- [SECTION]... [--quick] [--chart FILE] [--database-url URL]

  cost          CPU and times of a request
  instructions  instructions and allocations of a request (needs valgrind)
  in-flight     memory and CPU with 800 requests in flight
  idle          memory of a connection that idles
  start         the time to the first answer; memory after many requests
  users         1,000 users at once before a server that takes 200 ms; memory of 10,000
  guard         hold the gateway's instructions against benches/gateway/instructions.txt; only if it is named
  worst         hold the costliest known requests to their limit of instructions; only if it is named

  --quick       little of everything, to see that it works
  --chart FILE  draw the CPU times as an SVG; FILE is relative to the repository's root
  --program FILE
                the binary to measure; cargo builds one by default
  --update      write what `guard` counts
  --database-url URL
                an empty PostgreSQL database, to count `instructions` with it as well";

impl Arguments {
    /// Parses the command line. An invalid one ends the program.
    pub(crate) fn from_env() -> Self {
        Self::parse(std::env::args().skip(1)).unwrap_or_else(|wrong| {
            eprintln!("{wrong}\n{USAGE}");
            std::process::exit(2);
        })
    }

    fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut arguments = Self {
            sections: Vec::new(),
            quick: false,
            chart: None,
            program: None,
            update: false,
            database: None,
        };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--quick" => arguments.quick = true,
                "--chart" => {
                    let file = words.next().ok_or("--chart needs a file")?;
                    arguments.chart = Some(Path::new(ROOT).join(file));
                }
                "--program" => {
                    let file = words.next().ok_or("--program needs a file")?;
                    arguments.program = Some(Path::new(ROOT).join(file));
                }
                "--update" => arguments.update = true,
                "--database-url" => {
                    let url = words.next().ok_or("--database-url needs a URL")?;
                    arguments.database = Some(url);
                }
                // Cargo adds it.
                "--bench" => {}
                word => arguments.sections.push(Section::named(word)?),
            }
        }
        if arguments.sections.is_empty() {
            arguments.sections = Section::USUAL.to_vec();
        }
        Ok(arguments)
    }
}

impl Section {
    const USUAL: [Self; 6] = [
        Self::Cost,
        Self::Instructions,
        Self::InFlight,
        Self::Idle,
        Self::Start,
        Self::Users,
    ];

    fn named(name: &str) -> Result<Self, String> {
        match name {
            "cost" => Ok(Self::Cost),
            "instructions" => Ok(Self::Instructions),
            "guard" => Ok(Self::Guard),
            "worst" => Ok(Self::Worst),
            "in-flight" => Ok(Self::InFlight),
            "idle" => Ok(Self::Idle),
            "start" => Ok(Self::Start),
            "users" => Ok(Self::Users),
            other => Err(format!("{other:?} is no section and no option")),
        }
    }
}

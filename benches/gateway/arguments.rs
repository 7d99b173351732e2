//! The command line.
use std::path::{Path, PathBuf};

/// What the program is asked to do.
pub(crate) struct Arguments {
    /// One short round, to see that everything works; its figures mean nothing.
    pub(crate) quick: bool,
    /// The file for a chart.
    pub(crate) chart: Option<PathBuf>,
}

const USAGE: &str = "usage: cargo bench --bench gateway -- [--quick] [--chart FILE]

  --quick        one short round, to see that everything works
  --chart FILE   also draw the CPU times as an SVG; FILE is relative to the repository's root";

impl Arguments {
    /// Reads the command line. One that cannot be understood ends the program.
    pub(crate) fn from_env() -> Self {
        Self::parse(std::env::args().skip(1)).unwrap_or_else(|wrong| {
            eprintln!("{wrong}\n{USAGE}");
            std::process::exit(2);
        })
    }

    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let (mut quick, mut chart) = (false, None);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--quick" => quick = true,
                "--chart" => {
                    let file = arguments.next().ok_or("--chart needs a file")?;
                    chart = Some(Path::new(env!("CARGO_MANIFEST_DIR")).join(file));
                }
                // Cargo adds it.
                "--bench" => {}
                other => return Err(format!("unknown argument {other:?}")),
            }
        }
        Ok(Self { quick, chart })
    }
}

//! The rounds of each endpoint as a table and as a chart: medians, since a round that the machine
//! disturbed is an outlier.
use std::io;
use std::path::Path;

use bench_report::{Bar, Chart, Mark, Panel, Row, Table, short};

use crate::thread::Round;

const FORWARDER: &str = "bare forwarder";

/// What the requests to one endpoint cost.
pub(crate) struct Endpoint {
    /// Method and path.
    name: String,
    /// What the stand-in answers there.
    answer: &'static str,
    bare: Cost,
    gateway: Cost,
    /// Of the gateway's CPU time to the forwarder's: the median over the rounds, each of which
    /// measures one right after the other.
    ratio: f64,
}

struct Cost {
    /// µs per request.
    cpu: f64,
    /// Requests per second.
    rate: f64,
}

// === impl Endpoint ===

impl Endpoint {
    /// The medians of rounds, each of the forwarder and of the gateway.
    pub(crate) fn new(path: &str, answer: &'static str, rounds: &[(Round, Round)]) -> Self {
        let ratios = rounds.iter().map(|(bare, gateway)| gateway.cpu / bare.cpu);
        Self {
            name: format!("GET {path}"),
            answer,
            bare: Cost::new(rounds.iter().map(|(bare, _)| bare)),
            gateway: Cost::new(rounds.iter().map(|(_, gateway)| gateway)),
            ratio: median(ratios),
        }
    }

    fn row(&self) -> Row {
        let Self { bare, gateway, .. } = self;
        let values = [bare.cpu, gateway.cpu, self.ratio, bare.rate, gateway.rate];
        Row {
            name: format!("`{}`", self.name),
            values: values.map(Some).to_vec(),
        }
    }

    fn panel(&self) -> Panel {
        let forwarder = Bar {
            name: FORWARDER.to_owned(),
            value: self.bare.cpu,
            remark: String::new(),
            highlighted: false,
        };
        let gateway = Bar {
            name: "portreeve".to_owned(),
            value: self.gateway.cpu,
            remark: format!("{}×", short(self.ratio)),
            highlighted: true,
        };
        // The line runs from the end of the forwarder's bar through the gateway's.
        let mark = Mark {
            name: String::new(),
            value: forwarder.value,
        };
        Panel {
            title: self.name.clone(),
            detail: self.answer.to_owned(),
            bars: vec![forwarder, gateway],
            mark,
        }
    }
}

// === impl Cost ===

impl Cost {
    fn new<'a>(rounds: impl Iterator<Item = &'a Round> + Clone) -> Self {
        Self {
            cpu: median(rounds.clone().map(|round| round.cpu)),
            rate: median(rounds.map(|round| round.rate)),
        }
    }
}

/// The table, with `title` above it.
pub(crate) fn table(title: String, endpoints: &[Endpoint]) -> Table {
    let columns = [
        FORWARDER,
        "gateway",
        "ratio",
        "forwarder req/s",
        "gateway req/s",
    ];
    Table {
        title,
        columns: columns.map(str::to_owned).to_vec(),
        rows: endpoints.iter().map(Endpoint::row).collect(),
    }
}

/// Draws the chart into a file.
///
/// # Errors
///
/// If the file cannot be written.
pub(crate) fn draw(endpoints: &[Endpoint], file: &Path) -> io::Result<()> {
    let chart = Chart {
        title: "What the gateway's checks cost".to_owned(),
        subtitle: "CPU time per request in µs, beside a bare hyper forwarder that checks nothing; \
                   less is better"
            .to_owned(),
        panels: endpoints.iter().map(Endpoint::panel).collect(),
        one_scale: true,
        command: "cargo bench --bench gateway".to_owned(),
    };
    chart.write(file)
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

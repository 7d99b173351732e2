//! CPU and wall time of a request: medians of several rounds, which are robust against disturbances.
use bench_report::{Bar, Chart, Panel, Row, Table};

use crate::client::{Client, Clients, request};
use crate::endpoint::{ENDPOINTS, Endpoint};
use crate::servers::{Process, Server};
use crate::site::Site;

const ROUNDS: usize = 9;
const REQUESTS: usize = 6_000;
const CONNECTIONS: usize = 16;

/// The results of one round on one server.
#[derive(Clone, Copy)]
pub(crate) struct Round {
    /// µs of CPU time per request.
    pub(crate) cpu: f64,
    /// Requests per second.
    rate: f64,
    /// The 99th percentile of the time of a request, in ms.
    p99: f64,
}

/// The rounds of one endpoint: in each, all servers in turn.
pub(crate) struct Rounds<const N: usize>(Vec<[Round; N]>);

/// Prints the tables, and may draw docs/charts/gateway.svg.
pub(crate) async fn report(site: &Site, drawn: bool) {
    let servers = Server::ALL.map(|server| server.start(site));
    for server in &servers {
        check(site, server).await;
    }
    let mut panels = Vec::new();
    for endpoint in &ENDPOINTS {
        let rounds = measure(site, &servers, endpoint).await;
        let title = format!("{}, {CONNECTIONS} connections", endpoint.title());
        println!("\n{}", rounds.table(title));
        panels.push(rounds.panel(endpoint));
    }
    if drawn {
        let chart = Chart {
            title: "What a request costs",
            subtitle: "CPU time in µs with 16 connections, beside a hyper forwarder that checks nothing; less is better",
            panels,
            one_scale: true,
            command: "cargo bench --bench gateway -- cost",
        };
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/charts/gateway.svg");
        std::fs::write(file, chart.to_svg()).expect("the chart can be written");
    }
}

/// Checks the server's answer before it is measured.
async fn check(site: &Site, server: &Process) {
    let mut client = Client::connect(server.address).await.unwrap();
    for endpoint in &ENDPOINTS {
        let answer = client.exchange(&request(site, endpoint, 0)).await.unwrap();
        let body: serde_json::Value = serde_json::from_slice(answer.body).unwrap();
        let data = &body["ocs"]["data"];
        let count = [
            &body["apps"],
            &body["webhooks"],
            &body["webhook"],
            // The forwarder's answers are the groupware server's.
            &data["capabilities"],
            data,
        ]
        .into_iter()
        .find_map(|found| {
            let list = found.as_array().map(Vec::len);
            list.or_else(|| Some(found.as_object()?.len()))
        });
        let expected = (200, Some(endpoint.entries));
        assert_eq!((answer.status, count), expected, "{}", endpoint.title());
    }
}

pub(crate) async fn measure<const N: usize>(
    site: &Site,
    servers: &[Process; N],
    endpoint: &Endpoint,
) -> Rounds<N> {
    let mut clients = Vec::new();
    for server in servers {
        let mut opened = Clients::connect(site, server.address, endpoint, CONNECTIONS).await;
        opened.run(REQUESTS / 4).await;
        clients.push(opened);
    }
    let mut measured = Vec::new();
    for round in 0..ROUNDS {
        let mut of_round = [None; N];
        for turn in 0..N {
            // Each round begins with another server.
            let at = (round + turn) % N;
            of_round[at] = Some(once(&servers[at], &mut clients[at]).await);
        }
        measured.push(of_round.map(|round| round.expect("each had its turn")));
    }
    Rounds(measured)
}

async fn once(server: &Process, clients: &mut Clients) -> Round {
    // The clients never sleep: otherwise a server would pay for waking them, the more often the slower it is.
    let awake = tokio::spawn(async {
        loop {
            tokio::task::yield_now().await;
        }
    });
    clients.run(REQUESTS / 10).await;
    let (cpu, begun) = (server.cpu(), std::time::Instant::now());
    let mut times = clients.run(REQUESTS).await;
    let (cpu, time) = (server.cpu() - cpu, begun.elapsed());
    awake.abort();
    let count = times.len();
    times.sort_unstable();
    Round {
        cpu: cpu.as_secs_f64() * 1e6 / count as f64,
        rate: count as f64 / time.as_secs_f64(),
        p99: times[(count - 1) * 99 / 100].as_secs_f64() * 1e3,
    }
}

// === impl Rounds ===

impl<const N: usize> Rounds<N> {
    fn table(&self, title: String) -> Table {
        let rows = Server::ALL.into_iter().enumerate().map(|(at, server)| Row {
            name: server.name().to_owned(),
            values: [
                self.median(at, |round| round.cpu),
                self.ratio(at, |round| round.cpu),
                self.median(at, |round| round.p99),
                self.ratio(at, |round| round.p99),
                self.median(at, |round| round.rate),
            ]
            .map(Some)
            .to_vec(),
        });
        Table {
            title,
            columns: vec!["CPU µs", "÷ forwarder", "p99 ms", "÷ forwarder", "requests/s"],
            rows: rows.collect(),
        }
    }

    fn panel(&self, endpoint: &Endpoint) -> Panel {
        let bars = Server::ALL.into_iter().enumerate().map(|(at, server)| Bar {
            name: server.name().to_owned(),
            value: self.median(at, |round| round.cpu),
            ratio: self.ratio(at, |round| round.cpu),
        });
        Panel {
            title: format!("{} {}", endpoint.method, endpoint.path),
            detail: endpoint.answer,
            bars: bars.collect(),
        }
    }

    /// The median over the rounds for the server at this index.
    pub(crate) fn median(&self, at: usize, figure: impl Fn(&Round) -> f64) -> f64 {
        median(self.0.iter().map(|round| figure(&round[at])))
    }

    /// The median of the rounds' ratios to the forwarder.
    pub(crate) fn ratio(&self, at: usize, figure: impl Fn(&Round) -> f64) -> f64 {
        let ratios = self.0.iter();
        median(ratios.map(|round| figure(&round[at]) / figure(&round[0])))
    }
}

pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

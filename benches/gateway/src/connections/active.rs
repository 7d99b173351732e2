//! Thousands of connections that each make one request after another, with a slow groupware server.
use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::arguments::Arguments;
use crate::client::{Client, request};
use crate::endpoint::LIST;
use crate::servers::Server;
use crate::site::Site;

const CONNECTIONS: usize = 2_000;
const DELAY: Duration = Duration::from_millis(200);

/// Rows of the table.
const ROWS: u64 = 10;

/// The results since the last row.
#[derive(Default)]
struct Tally {
    statuses: BTreeMap<u16, usize>,
    /// Connections that broke.
    broken: usize,
    /// Times of answers with 200 and of others, in milliseconds.
    served: Vec<u32>,
    shed: Vec<u32>,
}

/// Where the clients record results, and see when to stop.
#[derive(Default)]
struct Run {
    tally: Mutex<Tally>,
    is_over: AtomicBool,
}

/// Lets the connections make requests for the requested time, and prints rows meanwhile.
///
/// A client that is shed waits as long as `Retry-After` says.
pub(crate) async fn report(site: &Site, arguments: &Arguments) {
    let seconds = if arguments.quick {
        5
    } else {
        arguments.seconds
    };
    site.stand_in.takes(DELAY);
    let gateway = Server::Portreeve.start(site);
    let run = Arc::<Run>::default();
    let clients: Vec<_> = (0..CONNECTIONS)
        .map(|at| {
            tokio::spawn(client(
                gateway.address,
                request(site, &LIST, at),
                run.clone(),
            ))
        })
        .collect();
    println!(
        "\n{}, {CONNECTIONS} connections, {} ms at the groupware server:\n",
        LIST.title(),
        DELAY.as_millis()
    );
    println!(
        "| after | 200 | 503 | others | broken | 200: p50 | p99 | slowest | 503: p99 | memory |"
    );
    println!("|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let begun = Instant::now();
    for row in 1..=ROWS {
        let until = Duration::from_secs(seconds).mul_f64(row as f64 / ROWS as f64);
        tokio::time::sleep(until.saturating_sub(begun.elapsed())).await;
        let tally = std::mem::take(&mut *run.tally.lock().unwrap());
        tally.print(begun.elapsed(), gateway.memory());
    }
    run.is_over.store(true, Ordering::Relaxed);
    for client in clients {
        client.await.unwrap();
    }
    site.stand_in.takes(Duration::ZERO);
}

// === impl Tally ===

impl Tally {
    fn print(mut self, after: Duration, memory: u64) {
        let mut of = |status| self.statuses.remove(&status).unwrap_or(0);
        let (answered, shed) = (of(200), of(503));
        let others = if self.statuses.is_empty() {
            "0".to_owned()
        } else {
            format!("{:?}", self.statuses)
        };
        let [p50, p99, slowest] = [0.5, 0.99, 1.0].map(|part| quantile(&mut self.served, part));
        let shed_p99 = quantile(&mut self.shed, 0.99);
        println!(
            "| {} s | {answered} | {shed} | {others} | {} | {p50} | {p99} | {slowest} | {shed_p99} | {:.1} MiB |",
            after.as_secs(),
            self.broken,
            memory as f64 / 1024.0 / 1024.0,
        );
    }
}

async fn client(address: SocketAddr, request: Vec<u8>, run: Arc<Run>) {
    while !run.is_over.load(Ordering::Relaxed) {
        if requests(address, &request, &run).await.is_err() {
            run.tally.lock().unwrap().broken += 1;
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
}

/// Makes requests on one connection until it breaks.
async fn requests(address: SocketAddr, request: &[u8], run: &Run) -> io::Result<()> {
    let mut client = Client::connect(address).await?;
    while !run.is_over.load(Ordering::Relaxed) {
        let begun = Instant::now();
        let answer = client.exchange(request).await?;
        let time = u32::try_from(begun.elapsed().as_millis()).unwrap_or(u32::MAX);
        {
            let mut tally = run.tally.lock().unwrap();
            *tally.statuses.entry(answer.status).or_default() += 1;
            match answer.status {
                200 => tally.served.push(time),
                _ => tally.shed.push(time),
            }
        }
        if let Some(seconds) = answer.retry_after {
            tokio::time::sleep(Duration::from_secs(seconds)).await;
        }
    }
    Ok(())
}

fn quantile(times: &mut [u32], part: f64) -> String {
    times.sort_unstable();
    match times.len() {
        0 => "-".to_owned(),
        count => format!("{} ms", times[((count - 1) as f64 * part) as usize]),
    }
}

//! Thousands of connections that each make one request after another, before a slow groupware server.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::Request;
use http::header::{AUTHORIZATION, HOST, RETRY_AFTER};
use http_body_util::{BodyExt as _, Empty};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use crate::{server, stand_in};

/// Accounts that share the connections, so that the bound on one caller is not the one that is met.
const USERS: usize = 50;

/// Rows of the table.
const ROWS: u64 = 10;

/// What happened since the last row.
#[derive(Default)]
struct Tally {
    statuses: BTreeMap<u16, usize>,
    /// Connections that broke.
    broken: usize,
    /// Times in milliseconds of answers with 200, and of the others.
    served: Vec<u32>,
    shed: Vec<u32>,
}

/// Lets so many connections make requests for so many seconds, and prints a row now and then.
///
/// A client that is shed waits as long as `Retry-After` says.
pub(crate) async fn report(connections: usize, seconds: u64) {
    if connections == 0 || seconds == 0 {
        return;
    }
    let data = tempfile::tempdir().unwrap();
    let tokens = server::provision(data.path(), USERS).await;
    let groupware = format!("http://{}", stand_in::start().await);
    let gateway = server::gateway(data.path(), None, &["--groupware-url", &groupware]);
    let tally = Arc::<Mutex<Tally>>::default();
    let done = Arc::new(AtomicBool::new(false));
    let clients: Vec<_> = (0..connections)
        .map(|at| {
            let client = client(
                gateway.address,
                tokens[at % USERS].clone(),
                tally.clone(),
                done.clone(),
            );
            tokio::spawn(client)
        })
        .collect();
    println!("\n{connections} connections, {} ms at the groupware server:\n", stand_in::DELAY.as_millis());
    println!("| after | 200 | 503 | others | broken | 200: p50 | p99 | slowest | 503: p99 | memory |");
    println!("|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let start = Instant::now();
    for row in 1..=ROWS {
        let until = Duration::from_secs(seconds).mul_f64(row as f64 / ROWS as f64);
        tokio::time::sleep(until.saturating_sub(start.elapsed())).await;
        let tally = std::mem::take(&mut *tally.lock().unwrap());
        tally.print(start.elapsed(), gateway.memory());
    }
    done.store(true, Ordering::Relaxed);
    for client in clients {
        client.await.unwrap();
    }
}

impl Tally {
    fn print(mut self, after: Duration, memory: server::Memory) {
        let mut of = |status| self.statuses.remove(&status).unwrap_or(0);
        let (answered, shed) = (of(200), of(503));
        let others = match self.statuses.is_empty() {
            true => "0".to_owned(),
            false => format!("{:?}", self.statuses),
        };
        let [p50, p99, slowest] = [0.5, 0.99, 1.0].map(|part| quantile(&mut self.served, part));
        let shed_p99 = quantile(&mut self.shed, 0.99);
        println!(
            "| {} s | {answered} | {shed} | {others} | {} | {p50} | {p99} | {slowest} | {shed_p99} | {memory} |",
            after.as_secs(),
            self.broken
        );
    }
}

async fn client(
    address: SocketAddr,
    token: String,
    tally: Arc<Mutex<Tally>>,
    done: Arc<AtomicBool>,
) {
    let authorization = format!("Bearer {token}");
    while !done.load(Ordering::Relaxed) {
        if requests(address, &authorization, &tally, &done).await.is_err() {
            tally.lock().unwrap().broken += 1;
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
}

/// Makes requests on one connection until it breaks.
async fn requests(
    address: SocketAddr,
    authorization: &str,
    tally: &Mutex<Tally>,
    done: &AtomicBool,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    while !done.load(Ordering::Relaxed) {
        let request = Request::get("/api/v1/webhooks")
            .header(HOST, "gateway")
            .header(AUTHORIZATION, authorization)
            .body(Empty::<Bytes>::new())?;
        let begun = Instant::now();
        let answer = sender.send_request(request).await?;
        let (head, body) = answer.into_parts();
        body.collect().await?;
        let time = begun.elapsed().as_millis() as u32;
        let wait = head.headers.get(RETRY_AFTER);
        let wait = wait.and_then(|wait| wait.to_str().ok()?.parse().ok());
        {
            let mut tally = tally.lock().unwrap();
            *tally.statuses.entry(head.status.as_u16()).or_default() += 1;
            match head.status.as_u16() {
                200 => tally.served.push(time),
                _ => tally.shed.push(time),
            }
        }
        if let Some(seconds) = wait {
            tokio::time::sleep(Duration::from_secs(seconds)).await;
        }
    }
    Ok(())
}

fn quantile(times: &mut [u32], part: f64) -> String {
    times.sort_unstable();
    match times.len() {
        0 => "".to_owned(),
        count => format!("{} ms", times[((count - 1) as f64 * part) as usize]),
    }
}

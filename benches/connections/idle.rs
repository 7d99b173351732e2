//! What an idle connection costs, in memory, beside the bare server's.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::server::{self, Running};

const REQUEST: &[u8] = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// Rounds on each server, of which the least memory counts: what one round left behind unused is
/// used by the next.
const ROUNDS: usize = 3;

/// Opens so many connections to each server, makes one request on each, and prints what they hold.
pub(crate) async fn report(connections: usize) {
    if connections == 0 {
        return;
    }
    let data = tempfile::tempdir().unwrap();
    server::provision(data.path(), 1).await;
    let most = (connections + 100).to_string();
    println!("\n| server | idle connections | memory before | with them | per connection | of the bare one |");
    println!("|---|--:|--:|--:|--:|--:|");
    let mut bare_cost = None;
    for name in ["bare hyper", "portreeve"] {
        let mut least: Option<(f64, String)> = None;
        for _ in 0..ROUNDS {
            let server = match name {
                "portreeve" => server::gateway(data.path(), None, &["--max-connections", &most]),
                _ => server::bare(),
            };
            let (cost, cells) = measure(&server, connections).await;
            if least.as_ref().is_none_or(|(known, _)| cost < *known) {
                least = Some((cost, cells));
            }
        }
        let (cost, cells) = least.expect("there are rounds");
        let of_bare = cost / *bare_cost.get_or_insert(cost);
        println!("| {name} | {connections} | {cells} | {:.1} KiB | {of_bare:.2} |", cost / 1024.0);
    }
}

/// Bytes per connection, and the cells that tell how they were found.
async fn measure(server: &Running, connections: usize) -> (f64, String) {
    // What the first requests alone need.
    drop(open(server, 64).await);
    tokio::time::sleep(Duration::from_millis(300)).await;
    let before = server.memory();
    let open = open(server, connections).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    let with = server.memory();
    assert_eq!(open.len(), connections);
    let cost = (with.0 - before.0) as f64 / connections as f64;
    (cost, format!("{before} | {with}"))
}

async fn open(server: &Running, connections: usize) -> Vec<TcpStream> {
    let mut open = Vec::with_capacity(connections);
    for _ in 0..connections {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(REQUEST).await.unwrap();
        let mut answer = [0; 512];
        let len = stream.read(&mut answer).await.unwrap();
        assert!(answer[..len].starts_with(b"HTTP/1.1 200"));
        open.push(stream);
    }
    open
}

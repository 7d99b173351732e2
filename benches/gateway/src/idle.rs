//! The memory of an idle connection.
use std::time::Duration;

use crate::client::Client;
use crate::servers::{Process, Server};
use crate::site::Site;

const CONNECTIONS: usize = 10_000;

/// Rounds, of which the minimum counts: memory that one round left unused is used by the next.
const ROUNDS: usize = 3;

const REQUEST: &[u8] = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// Opens many connections, makes one request on each, and prints their memory.
pub(crate) async fn report(site: &Site) {
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS {
        let server = Server::Portreeve.start_with_connections(site, CONNECTIONS + 100);
        // Allocates what only the first requests need.
        drop(open(&server, 64).await);
        tokio::time::sleep(Duration::from_millis(300)).await;
        let before = server.memory("VmRSS");
        let open = open(&server, CONNECTIONS).await;
        tokio::time::sleep(Duration::from_secs(2)).await;
        let more = server.memory("VmRSS") - before;
        least = least.min(more as f64 / 1024.0 / open.len() as f64);
    }
    println!("\n{CONNECTIONS} idle connections take {least:.1} KiB each.");
}

async fn open(server: &Process, connections: usize) -> Vec<Client> {
    let mut open = Vec::with_capacity(connections);
    for _ in 0..connections {
        let mut client = Client::connect(server.address).await.unwrap();
        let answer = client.exchange(REQUEST).await.unwrap();
        assert_eq!(answer.status, 200);
        open.push(client);
    }
    open
}

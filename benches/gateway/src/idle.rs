//! The memory of an idle connection, compared with a bare hyper server.
use std::time::Duration;

use bench_report::{Row, Table};

use crate::arguments::Arguments;
use crate::client::Client;
use crate::servers::{Process, Server};
use crate::site::Site;

const CONNECTIONS: usize = 10_000;

/// Rounds on each server, of which the minimum counts: memory that one round left unused is
/// used by the next.
const ROUNDS: usize = 3;

const REQUEST: &[u8] = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// The memory of a process, in bytes.
struct Held {
    before: f64,
    with: f64,
    per_connection: f64,
}

/// Opens many connections to each server, makes one request on each, and prints their memory.
pub(crate) async fn report(site: &Site, arguments: &Arguments) {
    let connections = if arguments.quick { 200 } else { CONNECTIONS };
    let mut rows = Vec::new();
    let mut bare = None;
    for server in [Server::Bare, Server::Portreeve] {
        let mut least: Option<Held> = None;
        for _ in 0..ROUNDS {
            let process = server.start_with_connections(site, connections + 100);
            let held = measure(&process, connections).await;
            if least
                .as_ref()
                .is_none_or(|known| held.per_connection < known.per_connection)
            {
                least = Some(held);
            }
        }
        let held = least.expect("there are rounds");
        let bare = *bare.get_or_insert(held.per_connection);
        let mebibytes = [held.before, held.with].map(|bytes| bytes / 1024.0 / 1024.0);
        rows.push(Row {
            name: server.name().to_owned(),
            values: vec![
                Some(mebibytes[0]),
                Some(mebibytes[1]),
                Some(held.per_connection / 1024.0),
                Some(held.per_connection / bare),
            ],
        });
    }
    let columns = [
        "MiB before",
        "MiB with them",
        "KiB per connection",
        "÷ bare",
    ];
    let table = Table {
        title: format!("{connections} idle connections"),
        columns: columns.map(str::to_owned).to_vec(),
        rows,
    };
    println!("\n{table}");
}

async fn measure(server: &Process, connections: usize) -> Held {
    // Allocates what only the first requests need.
    drop(open(server, 64).await);
    tokio::time::sleep(Duration::from_millis(300)).await;
    let before = server.memory() as f64;
    let open = open(server, connections).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    let with = server.memory() as f64;
    let per_connection = (with - before) / open.len() as f64;
    Held {
        before,
        with,
        per_connection,
    }
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

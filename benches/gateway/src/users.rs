//! A thousand concurrent users with a slow groupware server.
use std::time::{Duration, Instant};

use bench_report::{Row, Table};

use crate::client::Clients;
use crate::endpoint::LIST;
use crate::servers::Server;
use crate::site::Site;

/// Users, each with their own connection.
const USERS: usize = 1_000;
const ROUNDS: usize = 20;
const DELAY: Duration = Duration::from_millis(200);

pub(crate) async fn report() {
    let site = Site::prepare(USERS).await;
    let mut rows = Vec::new();
    let mut floor = None;
    for server in Server::ALL {
        let process = server.start(&site);
        let mut clients = Clients::connect(&site, process.address, &LIST, USERS).await;
        // Establishes the outbound connections.
        clients.run(USERS).await;
        site.stand_in.takes(DELAY);
        let began = Instant::now();
        let mut times = clients.run(USERS * ROUNDS).await;
        let each_second = times.len() as f64 / began.elapsed().as_secs_f64();
        site.stand_in.takes(Duration::ZERO);
        let allowed = USERS as f64 / DELAY.as_secs_f64();
        times.sort_unstable();
        let p99 = times[times.len() * 99 / 100].as_secs_f64() * 1e3;
        let floor = *floor.get_or_insert(p99);
        rows.push(Row {
            name: server.name().to_owned(),
            values: [each_second, each_second / allowed, p99, p99 / floor].map(Some).to_vec(),
        });
    }
    let table = Table {
        title: format!(
            "{}, {USERS} users at once, {} ms at the groupware server",
            LIST.title(),
            DELAY.as_millis()
        ),
        columns: vec!["requests/s", "÷ what the connections allow", "p99 ms", "÷ forwarder"],
        rows,
    };
    println!("\n{table}");
}

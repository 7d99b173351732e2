//! Many concurrent requests, with a slow groupware server.
use std::time::Duration;

use bench_report::{Row, Table};

use crate::arguments::Arguments;
use crate::client::Clients;
use crate::endpoint::LIST;
use crate::servers::Server;
use crate::site::Site;

const CONNECTIONS: usize = 800;
const ROUNDS: usize = 20;
const DELAY: Duration = Duration::from_millis(200);

pub(crate) async fn report(site: &Site, arguments: &Arguments) {
    let rounds = if arguments.quick { 1 } else { ROUNDS };
    let mut rows = Vec::new();
    let mut floor = None;
    for server in Server::ALL {
        let process = server.start(site);
        let mut clients = Clients::connect(site, process.address, &LIST, CONNECTIONS).await;
        // Establishes the outbound connections, and proves the passwords.
        clients.run(CONNECTIONS).await;
        site.stand_in.takes(DELAY);
        let cpu = process.cpu();
        let requests = clients.run(CONNECTIONS * rounds).await.len();
        let cpu = (process.cpu() - cpu).as_secs_f64() * 1e6 / requests as f64;
        site.stand_in.takes(Duration::ZERO);
        let memory = process.most_memory() as f64 / 1024.0 / 1024.0;
        let (floor_memory, floor_cpu) = *floor.get_or_insert((memory, cpu));
        rows.push(Row {
            name: server.name().to_owned(),
            values: [memory, memory / floor_memory, cpu, cpu / floor_cpu]
                .map(Some)
                .to_vec(),
        });
    }
    let table = Table {
        title: format!(
            "{}, {CONNECTIONS} in flight, {} ms at the groupware server",
            LIST.title(),
            DELAY.as_millis()
        ),
        columns: ["MiB at most", "÷ forwarder", "CPU µs", "÷ forwarder"]
            .map(str::to_owned)
            .to_vec(),
        rows,
    };
    println!("\n{table}");
}

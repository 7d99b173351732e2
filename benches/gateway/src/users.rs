//! A thousand concurrent users with a slow groupware server, and the memory of ten thousand.
use std::time::{Duration, Instant};

use bench_report::{Row, Table};

use crate::arguments::Arguments;
use crate::client::Clients;
use crate::endpoint::LIST;
use crate::servers::Server;
use crate::site::Site;

const USERS: usize = 10_000;
/// Users, each with their own connection.
const AT_ONCE: usize = 1000;
const ROUNDS: usize = 20;
const DELAY: Duration = Duration::from_millis(200);

pub(crate) async fn report(arguments: &Arguments) {
    let site = Site::of(USERS, None).await;
    at_once(&site, arguments).await;
    memory(&site).await;
}

async fn at_once(site: &Site, arguments: &Arguments) {
    let rounds = if arguments.quick { 1 } else { ROUNDS };
    let mut rows = Vec::new();
    let mut floor = None;
    for server in Server::ALL {
        let process = server.start(site);
        let mut clients = Clients::connect(site, process.address, &LIST, AT_ONCE).await;
        // Establishes the outbound connections.
        clients.run(AT_ONCE).await;
        site.stand_in.takes(DELAY);
        let (began, answered) = (Instant::now(), site.stand_in.answered());
        let mut times = clients.run(AT_ONCE * rounds).await;
        let each_second = times.len() as f64 / began.elapsed().as_secs_f64();
        let calls = (site.stand_in.answered() - answered) as f64 / times.len() as f64;
        site.stand_in.takes(Duration::ZERO);
        let allowed = AT_ONCE as f64 / DELAY.as_secs_f64();
        times.sort_unstable();
        let p99 = times[times.len() * 99 / 100].as_secs_f64() * 1e3;
        let floor = *floor.get_or_insert(p99);
        rows.push(Row {
            name: server.name().to_owned(),
            values: [each_second, each_second / allowed, p99, p99 / floor, calls]
                .map(Some)
                .to_vec(),
        });
    }
    let table = Table {
        title: format!(
            "{}, {AT_ONCE} users at once, {} ms at the groupware server",
            LIST.title(),
            DELAY.as_millis()
        ),
        columns: [
            "requests/s",
            "÷ what the connections allow",
            "p99 ms",
            "÷ forwarder",
            "calls per request",
        ]
        .map(str::to_owned)
        .to_vec(),
        rows,
    };
    println!("\n{table}");
}

/// The memory of the binary before and after each of the users has called once.
async fn memory(site: &Site) {
    let binary = Server::Portreeve.start(site);
    let call = async |users| {
        let mut clients = Clients::of_users(site, binary.address, &LIST, users).await;
        clients.run(AT_ONCE).await;
    };
    // Connections and buffers exist from the first thousand on.
    call(0..AT_ONCE).await;
    let first = binary.memory();
    for from in (AT_ONCE..USERS).step_by(AT_ONCE) {
        call(from..from + AT_ONCE).await;
    }
    let more = binary.memory().saturating_sub(first) / (USERS - AT_ONCE) as u64;
    let first = first as f64 / 1024.0 / 1024.0;
    println!(
        "\n{first:.1} MiB once {AT_ONCE} of {USERS} users have called, and {more} bytes more for each further one."
    );
}

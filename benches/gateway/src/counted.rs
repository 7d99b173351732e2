//! Instructions in user space and allocations of a request, as valgrind counts them: the difference
//! of two runs that differ in their number of requests. One client makes them one after the other, so
//! that the same program gives the same figure on a busy machine, to a small part of a percent.
use std::path::Path;

use bench_report::{Row, Table, guard};

use crate::client::Clients;
use crate::endpoint::{COUNTED, ENDPOINTS, Endpoint};
use crate::servers::{Server, Wrapped};
use crate::site::Site;

/// The numbers of requests of the shorter and the longer run.
pub(crate) const REQUESTS: [usize; 2] = [100, 600];

/// How often a count is repeated that is held against the checked-in one.
const REPETITIONS: usize = 5;

pub(crate) async fn report(site: &Site) {
    for endpoint in &ENDPOINTS {
        let mut rows = Vec::new();
        let mut floor = None;
        for server in Server::ALL.into_iter().chain([Server::Counting]) {
            let names = ["Collected : "];
            let [instructions] = of_one(site, server, endpoint, Wrapped::Callgrind, names).await;
            let names = ["Total: ", " bytes in "];
            let [bytes, allocations] = of_one(site, server, endpoint, Wrapped::Dhat, names).await;
            let floor = *floor.get_or_insert(instructions);
            let values = [instructions.round(), instructions / floor, allocations, bytes.round()];
            rows.push(Row { name: server.name().to_owned(), values: values.map(Some).to_vec() });
        }
        let table = Table {
            title: format!("{}, each request", endpoint.title()),
            columns: vec!["instructions", "÷ forwarder", "allocations", "bytes allocated"],
            rows,
        };
        println!("\n{table}");
    }
}

/// Compares the counts of the binary with the checked-in ones, which it may update before; returns whether none has
/// grown.
pub(crate) async fn holds(site: &Site, update: bool) -> bool {
    let mut counts = Vec::new();
    for (server, endpoint) in &COUNTED {
        // What happens once, or by a timer, may fall into the longer run, or into the shorter one alone.
        let mut repeated = [0.0; REPETITIONS];
        for count in &mut repeated {
            let (within, names) = (Wrapped::Callgrind, ["Collected : "]);
            [*count] = of_one(site, *server, endpoint, within, names).await;
        }
        repeated.sort_by(f64::total_cmp);
        let median = repeated[REPETITIONS / 2];
        counts.push((format!("{} {}", endpoint.method, endpoint.path), median));
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("instructions.txt");
    let held = guard::hold(&file, &counts, update);
    if let Err(error) = &held {
        eprintln!("{error}");
    }
    held.is_ok()
}

/// Valgrind's counts for one request: the numbers after `names`.
async fn of_one<const N: usize>(
    site: &Site,
    server: Server,
    endpoint: &Endpoint,
    within: Wrapped,
    names: [&str; N],
) -> [f64; N] {
    let mut counts = Vec::new();
    for requests in REQUESTS {
        let process = server.start_within(site, within);
        let mut clients = Clients::connect(site, process.address, endpoint, 1).await;
        clients.run(requests).await;
        counts.push(process.end(names));
    }
    std::array::from_fn(|at| (counts[1][at] - counts[0][at]) / (REQUESTS[1] - REQUESTS[0]) as f64)
}

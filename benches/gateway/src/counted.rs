//! Instructions in user space and allocations of a request, as valgrind counts them: the difference
//! of two runs that differ in their number of requests. One client makes them one after the other, so
//! that the same program gives the same figure on a busy machine, to a small part of a percent.
use std::path::Path;
use std::process::ExitCode;

use bench_report::{Row, Table, guard};

use crate::arguments::Arguments;
use crate::client::Clients;
use crate::endpoint::{ENDPOINTS, Endpoint};
use crate::servers::{Server, Wrapped};
use crate::site::Site;

/// The numbers of requests of the shorter and the longer run.
const REQUESTS: [usize; 2] = [100, 600];

pub(crate) async fn report(site: &Site, arguments: &Arguments) {
    let runs = if arguments.quick { [1, 3] } else { REQUESTS };
    for endpoint in &ENDPOINTS {
        let mut rows = Vec::new();
        let mut floor = None;
        let on_postgres = site.database.as_ref().map(|_| Server::OnPostgres);
        let more = [Server::Counting].into_iter().chain(on_postgres);
        for server in Server::ALL.into_iter().chain(more) {
            let within = Wrapped::Callgrind;
            let [instructions] =
                of_one(site, server, endpoint, runs, within, ["Collected : "]).await;
            let names = ["Total: ", " bytes in "];
            let within = Wrapped::Dhat;
            let [bytes, allocations] = of_one(site, server, endpoint, runs, within, names).await;
            let floor = *floor.get_or_insert(instructions);
            let values = [
                instructions.round(),
                instructions / floor,
                allocations,
                bytes.round(),
            ];
            rows.push(Row {
                name: server.name().to_owned(),
                values: values.map(Some).to_vec(),
            });
        }
        let columns = [
            "instructions",
            "÷ forwarder",
            "allocations",
            "bytes allocated",
        ];
        let table = Table {
            title: format!("{}, each request", endpoint.title()),
            columns: columns.map(str::to_owned).to_vec(),
            rows,
        };
        println!("\n{table}");
    }
}

/// Compares the counts of the binary with the checked-in ones, or updates those.
pub(crate) async fn guard(site: &Site, arguments: &Arguments) -> ExitCode {
    let mut counts = Vec::new();
    for endpoint in &ENDPOINTS {
        // Timers in between only add to it.
        let mut least = f64::INFINITY;
        for _ in 0..3 {
            let within = Wrapped::Callgrind;
            let names = ["Collected : "];
            let [count] = of_one(site, Server::Portreeve, endpoint, REQUESTS, within, names).await;
            least = least.min(count);
        }
        counts.push((format!("{} {}", endpoint.method, endpoint.path), least));
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("instructions.txt");
    if arguments.update {
        guard::write(&file, &counts).expect("the counts can be written");
    }
    let holds = guard::holds(&file, &counts).expect("the checked-in counts can be read");
    ExitCode::from(u8::from(!holds))
}

/// Valgrind's counts for one request: the numbers after `names`.
async fn of_one<const N: usize>(
    site: &Site,
    server: Server,
    endpoint: &Endpoint,
    [fewer, more]: [usize; 2],
    within: Wrapped,
    names: [&str; N],
) -> [f64; N] {
    let mut counts = Vec::new();
    for requests in [fewer, more] {
        let process = server.start_within(site, within);
        let mut clients = Clients::connect(site, process.address, endpoint, 1).await;
        clients.run(requests).await;
        counts.push(process.end(names));
    }
    std::array::from_fn(|at| (counts[1][at] - counts[0][at]) / (more - fewer) as f64)
}

//! CPU per request of the gateway, beside a bare hyper forwarder that checks nothing, in the same
//! run and before the same stand-in for the groupware server, which answers recorded bodies.
//!
//!     cargo bench --bench gateway
//!     cargo bench --bench gateway -- --chart docs/charts/gateway.svg
//!
//! Each server has one thread of its own, whose CPU time the kernel counts; the client and the
//! stand-in run on other threads and are not counted. Rounds alternate, so that noise of the
//! machine meets both; the median of the rounds is shown. Then the binary itself serves requests
//! and tells its resident memory.

mod arguments;
mod binary;
mod forwarder;
mod gateway;
mod load;
mod results;
mod stand_in;
mod thread;

use arguments::Arguments;
use load::CONNECTIONS;
use results::Endpoint;
use thread::ServerThread;
use tower::service_fn;

const ROUNDS: usize = 9;
const REQUESTS: usize = 6_000;

/// Paths of the gateway, what each makes it ask the groupware server, and what that answers.
const ENDPOINTS: [(&str, &str, &str); 2] = [
    (
        "/api/v1/webhooks",
        stand_in::WEBHOOKS,
        "10 registrations, passed on",
    ),
    (
        "/api/v1/apps",
        stand_in::CAPABILITIES,
        "the names of the apps, out of 5 kB of capabilities",
    ),
];

fn main() {
    let arguments = Arguments::from_env();
    let (rounds, requests) = if arguments.quick {
        (1, 64)
    } else {
        (ROUNDS, REQUESTS)
    };

    let client = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let data = tempfile::tempdir().unwrap();
    let token = client.block_on(gateway::provision(data.path()));
    let stand_in = ServerThread::spawn(|| async { service_fn(stand_in::answer) });
    let origin = format!("http://{}", stand_in.address);
    let bare = {
        let origin = origin.clone();
        ServerThread::spawn(move || async move { forwarder::forwarder(origin) })
    };
    let gateway = {
        let data = data.path().to_owned();
        ServerThread::spawn(move || gateway::gateway(origin, data))
    };

    let endpoints = ENDPOINTS.map(|(path, asked, answer)| {
        let asked = format!("{asked}?format=json");
        let round = |_| {
            (
                client.block_on(bare.measure(&asked, None, requests)),
                client.block_on(gateway.measure(path, Some(&token), requests)),
            )
        };
        Endpoint::new(path, answer, &(0..rounds).map(round).collect::<Vec<_>>())
    });
    let title = format!(
        "CPU per request in µs, median of {rounds} rounds of {requests} requests over {CONNECTIONS} connections"
    );
    println!("\n{}", results::table(title, &endpoints));
    if let Some(file) = &arguments.chart {
        results::draw(&endpoints, file).expect("the chart can be written");
    }
    let path = ENDPOINTS[0].0;
    binary::report(
        &client,
        data.path(),
        stand_in.address,
        path,
        &token,
        requests,
    );
}

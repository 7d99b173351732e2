//! Where the instructions of a request go, as callgrind attributes them to functions. What the compiler put into its
//! caller counts for that.

use std::collections::BTreeMap;

use bench_report::{Row, Table};

use crate::client::Clients;
use crate::counted::REQUESTS;
use crate::endpoint::{COUNTED, Endpoint};
use crate::servers::{Server, Wrapped};
use crate::site::Site;

/// Each part, and what the names of its functions contain. The first that fits counts.
const PARTS: [(&str, &[&str]); 10] = [
    ("moving and comparing bytes", &["memcpy", "memmove", "memset", "memcmp"]),
    ("allocating", &["malloc", "calloc", "realloc", "_int_free", ":free", "unlink_chunk"]),
    ("the token", &["sha2::", "static_tokens", "layer::bearer"]),
    (
        "the stored password",
        &[
            "chacha20::",
            "poly1305::",
            "cipher::",
            "crypto_common",
            "::vault::",
            "headers::basic",
            "base64::",
        ],
    ),
    ("JSON", &["serde_json::", "simdutf8::"]),
    ("the log", &["tracing", "core::fmt::", "cli::logging"]),
    ("timers and clocks", &["tokio::runtime::time", "tokio::time", "Timespec", "clock_gettime"]),
    ("the stack and its calls", &["portreeve::", "tower::", "tower_service::"]),
    ("HTTP", &["hyper", "http::", "httparse::"]),
    ("runtime and sockets", &["tokio::", "mio::", "std::sys", "parking_lot", "arc_swap::"]),
];
const REST: &str = "the rest";

pub(crate) async fn report(site: &Site) {
    let mut columns = Vec::new();
    for (server, endpoint) in &COUNTED {
        columns.push(of_one(site, *server, endpoint).await);
    }
    let row = |name: &str, value: &dyn Fn(&BTreeMap<&str, f64>) -> f64| Row {
        name: name.to_owned(),
        values: columns.iter().map(|parts| Some(value(parts).round())).collect(),
    };
    let names = PARTS.iter().map(|(name, _)| *name).chain([REST]);
    let mut rows: Vec<_> = names
        .map(|name| row(name, &|parts| parts.get(name).copied().unwrap_or_default()))
        .collect();
    rows.push(row("together", &|parts| parts.values().sum()));
    let columns = vec!["GET webhooks", "GET apps", "POST webhooks", "GET notes, forwarded"];
    println!("\n{}", Table { title: "Instructions of a request".to_owned(), columns, rows });
}

/// The instructions of one request by part.
async fn of_one(site: &Site, server: Server, endpoint: &Endpoint) -> BTreeMap<&'static str, f64> {
    let mut parts = BTreeMap::new();
    let [few, many] = REQUESTS;
    for (requests, weight) in [(few, -1.0), (many, 1.0)] {
        let process = server.start_within(site, Wrapped::Callgrind);
        let mut clients = Clients::connect(site, process.address, endpoint, 1).await;
        clients.run(requests).await;
        for (function, instructions) in process.end_with_functions() {
            let fits = |(_, parts): &&(_, &[&str])| parts.iter().any(|it| function.contains(it));
            let part = PARTS.iter().find(fits).map_or(REST, |(name, _)| name);
            *parts.entry(part).or_default() += weight * instructions / (many - few) as f64;
        }
    }
    parts
}

//! What forwarding costs, beside its goals.
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use bench_report::{Row, Table};

use crate::client::{Client, request};
use crate::cost::{self, Round, median};
use crate::endpoint::Endpoint;
use crate::servers::{Process, Server, start_nginx};
use crate::site::Site;
use crate::stand_in::password;

pub(crate) const NOTES: Endpoint = Endpoint {
    method: "GET",
    path: "/index.php/apps/notes/api/v1/notes",
    fields: "Accept: application/json\r\n",
    body: "",
    answer: "1 KiB",
    entries: 5,
};

const LISTING: Endpoint = Endpoint {
    method: "PROPFIND",
    path: "/remote.php/dav/files/{user}/Documents",
    fields: "Depth: 1\r\nContent-Type: application/xml; charset=utf-8\r\n",
    body: r#"<?xml version="1.0"?><d:propfind xmlns:d="DAV:"><d:prop><d:getlastmodified/><d:getcontentlength/><d:resourcetype/><d:getetag/><d:getcontenttype/></d:prop></d:propfind>"#,
    answer: "8 KiB",
    entries: 20,
};

const DOWNLOAD: Endpoint =
    Endpoint { path: "/remote.php/dav/files/{user}/1073741824", answer: "1 GiB", ..NOTES };

const UPLOAD: Endpoint =
    Endpoint { method: "PUT", fields: "Content-Length: 1073741824\r\n", ..DOWNLOAD };

/// More than all sockets on its way take.
const LARGE: Endpoint =
    Endpoint { path: "/remote.php/dav/files/{user}/33554432", answer: "32 MiB", ..NOTES };

/// How often 1 GiB is brought down and up by each server.
const ROUNDS: usize = 3;

/// How many downloads stand still at once.
const STANDING: usize = 100;

/// Downloads whose first byte is waited for.
const WAITS: usize = 200;

const MIB: f64 = 1024.0 * 1024.0;

pub(crate) async fn report(site: &Site) {
    let mut rows = small(site).await;
    rows.extend(large(site).await);
    rows.extend([memory(site).await, first_byte(site).await]);
    let columns = vec!["portreeve", "beside", "figure", "goal, at most"];
    println!("\n{}", Table { title: "What forwarding costs".to_owned(), columns, rows });
}

/// The gateway's value, the one beside it, what is made of both, and the most that this may be.
fn row(name: String, values: [f64; 4]) -> Row {
    Row { name, values: values.map(Some).to_vec() }
}

async fn small(site: &Site) -> Vec<Row> {
    let servers = [Server::Forwarder, Server::Forwarding].map(|server| server.start(site));
    let mut rows = Vec::new();
    for endpoint in [NOTES, LISTING] {
        let rounds = cost::measure(site, &servers, &endpoint).await;
        let cpu = |round: &Round| round.cpu;
        let values = [rounds.median(1, cpu), rounds.median(0, cpu), rounds.ratio(1, cpu), 1.4];
        rows.push(row(format!("CPU µs: {}, ÷ bare forwarder", endpoint.title()), values));
    }
    rows
}

/// Beside nginx in the way that takes less.
async fn large(site: &Site) -> Vec<Row> {
    let unbuffered = "proxy_buffering off; proxy_request_buffering off;";
    let nginx = [unbuffered, ""].map(|directives| start_nginx(site, directives));
    let servers = nginx.into_iter().chain([Server::Forwarding.start(site)]).collect::<Vec<_>>();
    let mut rows = Vec::new();
    for endpoint in [DOWNLOAD, UPLOAD] {
        let mut taken = [const { Vec::new() }; 3];
        for turn in 0..ROUNDS * servers.len() {
            let at = turn % servers.len();
            taken[at].push(cpu(site, &servers[at], &endpoint).await);
        }
        let [unbuffered, buffered, gateway] = taken.map(|times| median(times.into_iter()));
        let how = if unbuffered < buffered { "without buffers" } else { "with its defaults" };
        let nginx = unbuffered.min(buffered);
        let name = format!("CPU ms: {} of 1 GiB, ÷ nginx {how}", endpoint.method);
        rows.push(row(name, [gateway, nginx, gateway / nginx, 1.1]));
    }
    rows
}

/// The CPU time of a transfer, in ms.
async fn cpu(site: &Site, server: &Process, endpoint: &Endpoint) -> f64 {
    let mut client = Client::connect(server.address).await.unwrap();
    let content = if endpoint.method == "PUT" { 1 << 30 } else { 0 };
    let before = server.cpu();
    let left = client.begin(&request(site, endpoint, 0), content).await.unwrap();
    client.finish(left).await.unwrap();
    (server.cpu() - before).as_secs_f64() * 1e3
}

/// Of downloads whose clients read nothing for a while, and then the rest.
async fn memory(site: &Site) -> Row {
    let gateway = Server::Forwarding.start(site);
    let mut client = Client::connect(gateway.address).await.unwrap();
    // Allocates what only the first request needs.
    client.exchange(&request(site, &NOTES, 0)).await.unwrap();
    let idle = gateway.memory("VmRSS") as f64 / MIB;
    let mut standing = Vec::new();
    for at in 0..STANDING {
        let mut client = Client::connect(gateway.address).await.unwrap();
        let left = client.begin(&request(site, &LARGE, at), 0).await.unwrap();
        standing.push((client, left));
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    let going_on = standing
        .into_iter()
        .map(|(mut client, left)| tokio::spawn(async move { client.finish(left).await.unwrap() }));
    for download in going_on.collect::<Vec<_>>() {
        download.await.unwrap();
    }
    let most = gateway.memory("VmHWM") as f64 / MIB;
    let name = format!("MiB: {STANDING} downloads that stand still and go on, − idle");
    row(name, [most, idle, most - idle, 16.0])
}

async fn first_byte(site: &Site) -> Row {
    let gateway = Server::Forwarding.start(site);
    let through = String::from_utf8(request(site, &LARGE, 0)).unwrap();
    let user = &site.users[0];
    let direct = through.replace(&user.token, &password(&user.name));
    let [gateway, server] =
        [wait(gateway.address, &through).await, wait(site.stand_in.address, &direct).await];
    let name = "ms: first byte of 32 MiB, p50, − the groupware server's".to_owned();
    row(name, [gateway, server, gateway - server, 2.0])
}

/// The time until the first byte of a download is there, in ms.
async fn wait(address: SocketAddr, request: &str) -> f64 {
    let mut client = Client::connect(address).await.unwrap();
    let mut times = Vec::new();
    for _ in 0..WAITS {
        let begun = Instant::now();
        let left = client.begin(request.as_bytes(), 0).await.unwrap();
        times.push(begun.elapsed().as_secs_f64() * 1e3);
        client.finish(left).await.unwrap();
    }
    median(times.into_iter())
}

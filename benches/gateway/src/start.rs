//! The time until the binary answers, and whether its memory grows with the number of requests.
use std::time::Instant;

use crate::arguments::Arguments;
use crate::client::Clients;
use crate::endpoint::LIST;
use crate::servers::Server;
use crate::site::Site;

const REQUESTS: usize = 12_000;

pub(crate) async fn report(site: &Site, arguments: &Arguments) {
    let requests = if arguments.quick { 64 } else { REQUESTS };
    let begun = Instant::now();
    let binary = Server::Portreeve.start(site);
    let mut clients = Clients::connect(site, binary.address, &LIST, 1).await;
    clients.run(1).await;
    let first = begun.elapsed().as_secs_f64() * 1e3;
    println!("\nThe first answer comes {first:.1} ms after the start of the binary.\n");

    println!("| requests served | resident memory |\n|--:|--:|");
    let mut clients = Clients::connect(site, binary.address, &LIST, 16).await;
    let mut served = clients.run(16).await.len();
    for _ in 0..4 {
        let memory = binary.memory() as f64 / 1024.0 / 1024.0;
        println!("| {served} | {memory:.1} MiB |");
        served += clients.run(requests).await.len();
    }
}

//! More connections than the limit of open files.
use std::time::{Duration, Instant};

use tokio::time::timeout;

use crate::client::Client;
use crate::servers::{Server, Wrapped};
use crate::site::Site;

const OPEN_FILES: usize = 256;
const CONNECTIONS: usize = 1_000;

/// Time within which an accepted connection has its answer.
const SOON: Duration = Duration::from_secs(2);

const REQUEST: &[u8] = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// Opens more connections than the limit of open files, closes them, and checks that the gateway serves.
pub(crate) async fn report(site: &Site) {
    let gateway = Server::Portreeve.start_within(site, Wrapped::OpenFiles(OPEN_FILES));
    let mut clients = Vec::new();
    for _ in 0..CONNECTIONS {
        // Those that are not accepted wait in the listener's queue.
        if let Ok(Ok(client)) = timeout(SOON, Client::connect(gateway.address)).await {
            clients.push(client);
        }
    }
    let connected = clients.len();
    let asked: Vec<_> = clients
        .into_iter()
        .map(|mut client| {
            tokio::spawn(async move {
                let is_answered = is_answered(&mut client).await;
                (is_answered, client)
            })
        })
        .collect();
    let mut kept = Vec::new();
    let mut answered = 0;
    for asked in asked {
        let (is_answered, client) = asked.await.unwrap();
        answered += usize::from(is_answered);
        kept.push(client);
    }
    println!(
        "\nAt most {OPEN_FILES} open files: of {CONNECTIONS} connections {connected} were made, and \
         {answered} answered while all stayed open."
    );
    drop(kept);
    let begun = Instant::now();
    loop {
        let mut client = Client::connect(gateway.address).await.unwrap();
        if is_answered(&mut client).await {
            break;
        }
        assert!(
            begun.elapsed() < Duration::from_secs(30),
            "it serves no more"
        );
    }
    let wait = begun.elapsed().as_millis();
    println!("Once they closed, the next one was answered after {wait} ms.");
}

async fn is_answered(client: &mut Client) -> bool {
    let answer = timeout(SOON, client.exchange(REQUEST)).await;
    answer.is_ok_and(|answer| answer.is_ok_and(|answer| answer.status == 200))
}

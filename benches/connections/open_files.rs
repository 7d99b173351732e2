//! More connections than the process may have open files.

use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::server;

const OPEN_FILES: usize = 256;
const CONNECTIONS: usize = 1_000;

/// Time in which one that the gateway could accept has its answer.
const SOON: Duration = Duration::from_secs(2);

/// Opens more connections than there may be files, closes them, and asks whether the gateway serves.
pub(crate) async fn report() {
    let data = tempfile::tempdir().unwrap();
    server::provision(data.path(), 1).await;
    let gateway = server::gateway(data.path(), Some(OPEN_FILES), &[]);
    let mut clients = Vec::new();
    for _ in 0..CONNECTIONS {
        // Those that are not accepted wait in the listener's queue.
        if let Ok(Ok(stream)) = timeout(SOON, TcpStream::connect(gateway.address)).await {
            clients.push(stream);
        }
    }
    let connected = clients.len();
    let asked = clients.into_iter().map(|mut stream| {
        tokio::spawn(async move {
            let is_answered = matches!(timeout(SOON, probe(&mut stream)).await, Ok(true));
            (is_answered, stream)
        })
    });
    let mut kept = Vec::new();
    let mut answered = 0;
    for asked in asked.collect::<Vec<_>>() {
        let (is_answered, stream) = asked.await.unwrap();
        answered += usize::from(is_answered);
        kept.push(stream);
    }
    println!(
        "\nAt most {OPEN_FILES} open files: of {CONNECTIONS} connections {connected} were made and \
         {answered} answered while all stayed open."
    );
    drop(kept);
    let begun = Instant::now();
    loop {
        let mut stream = TcpStream::connect(gateway.address).await.unwrap();
        if matches!(timeout(SOON, probe(&mut stream)).await, Ok(true)) {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "it serves no more");
    }
    println!("Once they closed, the next one was answered after {} ms.", begun.elapsed().as_millis());
}

async fn probe(stream: &mut TcpStream) -> bool {
    let request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let mut answer = [0; 512];
    stream.write_all(request).await.is_ok()
        && stream
            .read(&mut answer)
            .await
            .is_ok_and(|len| answer[..len].starts_with(b"HTTP/1.1 200"))
}

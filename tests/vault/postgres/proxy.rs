//! A proxy between a store and the database that can stop passing bytes on without closing anything.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// Swallows the bytes of connections of an earlier generation.
pub(super) struct Proxy {
    pub(super) address: SocketAddr,
    generation: Arc<AtomicUsize>,
    accepting: JoinHandle<()>,
}

impl Proxy {
    pub(super) async fn before(port: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let generation = Arc::new(AtomicUsize::new(0));
        let current = generation.clone();
        let accepting = tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.unwrap();
                let Ok(server) = TcpStream::connect(("127.0.0.1", port)).await else {
                    continue;
                };
                let mine = current.load(Ordering::SeqCst);
                let (client_reads, client_writes) = client.into_split();
                let (server_reads, server_writes) = server.into_split();
                tokio::spawn(pass(client_reads, server_writes, mine, current.clone()));
                tokio::spawn(pass(server_reads, client_writes, mine, current.clone()));
            }
        });
        Self { address, generation, accepting }
    }

    /// From now on no bytes pass over existing connections. New ones work.
    pub(super) fn swallow(&self) {
        self.generation.fetch_add(1, Ordering::SeqCst);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn pass(
    mut from: tokio::net::tcp::OwnedReadHalf,
    mut to: tokio::net::tcp::OwnedWriteHalf,
    mine: usize,
    current: Arc<AtomicUsize>,
) {
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = from.read(&mut buffer).await {
        if current.load(Ordering::SeqCst) == mine && to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
    // A connection that was swallowed stays open on the other side.
    if current.load(Ordering::SeqCst) != mine {
        std::future::pending::<()>().await;
    }
}

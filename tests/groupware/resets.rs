//! Calls whose callers have gone, on connections that others share. Servers end an HTTP/2 connection, and
//! every call on it, if too many of its streams are reset (the counter-measure for CVE-2023-44487).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use portreeve::groupware::Groupware;
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio_rustls::TlsAcceptor;

use crate::own_server::{self, BODY};
use crate::support::http2_frames::{Frames, HEADERS, RST_STREAM};

/// As many resets of one connection as the strictest servers allow.
const ALLOWED: usize = 20;

#[tokio::test]
async fn callers_who_leave_do_not_make_the_server_end_a_connection_of_others() {
    let server = Server::start().await;
    for round in 1..=20 {
        server.state.answers.store(false, Ordering::Relaxed);
        let calls: Vec<_> = (0..8)
            .map(|_| {
                let client = server.client.clone();
                tokio::spawn(async move { own_server::call(&client).await })
            })
            .collect();
        server.has_received(round * 8 + round - 1).await;
        for call in calls {
            call.abort();
            assert!(call.await.unwrap_err().is_cancelled());
        }
        server.state.answers.store(true, Ordering::Relaxed);
        own_server::call(&server.client).await.unwrap();
    }
    assert_eq!(server.state.ended.load(Ordering::Relaxed), 0);
    // Calls run out first, and a connection is used for a number of resets.
    let connections = server.state.connections.load(Ordering::Relaxed);
    assert!((2..=10).contains(&connections), "{connections}");
}

#[tokio::test]
async fn connections_end_with_their_client() {
    let Server { client, state } = Server::start().await;
    state.answers.store(true, Ordering::Relaxed);
    own_server::call(&client).await.unwrap();
    let closed = state.closed.notified();
    drop(client);
    closed.await;
}

/// A server on loopback, with TLS and HTTP/2, and a client of it.
struct Server {
    client: Groupware,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    /// Whether it answers the requests that arrive from now on.
    answers: AtomicBool,
    received: AtomicUsize,
    receives: Notify,
    connections: AtomicUsize,
    /// Connections that it ended because of resets.
    ended: AtomicUsize,
    /// The client has closed a connection.
    closed: Notify,
}

impl Server {
    async fn start() -> Self {
        let (listener, acceptor, client) = own_server::listen().await;
        let state = Arc::<State>::default();
        let serving = state.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                serving.connections.fetch_add(1, Ordering::Relaxed);
                let state = serving.clone();
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    state.serve(acceptor, stream).await;
                    state.closed.notify_waiters();
                });
            }
        });
        Self { client, state }
    }

    /// Waits until `count` requests have arrived.
    async fn has_received(&self, count: usize) {
        loop {
            let arrives = self.state.receives.notified();
            if self.state.received.load(Ordering::Relaxed) >= count {
                return;
            }
            arrives.await;
        }
    }
}

impl State {
    /// `None` at the end of the connection.
    async fn serve(&self, acceptor: TlsAcceptor, stream: TcpStream) -> Option<()> {
        let mut frames = Frames::accept(&acceptor, stream, &[]).await?;
        let mut resets = 0;
        loop {
            match frames.next().await? {
                (HEADERS, id) => {
                    if self.answers.load(Ordering::Relaxed) {
                        frames.answer(id, BODY).await?;
                    }
                    self.received.fetch_add(1, Ordering::Relaxed);
                    self.receives.notify_one();
                }
                (RST_STREAM, _) => {
                    resets += 1;
                    if resets > ALLOWED {
                        self.ended.fetch_add(1, Ordering::Relaxed);
                        return None;
                    }
                }
                _ => {}
            }
        }
    }
}

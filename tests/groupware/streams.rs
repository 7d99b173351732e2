//! How many calls share a connection over HTTP/2 if the server limits them (RFC 9113, section 5.1.2):
//! nginx allows 128 by default.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::join_all;
use http::Response;
use http_body_util::Full;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use portreeve::groupware::Groupware;
use tokio::net::TcpStream;
use tokio::sync::{Barrier, Notify};
use tokio_rustls::TlsAcceptor;

use crate::own_server::{self, BODY};

#[tokio::test]
async fn more_than_a_hundred_simultaneous_calls_use_further_connections() {
    let server = Server::start(128, Answers::Together { after: 0, calls: 300 }).await;
    server.assert_serves_at_once(300).await;
    assert_eq!(server.most_at_once.load(Ordering::Relaxed), 100);
    assert_eq!(server.connections.load(Ordering::Relaxed), 3);
    // The connections are used again.
    server.assert_serves_at_once(300).await;
    assert_eq!(server.connections.load(Ordering::Relaxed), 3);
}

#[tokio::test]
async fn no_more_calls_share_a_connection_than_the_server_allows() {
    let server = Server::start(8, Answers::Together { after: 2, calls: 20 }).await;
    server.learn_the_limit().await;
    for _ in 0..5 {
        // More on one connection would not be answered.
        server.assert_serves_at_once(20).await;
    }
    assert_eq!(server.connections.load(Ordering::Relaxed), 3);
}

#[tokio::test]
async fn calls_are_served_although_connections_end() {
    for (max_streams, calls) in [(4, 20), (100, 150), (128, 200)] {
        let answers = Answers::UntilTheEnd { calls };
        let server = Server::start(max_streams, answers).await;
        server.learn_the_limit().await;
        for _ in 0..5 {
            server.assert_serves_at_once(400).await;
        }
        // None of them was processed twice.
        assert_eq!(server.answered.load(Ordering::Relaxed), 2_002);
        let ended = server.ended.load(Ordering::Relaxed);
        assert!(ended >= 5, "{max_streams}: {ended}");
    }
}

#[tokio::test]
async fn calls_wait_for_room_if_no_further_connection_can_be_made() {
    for further in [Further::Unanswered, Further::Closed] {
        let server = Server::start(8, Answers::UntilTheEnd { calls: usize::MAX }).await;
        server.learn_the_limit().await;
        server.set_further(further);
        server.assert_serves_at_once(100).await;
        assert_eq!(server.answered.load(Ordering::Relaxed), 102);
        let connections = server.connections.load(Ordering::Relaxed);
        assert!(connections > 1, "{further:?}");
    }
}

#[tokio::test]
async fn calls_made_before_the_first_connection_wait_for_room_too() {
    let server = Server::start(8, Answers::UntilTheEnd { calls: usize::MAX }).await;
    server.set_further(Further::UnansweredButTheFirst);
    server.assert_serves_at_once(300).await;
    assert_eq!(server.answered.load(Ordering::Relaxed), 300);
}

#[tokio::test]
async fn calls_that_wait_for_room_survive_the_end_of_the_connection() {
    let server = Server::start(8, Answers::UntilTheEnd { calls: 40 }).await;
    server.learn_the_limit().await;
    // Further connections are closed until the first one has ended.
    server.set_further(Further::Closed);
    server.assert_serves_at_once(100).await;
    assert_eq!(server.answered.load(Ordering::Relaxed), 102);
    assert!(server.ended.load(Ordering::Relaxed) > 0);
}

/// A firewall may have dropped the connection's state by then.
#[tokio::test]
async fn a_connection_is_not_used_again_after_a_minute() {
    let server = Server::start(128, Answers::UntilTheEnd { calls: usize::MAX }).await;
    for (seconds, connections) in [(0, 1), (30, 1), (61, 2)] {
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(seconds)).await;
        tokio::time::resume();
        server.assert_serves_at_once(1).await;
        assert_eq!(server.connections.load(Ordering::Relaxed), connections);
    }
}

/// How a server answers.
#[derive(Clone)]
enum Answers {
    /// The first `after` at once, then `calls` of them together when the last one has arrived.
    Together { after: usize, calls: usize },
    /// Each after a short delay; after this many of them a connection accepts no more.
    UntilTheEnd { calls: usize },
}

/// How a server treats further connections.
#[derive(Clone, Copy, Debug)]
enum Further {
    Unanswered,
    UnansweredButTheFirst,
    Closed,
}

// === impl Further ===

impl Further {
    /// Whether it applies to a connection after `before` others.
    fn is_for(self, before: usize) -> bool {
        !matches!(self, Self::UnansweredButTheFirst) || before > 0
    }
}

/// A server on loopback, with TLS and HTTP/2, and a client of it.
struct Server {
    client: Groupware,
    connections: Arc<AtomicUsize>,
    most_at_once: Arc<AtomicUsize>,
    answered: Arc<AtomicUsize>,
    /// Connections that ended.
    ended: Arc<AtomicUsize>,
    /// Set while no more connections are accepted.
    further: Arc<Mutex<Option<Further>>>,
}

// === impl Server ===

impl Server {
    /// Allows `max_streams` on each connection at once.
    async fn start(max_streams: u32, answers: Answers) -> Self {
        let (listener, acceptor, client) = own_server::listen().await;
        let server = Self {
            client,
            connections: Arc::default(),
            most_at_once: Arc::default(),
            answered: Arc::default(),
            ended: Arc::default(),
            further: Arc::default(),
        };
        let barrier = Arc::new(Barrier::new(match answers {
            Answers::Together { calls, .. } => calls,
            Answers::UntilTheEnd { .. } => 1,
        }));
        let (connections, further) = (server.connections.clone(), server.further.clone());
        let connection = Connection {
            max_streams,
            answers,
            barrier,
            most_at_once: server.most_at_once.clone(),
            answered: server.answered.clone(),
            ended: server.ended.clone(),
            further: server.further.clone(),
        };
        tokio::spawn(async move {
            let mut unanswered = Vec::new();
            while let Ok((stream, _)) = listener.accept().await {
                let before = connections.fetch_add(1, Ordering::Relaxed);
                let further = *further.lock().unwrap();
                match further.filter(|further| further.is_for(before)) {
                    None => drop(tokio::spawn(connection.clone().serve(acceptor.clone(), stream))),
                    Some(Further::Closed) => drop(stream),
                    Some(_) => unanswered.push(stream),
                }
            }
        });
        server
    }

    fn set_further(&self, further: Further) {
        *self.further.lock().unwrap() = Some(further);
    }

    /// The server's limit is known once it has answered.
    async fn learn_the_limit(&self) {
        for _ in 0..2 {
            self.assert_serves_at_once(1).await;
        }
    }

    async fn assert_serves_at_once(&self, calls: usize) {
        let calls = join_all((0..calls).map(|_| own_server::call(&self.client)));
        let outcomes = tokio::time::timeout(Duration::from_secs(30), calls).await;
        let outcomes = outcomes.expect("calls wait without end");
        let faults: Vec<_> = outcomes.into_iter().filter_map(Result::err).collect();
        assert!(faults.is_empty(), "{}: {:?}", faults.len(), faults[0]);
    }
}

#[derive(Clone)]
struct Connection {
    max_streams: u32,
    answers: Answers,
    barrier: Arc<Barrier>,
    most_at_once: Arc<AtomicUsize>,
    answered: Arc<AtomicUsize>,
    ended: Arc<AtomicUsize>,
    further: Arc<Mutex<Option<Further>>>,
}

// === impl Connection ===

impl Connection {
    /// `None` if there is no TLS.
    async fn serve(self, acceptor: TlsAcceptor, stream: TcpStream) -> Option<()> {
        let stream = acceptor.accept(stream).await.ok()?;
        let (at_once, taken) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let (at_once, taken, end) = (Arc::new(at_once), Arc::new(taken), Arc::new(Notify::new()));
        let max_streams = self.max_streams;
        let (ended, further) = (self.ended.clone(), self.further.clone());
        let ends = end.clone();
        let service = service_fn(move |_| {
            let (connection, at_once, end) = (self.clone(), at_once.clone(), end.clone());
            let taken = taken.fetch_add(1, Ordering::Relaxed) + 1;
            async move {
                let before = connection.answered.load(Ordering::Relaxed);
                let now = at_once.fetch_add(1, Ordering::Relaxed) + 1;
                connection.most_at_once.fetch_max(now, Ordering::Relaxed);
                match connection.answers {
                    Answers::Together { after, .. } if before < after => {}
                    Answers::Together { .. } => {
                        connection.barrier.wait().await;
                    }
                    Answers::UntilTheEnd { calls } => {
                        tokio::time::sleep(Duration::from_millis(2)).await;
                        if taken == calls {
                            end.notify_one();
                        }
                    }
                }
                at_once.fetch_sub(1, Ordering::Relaxed);
                connection.answered.fetch_add(1, Ordering::Relaxed);
                Ok::<_, Infallible>(Response::new(Full::new(Bytes::from(BODY))))
            }
        });
        let mut http2 = http2::Builder::new(TokioExecutor::new());
        http2.max_concurrent_streams(max_streams);
        let mut connection = pin!(http2.serve_connection(TokioIo::new(stream), service));
        tokio::select! {
            _ = connection.as_mut() => {}
            () = ends.notified() => {
                ended.fetch_add(1, Ordering::Relaxed);
                *further.lock().unwrap() = None;
                connection.as_mut().graceful_shutdown();
                connection.await.ok()?;
            }
        }
        Some(())
    }
}

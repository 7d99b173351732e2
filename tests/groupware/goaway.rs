//! Connections that the server ends between two requests (RFC 9113, section 6.8): nginx does after
//! each `keepalive_requests`. A call that was provably not processed is repeated.
//!
//! The server here writes its own frames, since the tests depend on which streams it says it processed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::join_all;
use portreeve::groupware::{Effect, Groupware, GroupwareError};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

use crate::own_server::{self, BODY};
use crate::recorded::account;
use crate::support::http2_frames::{Frames, GOAWAY, HEADERS, RST_STREAM};

/// How the server turns away a request that it does not answer.
#[derive(Clone, Copy, Debug)]
enum Turn {
    /// GOAWAY that names the stream before, then the end of the connection.
    GoAway,
    /// The same, with an error.
    GoAwayWithError,
    /// RST_STREAM with REFUSED_STREAM; the connection stays.
    Refuse,
    /// GOAWAY that names the stream itself: it may have been processed.
    GoAwayAfter,
    /// The connection ends without a GOAWAY.
    Close,
    /// `GoAway` the first time, `Refuse` from then on.
    GoAwayThenRefuse,
    /// GOAWAY before there is a request.
    Early,
}

#[tokio::test]
async fn simultaneous_first_calls_share_one_connection() {
    let server = Server::start(Turn::Close, usize::MAX, 0).await;
    for _ in 0..2 {
        let calls = join_all((0..20).map(|_| server.call())).await;
        assert!(calls.iter().all(Result::is_ok), "{calls:?}");
    }
    assert_eq!(server.connections.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_connection_that_ends_between_two_requests_fails_no_call() {
    for turn in [Turn::GoAway, Turn::GoAwayWithError, Turn::Refuse] {
        // Every eighth request of a connection is rejected.
        let server = Server::start(turn, 7, usize::MAX).await;
        for at in 0..100 {
            let called = server.call().await;
            assert!(called.is_ok(), "{turn:?}, call {at}: {called:?}");
        }
        assert_eq!(server.answered.load(Ordering::Relaxed), 100, "{turn:?}");
        // From the first GOAWAY without an error the client learns how many requests a connection takes.
        let least = if matches!(turn, Turn::GoAway) { 1 } else { 10 };
        assert!(server.turned.load(Ordering::Relaxed) >= least, "{turn:?}");
    }
}

#[tokio::test]
async fn simultaneous_calls_survive_connections_that_end() {
    let server = Arc::new(Server::start(Turn::GoAway, 50, usize::MAX).await);
    let workers: Vec<_> = (0..4)
        .map(|_| {
            let server = server.clone();
            tokio::spawn(async move {
                for _ in 0..50 {
                    server.call().await.unwrap();
                }
            })
        })
        .collect();
    for worker in workers {
        worker.await.unwrap();
    }
    assert_eq!(server.answered.load(Ordering::Relaxed), 200);
}

#[tokio::test]
async fn api_8_a_write_that_may_have_been_processed_is_not_repeated_and_a_read_is_once() {
    for turn in [Turn::GoAwayAfter, Turn::Close] {
        let server = Server::start(turn, 3, 1).await;
        for _ in 0..3 {
            server.call().await.unwrap();
        }
        let access = server.client.access(account("admin"));
        let fault = access.delete_webhook(1).await.result.unwrap_err();
        assert_eq!(fault.effect(), Effect::Unknown);
        let cause = &fault.cause;
        assert!(matches!(cause, GroupwareError::Unreachable(_)), "{cause:?}");
        assert_eq!(server.turned.load(Ordering::Relaxed), 1, "{turn:?}");
        assert_eq!(server.answered.load(Ordering::Relaxed), 3, "{turn:?}");
        server.call().await.unwrap();

        let server = Server::start(turn, 3, 1).await;
        for _ in 0..4 {
            server.call().await.unwrap();
        }
        assert_eq!(server.turned.load(Ordering::Relaxed), 1, "{turn:?}");
        assert_eq!(tries(turn).await, 2, "{turn:?}");
    }
}

/// More calls are in flight than the server takes on one connection, so that calls rejected by one
/// connection are rejected by the next one, too.
#[tokio::test]
async fn calls_rejected_by_several_connections_are_served() {
    for at_once in [20, 60, 100] {
        let server = Server::start(Turn::GoAway, 7, usize::MAX).await;
        server.assert_serves_at_once(at_once).await;
    }
}

/// A busy day's load: once the client knows how many requests a connection takes, no call is rejected by
/// one connection after the other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_ends_its_connections_after_few_requests_fails_no_call() {
    let server = Arc::new(Server::start(Turn::GoAway, 7, usize::MAX).await);
    let workers = (0..60).map(|_| {
        let server = server.clone();
        tokio::spawn(async move {
            for _ in 0..40 {
                server.call().await?;
            }
            Ok::<_, GroupwareError>(())
        })
    });
    for worker in join_all(workers).await {
        worker.unwrap().unwrap();
    }
    assert_eq!(server.answered.load(Ordering::Relaxed), 60 * 40);
    // Few requests are sent in vain.
    let rejected = server.turned.load(Ordering::Relaxed);
    assert!(rejected < 60 * 40 / 4, "{rejected}");
}

/// The limit learned from a server is forgotten when it accepts more.
#[tokio::test]
async fn a_learned_limit_is_forgotten_when_the_server_takes_more() {
    let server = Server::start(Turn::GoAway, 3, 2).await;
    server.assert_serves_at_once(20).await;
    let before = server.connections.load(Ordering::Relaxed);
    for _ in 0..40 {
        server.call().await.unwrap();
        tokio::time::sleep(std::time::Duration::from_millis(110)).await;
    }
    let made = server.connections.load(Ordering::Relaxed) - before;
    assert!(made <= 3, "{made}");
}

#[tokio::test]
async fn an_unprocessed_call_is_repeated_at_most_fifteen_times() {
    assert_eq!(tries(Turn::GoAway).await, 16);
}

/// The server may already be too busy.
#[tokio::test]
async fn a_refused_call_is_repeated_once() {
    for turn in [Turn::GoAwayWithError, Turn::Refuse] {
        assert_eq!(tries(turn).await, 2, "{turn:?}");
    }
}

/// The two limits are independent of each other.
#[tokio::test]
async fn a_call_that_was_unprocessed_once_is_repeated_when_refused() {
    let server = Server::start(Turn::GoAwayThenRefuse, 0, 2).await;
    server.call().await.unwrap();
    assert_eq!(server.turned.load(Ordering::Relaxed), 2);
    assert_eq!(server.answered.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_connection_that_ends_before_its_first_call_fails_no_call() {
    let server = Server::start(Turn::Early, 0, 1).await;
    server.call().await.unwrap();
    assert_eq!(server.connections.load(Ordering::Relaxed), 2);
    assert_eq!(server.answered.load(Ordering::Relaxed), 1);
}

/// A connection may end just as a call takes the last stream, or as one is handed to the task that drives
/// it: either takes more than one thread.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_made_while_connections_end_are_answered() {
    let server = Server::start_allowing(Some(4), Turn::GoAway, 9, usize::MAX).await;
    // The server's limit is known once it has answered.
    for _ in 0..2 {
        server.call().await.unwrap();
    }
    for _ in 0..500 {
        let client = &server.client;
        let calls = (0..12).map(|_| {
            let client = client.clone();
            tokio::spawn(async move { own_server::call(&client).await })
        });
        for outcome in join_all(calls).await {
            outcome.unwrap().unwrap();
        }
    }
    assert_eq!(server.answered.load(Ordering::Relaxed), 2 + 500 * 12);
}

/// How often one call is sent to a server that never answers.
async fn tries(turn: Turn) -> usize {
    let server = Server::start(turn, 0, usize::MAX).await;
    let fault = server.call().await.unwrap_err();
    assert!(matches!(fault, GroupwareError::Unreachable(_)), "{fault:?}");
    server.turned.load(Ordering::Relaxed)
}

/// A server on loopback, with TLS and HTTP/2, and a client of it.
struct Server {
    client: Groupware,
    connections: Arc<AtomicUsize>,
    answered: Arc<AtomicUsize>,
    turned: Arc<AtomicUsize>,
}

impl Server {
    /// Answers `answers` requests of each connection, then does `turn`, at most `turns` times in all.
    async fn start(turn: Turn, answers: usize, turns: usize) -> Self {
        Self::start_allowing(None, turn, answers, turns).await
    }

    /// Allows this many streams at once, or does not announce a limit.
    async fn start_allowing(
        streams: Option<u32>,
        turn: Turn,
        answers: usize,
        turns: usize,
    ) -> Self {
        let (listener, acceptor, client) = own_server::listen().await;
        let server = Self {
            client,
            connections: Arc::default(),
            answered: Arc::default(),
            turned: Arc::default(),
        };
        let connections = server.connections.clone();
        let (answered, turned) = (server.answered.clone(), server.turned.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                stream.set_nodelay(true).unwrap();
                connections.fetch_add(1, Ordering::Relaxed);
                let connection = Connection {
                    streams,
                    turn,
                    answers,
                    turns,
                    answered: answered.clone(),
                    turned: turned.clone(),
                };
                tokio::spawn(connection.serve(acceptor.clone(), stream));
            }
        });
        server
    }

    /// Makes `calls` at once, five times over.
    async fn assert_serves_at_once(&self, calls: usize) {
        let before = self.answered.load(Ordering::Relaxed);
        for _ in 0..5 {
            let outcomes = join_all((0..calls).map(|_| self.call())).await;
            let faults: Vec<_> = outcomes.into_iter().filter_map(Result::err).collect();
            assert!(faults.is_empty(), "{} of {calls}: {faults:?}", faults.len());
        }
        // None of them was processed twice.
        let answered = self.answered.load(Ordering::Relaxed) - before;
        assert_eq!(answered, 5 * calls);
    }

    async fn call(&self) -> Result<(), GroupwareError> {
        own_server::call(&self.client).await
    }
}

struct Connection {
    streams: Option<u32>,
    turn: Turn,
    answers: usize,
    turns: usize,
    answered: Arc<AtomicUsize>,
    turned: Arc<AtomicUsize>,
}

impl Connection {
    /// `None` at the end of the connection.
    async fn serve(self, acceptor: TlsAcceptor, stream: TcpStream) -> Option<()> {
        let settings = (self.streams)
            // SETTINGS_MAX_CONCURRENT_STREAMS
            .map(|streams| [&[0, 3], &streams.to_be_bytes()[..]].concat());
        let mut frames = Frames::accept(&acceptor, stream, &settings.unwrap_or_default()).await?;
        let (mut here, mut last) = (0, 0);
        if matches!(self.turn, Turn::Early) && !self.is_done() {
            self.turned.fetch_add(1, Ordering::Relaxed);
            frames.write(GOAWAY, 0, 0, &[0; 8]).await?;
            return frames.0.shutdown().await.ok();
        }
        loop {
            let (kind, id) = frames.next().await?;
            if kind != HEADERS {
                continue;
            }
            if here < self.answers || self.is_done() {
                here += 1;
                last = id;
                self.answered.fetch_add(1, Ordering::Relaxed);
                frames.answer(id, BODY).await?;
                continue;
            }
            let turned = self.turned.fetch_add(1, Ordering::Relaxed);
            return match self.turn {
                Turn::GoAway => frames.go_away(last, 0).await,
                Turn::GoAwayThenRefuse if turned == 0 => frames.go_away(last, 0).await,
                // ENHANCE_YOUR_CALM
                Turn::GoAwayWithError => frames.go_away(last, 11).await,
                Turn::GoAwayAfter => frames.go_away(id, 0).await,
                Turn::Close | Turn::Early => None,
                Turn::Refuse | Turn::GoAwayThenRefuse => {
                    here = 0;
                    // REFUSED_STREAM
                    frames.write(RST_STREAM, 0, id, &7_u32.to_be_bytes()).await?;
                    continue;
                }
            };
        }
    }

    fn is_done(&self) -> bool {
        self.turned.load(Ordering::Relaxed) >= self.turns
    }
}

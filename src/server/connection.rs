//! One connection, from its first byte until it is closed, ended or cut.

use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response};
use http_body::Body;
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::sync::watch;
use tokio::time::{Instant, Sleep, sleep, timeout};
use tower::{BoxError, Service};

use super::activity::{Activity, Verdict};
use super::addresses::Counted;
use super::connections::{Connections, Open};
use super::listeners::Accepted;
use super::stream::Stream;
use super::timeouts::Timeouts;
use super::tracked::Tracked;
use super::{Bounds, Tls};
use crate::tally::Tally;

/// What a connection is served with.
pub(super) struct Connection<S> {
    pub(super) service: Box<S>,
    pub(super) http: Arc<auto::Builder<TokioExecutor>>,
    pub(super) bounds: Bounds,
    pub(super) ending: watch::Receiver<()>,
    /// Its place among those of its address, until it ends.
    pub(super) counted: Option<Counted>,
    /// Its place among those that are open.
    pub(super) open: Open,
    /// Counts it, if it ends without its TLS handshake.
    pub(super) handshakes: Handshakes,
}

/// Counts connections that end without their TLS handshake.
#[derive(Clone)]
pub(super) struct Handshakes {
    pub(super) counted: Connections,
    /// Anybody can cause thousands in a second.
    pub(super) told: Arc<Tally>,
}

/// Why there was no handshake.
enum Unshaken {
    /// The server ends.
    Ending,
    Failed(io::Error),
}

/// The peer of a connection in a line of the log.
struct Peer(Option<SocketAddr>);

// === impl Connection ===

impl<S, B> Connection<S>
where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible, Future: Send>
        + Clone
        + Send
        + 'static,
    B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
{
    /// Serves `accepted` to its end.
    pub(super) async fn run(self, accepted: Accepted) {
        let Self {
            service,
            http,
            bounds,
            ending,
            counted: _counted,
            open,
            handshakes,
        } = self;
        let peer = accepted.peer;
        let stream = match accepted.tls {
            None => accepted.stream,
            // Boxed: a connection without TLS does not need the room.
            Some(tls) => {
                let shaken = handshake(tls, accepted.stream, bounds.head_timeout, ending.clone());
                match Box::pin(shaken).await {
                    Ok(stream) => stream,
                    Err(Unshaken::Ending) => return,
                    Err(Unshaken::Failed(error)) => {
                        tracing::debug!(peer = %Peer(peer), %error, "no TLS handshake");
                        handshakes.counted.failed_handshake();
                        handshakes.told.count();
                        return;
                    }
                }
            }
        };
        let activity = Arc::new(Activity::new(open));
        let service = Tracked {
            service,
            peer,
            activity: activity.clone(),
        };
        let io = TokioIo::new(Timeouts::new(stream, &bounds, activity.clone()));
        // In one place from here on: a future that is handed on by value takes its room twice.
        let connection = pin!(http.serve_connection(io, service));
        let end =
            |connection: Pin<&mut auto::Connection<'_, _, _, _>>| connection.graceful_shutdown();
        drive(connection, end, activity, bounds, Peer(peer), ending).await;
    }
}

// === impl Peer ===

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(peer) => peer.fmt(f),
            None => f.write_str("unix"),
        }
    }
}

/// The connection within `tls`. A client has `limit` for the handshake, and none of it once the
/// server ends: it has no request in flight.
async fn handshake(
    tls: Tls,
    stream: Stream,
    limit: Duration,
    mut ending: watch::Receiver<()>,
) -> Result<Stream, Unshaken> {
    tokio::select! {
        _ = ending.changed() => Err(Unshaken::Ending),
        shaken = timeout(limit, tls.accept(stream)) => {
            let shaken = shaken.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
            shaken.map_err(Unshaken::Failed)
        }
    }
}

/// Drives `connection` to its end. It is ended gracefully, by `end`, when `shutdown` changes, at its
/// greatest age and after too long without a request; it is cut when its client does not go on.
async fn drive<C, E>(
    mut connection: Pin<&mut C>,
    end: impl Fn(Pin<&mut C>),
    activity: Arc<Activity>,
    bounds: Bounds,
    peer: Peer,
    mut shutdown: watch::Receiver<()>,
) where
    C: Future<Output = Result<(), E>>,
    E: fmt::Display,
{
    // Most connections have no greatest age.
    let mut age = bounds.age.map(|age| Box::pin(sleep(age)));
    let mut look = pin!(sleep(Duration::ZERO));
    let mut is_ending = false;
    loop {
        tokio::select! {
            closed = connection.as_mut() => {
                if let Err(error) = closed {
                    tracing::debug!(%peer, %error, "connection ended early");
                }
                return;
            }
            // The clients have until the end of the drain.
            _ = shutdown.changed(), if !is_ending => {
                is_ending = true;
                end(connection.as_mut());
            }
            () = over(age.as_mut()), if !is_ending => {
                is_ending = true;
                activity.ended();
                end(connection.as_mut());
            }
            () = &mut look => match activity.judge(&bounds) {
                Verdict::Until(next) => look.as_mut().reset(next),
                Verdict::End => {
                    is_ending = true;
                    activity.ended();
                    end(connection.as_mut());
                    look.as_mut().reset(Instant::now());
                }
                Verdict::Cut => {
                    tracing::debug!(%peer, "connection cut: its client does not go on");
                    return;
                }
            },
        }
    }
}

/// Ready once `time` is over, if it ever is.
async fn over(time: Option<&mut Pin<Box<Sleep>>>) {
    match time {
        Some(time) => time.await,
        None => std::future::pending().await,
    }
}

//! One connection, from its first byte until it is closed, ended or cut.

use std::convert::Infallible;
use std::fmt;
use std::future::{Future, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{OptionFuture, poll_immediate};
use http::{Request, Response};
use http_body::Body;
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use hyper_util::server::conn::auto;
use tokio::time::{Instant, sleep, timeout};
use tower::{BoxError, Service};

use super::Bounds;
use super::activity::{Activity, Signal, Verdict};
use super::addresses::AddressSlot;
use super::connections::{Connections, Count};
use super::http::Http;
use super::listeners::Accepted;
use super::timeouts::Timeouts;
use super::tracked::Tracked;
use crate::tally::Tally;

pub(super) struct Shared {
    pub(super) http: Http,
    pub(super) bounds: Bounds,
    pub(super) counted: Connections,
    /// Logs those that end without completing their TLS handshake; anyone can cause thousands a second.
    pub(super) failed_handshakes: Arc<Tally>,
}

struct Peer(Option<SocketAddr>);

/// Serves `accepted` to its end. Until then it is counted among the connections of its address.
pub(super) async fn serve_connection<S, B>(
    accepted: Accepted,
    service: Box<S>,
    shared: Arc<Shared>,
    activity: Arc<Activity>,
    _address_slot: Option<AddressSlot>,
) where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible, Future: Send>
        + Clone
        + Send
        + 'static,
    B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
{
    let (peer, bounds) = (accepted.peer, shared.bounds);
    let http = shared.http.builder(accepted.tls.is_some());
    let stream = match accepted.tls {
        None => accepted.stream,
        // Boxed: a connection without TLS does not need the space.
        Some(tls) => {
            let accepting = timeout(bounds.head_timeout, tls.accept(accepted.stream));
            let accepted = tokio::select! {
                accepted = Box::pin(accepting) => accepted,
                // Either signal: there is no request in flight.
                _ = poll_fn(|cx| activity.poll_signal(cx)) => return,
            };
            match accepted.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())) {
                Ok(stream) => stream,
                Err(error) => {
                    tracing::debug!(peer = %Peer(peer), %error, "no TLS handshake");
                    shared.counted.count(Count::FailedHandshake);
                    shared.failed_handshakes.count();
                    return;
                }
            }
        }
    };
    let service = Tracked { service, peer, activity: activity.clone() };
    let io = TokioIo::new(Timeouts::new(stream, &bounds, activity.clone()));
    // Pinned here: a future that is passed on by value takes its space twice.
    let connection = pin!(http.serve_connection(io, service));
    let end = |connection: Pin<&mut auto::Connection<'_, _, _, _>>| connection.graceful_shutdown();
    drive(connection, end, activity, bounds, Peer(peer)).await;
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(peer) => peer.fmt(f),
            None => f.write_str("unix"),
        }
    }
}

/// Drives `connection` to its end. It is closed gracefully, by `end`, when the server shuts down, when it reaches its
/// maximum age, and after too long without a request; it is cut when its client stalls, or when it is dismissed to make
/// room for another.
async fn drive<C, E>(
    mut connection: Pin<&mut C>,
    end: impl Fn(Pin<&mut C>),
    activity: Arc<Activity>,
    bounds: Bounds,
    peer: Peer,
) where
    C: Future<Output = Result<(), E>>,
    E: fmt::Display,
{
    // Boxed: most connections have no maximum age.
    let mut age = OptionFuture::from(bounds.max_connection_age.map(|age| Box::pin(sleep(age))));
    let mut check = pin!(sleep(Duration::ZERO));
    let mut is_ending = false;
    loop {
        tokio::select! {
            closed = connection.as_mut() => {
                if let Err(error) = closed {
                    tracing::debug!(%peer, %error, "connection ended early");
                }
                return;
            }
            Some(()) = &mut age, if !is_ending => {
                is_ending = true;
                activity.ended();
                end(connection.as_mut());
            }
            signal = poll_fn(|cx| activity.poll_signal(cx)) => match signal {
                Signal::ShutDown if is_ending => {}
                // Not `activity.ended()`: the clients have until the end of the drain.
                Signal::ShutDown => {
                    is_ending = true;
                    end(connection.as_mut());
                }
                Signal::Dismiss => {
                    // What has arrived by now is served.
                    if poll_immediate(connection.as_mut()).await.is_some() {
                        return;
                    }
                    is_ending = true;
                    activity.ended();
                    end(connection.as_mut());
                    // To tell the client.
                    let has_ended = poll_immediate(connection.as_mut()).await.is_some();
                    if has_ended || !activity.may_be_sending() {
                        tracing::debug!(%peer, "idle connection closed to make room");
                        return;
                    }
                    check.as_mut().reset(Instant::now());
                }
            },
            () = &mut check => match activity.verdict(&bounds) {
                Verdict::Until(next) => check.as_mut().reset(next),
                Verdict::End => {
                    is_ending = true;
                    activity.ended();
                    end(connection.as_mut());
                    check.as_mut().reset(Instant::now());
                }
                Verdict::Cut => {
                    tracing::debug!(%peer, "connection cut: its client stalls");
                    return;
                }
            },
        }
    }
}

//! Accepts connections, serves each with hyper, and shuts down gracefully.

use std::convert::Infallible;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;

use http::{Request, Response};
use http_body::Body;
use hyper::body::Incoming;
use tokio::task::JoinSet;
use tower::{BoxError, Service};

use super::activity::Activity;
use super::addresses::Addresses;
use super::bounds::Bounds;
use super::connection::{Shared, serve_connection};
use super::connection_limit::{ConnectionLimit, rejected};
use super::connections::Count;
use super::http::Http;
use super::listeners::Listeners;
use crate::tally::Tally;

/// How a shutdown went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drained {
    /// Every request in flight was answered.
    Completely,
    /// This many connections were still busy at the end of [`Bounds::drain_timeout`], and were cut.
    Cut(usize),
}

/// Serves `service` on `listeners` until `shutdown` is ready, then waits for the requests in flight.
///
/// A client that has gone cancels its requests: the services' futures are dropped. It has gone when it resets the
/// connection, closes a unix socket, or ends TLS or HTTP/2. Over plain HTTP/1 and TCP, a closed connection looks like
/// one whose client has sent everything and waits for the answer: the request is answered, and the client is only
/// missed when the answer is sent. Dropping the future of `serve` itself cuts all connections immediately.
pub async fn serve<S, B>(
    listeners: impl Into<Listeners>,
    service: S,
    bounds: Bounds,
    shutdown: impl Future<Output = ()>,
) -> Drained
where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible, Future: Send>
        + Clone
        + Send
        + 'static,
    B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
{
    let mut listeners = listeners.into();
    let open = listeners.connections.clone();
    let shared = Arc::new(Shared {
        http: Http::new(&bounds),
        bounds,
        counted: open.clone(),
        failed_handshakes: Tally::new(log_failed_handshakes),
    });
    let addresses = Addresses::default();
    let too_many =
        rejected("connections_of_address", "connections were closed: too many from one address");
    let mut connections = JoinSet::new();
    let mut limit = ConnectionLimit::new(bounds.max_connections, open.clone());
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            () = &mut shutdown => break,
            Some(_) = connections.join_next(), if !connections.is_empty() => continue,
            accepted = listeners.accept() => accepted,
        };
        let max = bounds.max_connections_per_address;
        let counted = accepted.peer.map(|peer| addresses.count(peer.ip(), max).ok_or(peer));
        let address_slot = match counted.transpose() {
            Ok(slot) => slot,
            Err(peer) => {
                tracing::debug!(%peer, most = max, "too many connections of one address");
                too_many.count();
                open.count(Count::Refused);
                continue;
            }
        };
        tokio::select! {
            () = &mut shutdown => break,
            () = limit.make_room(&mut connections) => {}
        }
        accepted.stream.limit_silence(bounds.stall_timeout);
        let activity = Arc::new(Activity::new(open.open()));
        limit.add(&activity, connections.len());
        connections.spawn(serve_connection(
            accepted,
            Box::new(service.clone()),
            shared.clone(),
            activity,
            address_slot,
        ));
    }
    drop(listeners);
    limit.shut_down();
    let drained = async { while connections.join_next().await.is_some() {} };
    match tokio::time::timeout(bounds.drain_timeout, drained).await {
        Ok(()) => Drained::Completely,
        Err(_) => {
            while connections.try_join_next().is_some() {}
            Drained::Cut(connections.len())
        }
    }
}

fn log_failed_handshakes(count: u64) {
    tracing::info!(
        target: "portreeve::rejected",
        kind = "tls_handshake",
        count,
        "connections ended without a TLS handshake"
    );
}

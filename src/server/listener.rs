//! Accepts connections, hands each to hyper, and lets them end well.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response};
use http_body::Body;
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tower::{BoxError, Service};

use super::activity::Activity;
use super::addresses::Addresses;
use super::bounds::Bounds;
use super::connection::drive;
use super::timeouts::Timeouts;
use super::tracked::Tracked;
use crate::tally::Tally;

/// Time until `accept` is tried again after the process ran out of descriptors.
const ACCEPT_RETRY: Duration = Duration::from_millis(100);

/// How a shutdown went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drained {
    /// Every request in flight was answered.
    Completely,
    /// This many connections were still busy at the end of [`Bounds::drain`], and were cut.
    Cut(usize),
}

/// Serves `service` on `listener` until `shutdown` is ready, then accepts no new connection and
/// waits for the requests in flight. The [module](super) has an example.
///
/// A client that closes its connection cancels its request: the service's future is dropped. Dropping
/// the future of `serve` itself cuts all connections at once.
pub async fn serve<S, B>(
    listener: TcpListener,
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
    let http = http(&bounds);
    let addresses = Addresses::default();
    // A client can cause thousands in a second.
    let too_many = Tally::new(tell_too_many);
    let (end, ending) = watch::channel(());
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    loop {
        tokio::select! {
            () = &mut shutdown => break,
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            (stream, peer) = accept(&listener), if connections.len() < bounds.connections => {
                let most = bounds.connections_per_address;
                let Some(counted) = addresses.count(peer.ip(), most) else {
                    tracing::debug!(%peer, most, "too many connections of one address");
                    too_many.count();
                    continue;
                };
                let activity = Arc::new(Activity::new());
                let service = Tracked { service: service.clone(), peer, activity: activity.clone() };
                let io = TokioIo::new(Timeouts::new(stream, &bounds, activity.clone()));
                let connection = http
                    .serve_connection(io, TowerToHyperService::new(service))
                    .into_owned();
                let connection = drive(
                    connection,
                    |connection| connection.graceful_shutdown(),
                    activity,
                    bounds,
                    peer,
                    ending.clone(),
                );
                connections.spawn(async move {
                    connection.await;
                    drop(counted);
                });
            }
        }
    }
    drop(listener);
    end.send_replace(());
    let drained = async { while connections.join_next().await.is_some() {} };
    match tokio::time::timeout(bounds.drain, drained).await {
        Ok(()) => Drained::Completely,
        Err(_) => {
            while connections.try_join_next().is_some() {}
            Drained::Cut(connections.len())
        }
    }
}

fn tell_too_many(count: u64) {
    tracing::warn!(
        target: "portreeve::turned_away",
        kind = "connections_of_address",
        count,
        "connections were closed: their addresses have too many"
    );
}

fn http(bounds: &Bounds) -> auto::Builder<TokioExecutor> {
    let mut http = auto::Builder::new(TokioExecutor::new());
    http.http1()
        .timer(TokioTimer::new())
        // It would count the wait between two requests, too.
        .header_read_timeout(None)
        .max_buf_size(bounds.head);
    http.http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(Some(bounds.stall_timeout))
        .max_concurrent_streams(bounds.streams)
        .max_header_list_size(u32::try_from(bounds.head).unwrap_or(u32::MAX));
    http
}

/// The next connection. An error of `accept` is that of a connection which the client has closed
/// already, or means that the process has no free descriptor: then waiting is all that helps.
async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                // An answer is one write: nothing is gained by waiting for more.
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%peer, %error, "TCP_NODELAY was not set");
                }
                return (stream, peer);
            }
            Err(error) if is_of_one_connection(&error) => {}
            Err(error) => {
                tracing::error!(%error, "a connection could not be accepted; trying again");
                tokio::time::sleep(ACCEPT_RETRY).await;
            }
        }
    }
}

fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
    )
}

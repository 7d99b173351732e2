//! Notifies systemd (`sd_notify(3)`), if it asks for it, when the process is ready, reloads, is alive, and stops.

use std::convert::Infallible;

use http::{Request, Response, StatusCode};
use http_body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use sd_notify::NotifyState;
use tokio::io::duplex;
use tokio::time::{interval, timeout};
use tower::{BoxError, Service};

use crate::cli::healthcheck;

pub(super) fn ready() {
    tell(&[NotifyState::Ready]);
}

/// Reports that the settings are being reloaded, until [`ready`].
pub(super) fn reloading() {
    match NotifyState::monotonic_usec_now() {
        Ok(now) => tell(&[NotifyState::Reloading, now]),
        Err(error) => tracing::warn!(%error, "systemd could not be notified of the reload"),
    }
}

pub(super) fn stopping() {
    tell(&[NotifyState::Stopping]);
}

/// Sends watchdog notifications if systemd expects them, twice per interval.
///
/// Each is sent only after `service` has answered a request, in a separate task. Poll this together with the server
/// in one task, so that it also proves that connections are accepted.
pub(super) async fn keep_alive<S, B>(service: S) -> Infallible
where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible, Future: Send>
        + Clone
        + Send
        + 'static,
    B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
{
    let Some(time) = sd_notify::watchdog_enabled().filter(|time| !time.is_zero()) else {
        return std::future::pending().await;
    };
    let mut ticks = interval(time / 2);
    loop {
        ticks.tick().await;
        // Through HTTP, as any connection.
        let service = TowerToHyperService::new(service.clone());
        let answered = tokio::spawn(timeout(time / 2, async move {
            let (client, server) = duplex(4096);
            let serving = http1::Builder::new().serve_connection(TokioIo::new(server), service);
            tokio::select! {
                status = healthcheck::status(Box::new(client), "localhost") => status.ok(),
                _ = serving => None,
            }
        }));
        if let Ok(Ok(Some(StatusCode::OK))) = answered.await {
            tell(&[NotifyState::Watchdog]);
        } else {
            tracing::error!("the gateway does not answer its own probe; systemd may kill it");
        }
    }
}

fn tell(states: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        tracing::warn!(%error, "systemd could not be notified of the state of the process");
    }
}

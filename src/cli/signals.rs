//! The signals that stop a command, and the one that makes `serve` reload its settings.

use std::io;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::Instant;

/// The time after the first signal in which further ones count as the same request: supervisors and process groups
/// send it twice within milliseconds.
const SAME_REQUEST: Duration = Duration::from_secs(1);

/// SIGTERM and SIGINT.
pub(super) struct Shutdown {
    terminate: Signal,
    interrupt: Signal,
}

/// Installs the handler of SIGHUP.
pub(super) fn hangup() -> io::Result<Signal> {
    signal(SignalKind::hangup())
}

// === impl Shutdown ===

impl Shutdown {
    /// Installs the handlers.
    pub(super) fn catch() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Completes at the first signal, `other` included. A later signal that does not repeat the first ends the
    /// process immediately.
    pub(super) async fn requested(mut self, other: Option<Signal>) {
        tokio::select! {
            () = self.next() => {}
            () = received(other) => {}
        }
        let first = Instant::now();
        tracing::info!("shutting down: requests in flight are answered first");
        tokio::spawn(async move {
            loop {
                self.next().await;
                if first.elapsed() >= SAME_REQUEST {
                    tracing::warn!("second signal: exiting immediately");
                    std::process::exit(1);
                }
            }
        });
    }

    /// Completes at the next signal.
    pub(super) async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

async fn received(signal: Option<Signal>) {
    match signal {
        Some(mut signal) => _ = signal.recv().await,
        None => std::future::pending().await,
    }
}

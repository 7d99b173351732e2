//! The signals that stop a command, and the one that makes `serve` reload its settings.

use std::io;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::Instant;

/// In this time after the first signal, further ones count as the same: supervisors and process groups send it twice.
const SAME_REQUEST: Duration = Duration::from_secs(1);

pub(super) struct Shutdown {
    terminate: Signal,
    interrupt: Signal,
}

pub(super) fn hangup() -> io::Result<Signal> {
    signal(SignalKind::hangup())
}

impl Shutdown {
    pub(super) fn catch() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Completes at the first signal, `other` included. A later one that is not the same ends the process at once.
    pub(super) async fn requested(mut self, mut other: Option<Signal>) {
        tokio::select! {
            () = self.next() => {}
            Some(()) = async { other.as_mut()?.recv().await } => {}
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

    pub(super) async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

//! The signals that stop `serve`, and the one that makes it reload its settings.

use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::Instant;

use crate::cli::Failure;

/// The time after the first signal in which further ones count as the same request: supervisors and process groups
/// send it twice within milliseconds.
const SAME_REQUEST: Duration = Duration::from_secs(1);

/// The signal handlers.
pub(in crate::cli) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

/// SIGTERM and SIGINT.
pub(in crate::cli) struct Shutdown {
    terminate: Signal,
    interrupt: Signal,
}

// === impl Signals ===

impl Signals {
    /// Installs the handlers.
    pub(in crate::cli) fn catch() -> Result<Self, Failure> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Separates those that stop the process from SIGHUP.
    pub(in crate::cli) fn split(self) -> (Shutdown, Signal) {
        let shutdown = Shutdown {
            terminate: self.terminate,
            interrupt: self.interrupt,
        };
        (shutdown, self.hangup)
    }
}

// === impl Shutdown ===

impl Shutdown {
    /// Completes at the first signal, `other` included. A later signal that does not repeat the first ends the
    /// process immediately.
    pub(in crate::cli) async fn requested(mut self, other: Option<Signal>) {
        tokio::select! {
            () = self.any() => {}
            () = received(other) => {}
        }
        let first = Instant::now();
        tracing::info!("shutting down: requests under way are answered first");
        tokio::spawn(async move {
            loop {
                self.any().await;
                if first.elapsed() >= SAME_REQUEST {
                    tracing::warn!("second signal: not waiting any longer");
                    std::process::exit(1);
                }
            }
        });
    }

    async fn any(&mut self) {
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

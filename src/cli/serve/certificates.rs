//! The current certificates, reloaded when their files change.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use portreeve::server::{Tls, TlsConfig};
use tokio::time::{Instant, interval};

use crate::cli::{Failure, tls};
use crate::config::TlsFiles;
use crate::files::Stamp;

/// The interval between checks of the files. They are read once they have been unchanged for one interval, since a
/// certificate and its key are written one after the other.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The interval between warnings that a certificate expires.
const WARN_INTERVAL: Duration = Duration::from_secs(86_400);

/// The current certificates. Clones share them.
#[derive(Clone)]
pub(super) struct Certificates {
    tls: Tls,
    state: Arc<Mutex<State>>,
}

struct State {
    files: TlsFiles,
    /// The state of the files when they were last read, valid or not.
    read: Stamps,
    /// The state of the files at the last check.
    seen: Stamps,
}

/// The state of the three files; `None` for one that is missing.
type Stamps = [Option<Stamp>; 3];

// === impl Certificates ===

impl Certificates {
    pub(super) fn read(files: &TlsFiles) -> Result<Self, Failure> {
        // Taken before the files are read, so that the first check detects a change in between.
        let stamps = stamps(files);
        Ok(Self {
            tls: Tls::new(tls::read(files)?),
            state: Arc::new(Mutex::new(State {
                files: files.clone(),
                read: stamps.clone(),
                seen: stamps,
            })),
        })
    }

    pub(super) fn tls(&self) -> Tls {
        self.tls.clone()
    }

    /// Makes the certificates read from `files` the current ones.
    pub(super) fn replace(&self, files: TlsFiles, config: TlsConfig) {
        self.tls.replace(config);
        let mut state = self.state.lock();
        state.seen = stamps(&files);
        state.read = state.seen.clone();
        state.files = files;
    }

    /// Reloads the files whenever they change. Never returns.
    pub(super) async fn follow(self) {
        let mut ticks = interval(POLL_INTERVAL);
        let mut warned = Instant::now();
        loop {
            ticks.tick().await;
            let this = self.clone();
            let warns = warned.elapsed() >= WARN_INTERVAL;
            if warns {
                warned = Instant::now();
            }
            // Reads files. A panic is logged by the hook, and the next check may succeed.
            let _ = tokio::task::spawn_blocking(move || this.check(warns)).await;
        }
    }

    /// Reads the files if they have changed, and `warns` of a certificate that expires even if they have not.
    fn check(&self, warns: bool) {
        let mut state = self.state.lock();
        let now = stamps(&state.files);
        let is_settled = now == state.seen;
        state.seen = now.clone();
        if now == state.read || !is_settled {
            if warns {
                warn_of_end(&state.files);
            }
            return;
        }
        state.read = now;
        match tls::read(&state.files) {
            Ok(config) => {
                self.tls.replace(config);
                let cert = state.files.cert.display();
                tracing::info!(%cert, "reloaded the changed certificate");
                warn_of_end(&state.files);
            }
            Err(error) => {
                tracing::error!("the previous certificate stays in use: {error}");
            }
        }
    }
}

fn warn_of_end(files: &TlsFiles) {
    if let Ok(Some(warning)) = tls::end_of_certificate(files) {
        tracing::warn!("{warning}");
    }
}

fn stamps(files: &TlsFiles) -> Stamps {
    let paths = [
        Some(&files.cert),
        Some(&files.key),
        files.client_ca.as_ref(),
    ];
    paths.map(|path| path.and_then(|path| Stamp::of(path).ok()))
}

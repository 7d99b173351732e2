//! The current certificates, reloaded when their files change.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use portreeve::server::{Tls, TlsConfig};
use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::cli::tls;
use crate::config::{ConfigError, TlsFiles};
use crate::files::Stamp;

/// The interval between checks of the files. They are read once they have been unchanged for one interval, since a
/// certificate and its key are written one after the other.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The interval between warnings that a certificate expires.
const WARN_INTERVAL: Duration = Duration::from_secs(86_400);

/// The current certificates. Clones share them.
#[derive(Clone)]
pub(super) struct Certificates {
    pub(super) tls: Tls,
    /// Not locked while files are read, since a reload would wait for them in a thread of the runtime.
    state: Arc<Mutex<State>>,
}

#[derive(Clone)]
struct State {
    /// Replaced by a reload alone.
    files: Arc<TlsFiles>,
    /// The state of the files when they were last read, valid or not.
    read: Stamps,
    /// The state of the files at the last check.
    seen: Stamps,
}

/// The state of the three files; `None` for one that is missing.
type Stamps = [Option<Stamp>; 3];

pub(super) struct Loaded {
    config: TlsConfig,
    state: State,
}

// === impl Loaded ===

impl Loaded {
    pub(super) fn read(files: &TlsFiles) -> Result<Self, ConfigError> {
        // Taken before the files are read, so that the first check detects a change in between.
        let stamps = stamps(files);
        Ok(Self {
            config: tls::read(files)?,
            state: State { files: Arc::new(files.clone()), read: stamps.clone(), seen: stamps },
        })
    }
}

// === impl Certificates ===

impl Certificates {
    pub(super) fn new(Loaded { config, state }: Loaded) -> Self {
        Self { tls: Tls::new(config), state: Arc::new(Mutex::new(state)) }
    }

    pub(super) fn replace(&self, Loaded { config, state }: Loaded) {
        let mut current = self.state.lock();
        self.tls.replace(config);
        *current = state;
    }

    /// Reloads the files whenever they change. Never returns.
    pub(super) async fn follow(self) {
        let mut ticks = interval(POLL_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
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
        let State { files, read, seen } = self.state.lock().clone();
        let now = stamps(&files);
        let is_news = now == seen && now != read;
        let config = is_news.then(|| tls::read(&files));
        {
            let mut state = self.state.lock();
            // A reload has replaced them meanwhile.
            if !Arc::ptr_eq(&files, &state.files) {
                return;
            }
            if is_news {
                state.read.clone_from(&now);
            }
            state.seen = now;
            if let Some(Ok(config)) = &config {
                self.tls.replace(config.clone());
            }
        }
        match config {
            Some(Err(error)) => {
                return tracing::error!("the previous certificate stays in use: {error}");
            }
            Some(Ok(_)) => {
                tracing::info!(cert = %files.cert.display(), "reloaded the changed certificate");
            }
            None if !warns => return,
            None => {}
        }
        if let Ok(Some(warning)) = tls::end_of_certificate(&files) {
            tracing::warn!("{warning}");
        }
    }
}

fn stamps(files: &TlsFiles) -> Stamps {
    let stamp = |path: &PathBuf| Stamp::of(path).ok();
    [stamp(&files.cert), stamp(&files.key), files.client_ca.as_ref().and_then(stamp)]
}

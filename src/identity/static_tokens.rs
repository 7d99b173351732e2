//! Static tokens: a file of digests as the identity provider.

use std::collections::HashMap;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, Thread};
use std::time::{Duration, Instant, SystemTime};

use arc_swap::ArcSwap;
use http::request::Parts;
use tokio::sync::Notify;
use tokio::time::timeout;
use tracing::{info, warn};

use super::digest::TokenDigest;
use super::tokens_file::{self, TokensFileError, io_error};
use super::tokens_format::TokenRecord;
use super::verifier::{Checked, refused};
use super::{BearerToken, Caller, RefusalReason, TokenVerifier};
use crate::files::{Content, Stamp};

/// How long a check of the file is valid.
const FRESH_FOR: Duration = Duration::from_millis(100);

/// After that time a call asks for the next check, so that calls rarely wait for one.
const FRESH_ENOUGH: Duration = Duration::from_millis(50);

/// The least time between two checks, whoever asks for one.
const LEAST_PAUSE: Duration = Duration::from_millis(5);

/// The time between two checks that nobody asks for.
const IDLE_PAUSE: Duration = Duration::from_secs(1);

/// How long a call waits for a check of the file.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// Accepts the tokens of a [`TokensFile`](super::TokensFile).
///
/// While there is no file yet, there are no tokens.
///
/// The file is looked at when a call needs it, and reloaded if it has changed: a new token is accepted with the next call,
/// and what was revoked is refused within 100 milliseconds. Without calls it is looked at once a second. While the file is missing, malformed, not a regular file,
/// or open to writing by other users, the last tokens stay valid, and one warning is logged; to revoke all
/// tokens, leave the file empty. An expired token ([`TokensFile::new_token`](super::TokensFile::new_token)) is refused even then.
///
/// That is done in a thread of its own, which no runtime waits for. Should it not answer within a second,
/// such as on a mount whose server is gone, the last tokens stay valid, too.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use portreeve::identity::{StaticTokens, TokenVerifier as _, TokensFile};
///
/// # let dir = tempfile::tempdir()?;
/// # let path = dir.path().join("tokens");
/// let made = TokensFile::new(&path).new_token("alice", ["webhooks"], None)?;
///
/// let verifier = StaticTokens::open(&path)?;
/// let (request, ()) = http::Request::new(()).into_parts();
/// let caller = verifier.verify(&made.token, &request).await?;
/// assert_eq!(caller.name(), "alice");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct StaticTokens(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    loaded: ArcSwap<Loaded>,
    /// Whether the check of the file has taken too long.
    is_overdue: AtomicBool,
    ended: Notify,
    follower: OnceLock<Thread>,
}

#[derive(Debug)]
struct Loaded {
    callers: Arc<Callers>,
    /// The state of the file from which the callers were read; `None` if the last reload failed.
    stamp: Option<Stamp>,
    /// When the last completed check of the file began.
    checked: Instant,
}

type Callers = HashMap<TokenDigest, Caller, foldhash::fast::RandomState>;

// === impl StaticTokens ===

impl StaticTokens {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// If it cannot be read or parsed. A missing one is only logged, and read once it is there.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, TokensFileError> {
        let path = path.as_ref().to_owned();
        let checked = Instant::now();
        let loaded = match tokens_file::read(&path) {
            Err(error) if error.is_missing() => {
                warn!(%error, "no static token is accepted yet: portreeve token new makes the file");
                Loaded { callers: Arc::default(), stamp: None, checked }
            }
            read => Loaded::parse(&path, read?, checked)?,
        };
        let inner = Arc::new(Inner {
            path,
            loaded: ArcSwap::from_pointee(loaded),
            is_overdue: AtomicBool::new(false),
            ended: Notify::new(),
            follower: OnceLock::new(),
        });
        let followed = Arc::downgrade(&inner);
        let follow = move || {
            let mut last = checked;
            loop {
                thread::park_timeout(IDLE_PAUSE);
                thread::sleep(LEAST_PAUSE.saturating_sub(last.elapsed()));
                let Some(inner) = followed.upgrade() else {
                    return;
                };
                last = Instant::now();
                // A log that panics ends no check.
                let _ = panic::catch_unwind(AssertUnwindSafe(|| inner.check_file()));
            }
        };
        let begun = thread::Builder::new().name("tokens".into()).spawn(follow);
        let follower = begun.map_err(io_error("follow", &inner.path))?;
        inner.follower.get_or_init(|| follower.thread().clone());
        Ok(Self(inner))
    }

    /// Waits until [`check`](Self::check) has an answer.
    pub(super) async fn become_current(&self, digest: &TokenDigest, since: Instant) {
        let current = async {
            loop {
                let mut ended = pin!(self.0.ended.notified());
                // From here on, no end of a check is missed.
                ended.as_mut().enable();
                if self.check(digest, since).is_some() {
                    return;
                }
                self.0.ask();
                ended.await;
            }
        };
        if timeout(MAX_WAIT, current).await.is_err()
            && !self.0.is_overdue.swap(true, Ordering::Relaxed)
        {
            let path = self.0.path.display();
            warn!(%path, "the tokens file does not answer; the previous tokens stay in force");
        }
    }

    /// The result for the token with this digest, of a call that came at `since`: `None` if the file has to be looked at
    /// first, `Some(None)` if it does not have the token.
    ///
    /// An expired token is known and refused, so that it is not sent to an identity provider.
    pub(super) fn check(&self, digest: &TokenDigest, since: Instant) -> Option<Option<Checked>> {
        let loaded = self.0.loaded.load();
        let is_overdue = || self.0.is_overdue.load(Ordering::Relaxed);
        let Some(caller) = loaded.callers.get(digest) else {
            // It may have been added just before the call.
            return (loaded.checked >= since || is_overdue()).then_some(None);
        };
        // As of the call: a file that was looked at since then is new enough.
        let age = since.saturating_duration_since(loaded.checked);
        if age > FRESH_ENOUGH {
            self.0.ask();
        }
        if age >= FRESH_FOR && !is_overdue() {
            return None;
        }
        let is_over = |end| end <= SystemTime::now();
        Some(Some(if caller.expires_at.is_some_and(is_over) {
            Err(refused(RefusalReason::Expired))
        } else {
            Ok(caller.clone())
        }))
    }
}

impl TokenVerifier for StaticTokens {
    async fn verify(&self, token: &BearerToken, _: &Parts) -> Checked {
        let (digest, since) = (TokenDigest::of(token), Instant::now());
        self.become_current(&digest, since).await;
        self.check(&digest, since).flatten().unwrap_or_else(|| Err(refused(RefusalReason::Unknown)))
    }

    fn verify_now(&self, token: &BearerToken, _: &Parts) -> Option<Checked> {
        let known = self.check(&TokenDigest::of(token), Instant::now())?;
        Some(known.unwrap_or_else(|| Err(refused(RefusalReason::Unknown))))
    }
}

// === impl Inner ===

impl Inner {
    /// Has the file checked.
    fn ask(&self) {
        if let Some(follower) = self.follower.get() {
            follower.unpark();
        }
    }

    /// Reads the file if it has changed, and stores its tokens. Logs that, and the first failure since it was loaded.
    fn check_file(&self) {
        let checked = Instant::now();
        let former = self.loaded.load();
        // An edit soon after another may leave the stamp as it is.
        let known = former.stamp.as_ref().filter(|stamp| stamp.is_settled());
        let read = tokens_file::read_changed(&self.path, known);
        let loaded = read.and_then(|read| {
            read.map(|content| Loaded::parse(&self.path, content, checked)).transpose()
        });
        let same =
            |stamp: Option<Stamp>| Loaded { callers: former.callers.clone(), stamp, checked };
        let (now, failure) = match loaded {
            Ok(None) => (same(former.stamp.clone()), None),
            Ok(Some(loaded)) => (loaded, None),
            Err(error) => (same(None), Some(error)),
        };
        let (tokens, is_news) = (now.callers.len(), now.stamp != former.stamp);
        self.loaded.store(now.into());
        self.is_overdue.store(false, Ordering::Relaxed);
        self.ended.notify_waiters();
        // Last of all: logging may block or panic.
        match failure {
            Some(error) if is_news => warn!(%error, "the previous tokens stay in force"),
            None if is_news => {
                info!(path = %self.path.display(), tokens, "reloaded the tokens file");
            }
            _ => {}
        }
    }
}

// === impl Loaded ===

impl Loaded {
    fn parse(path: &Path, content: Content, checked: Instant) -> Result<Self, TokensFileError> {
        let stamp = Some(content.stamp.clone());
        let caller = |record: &TokenRecord| {
            let scopes = record.scopes.iter().cloned();
            let caller = Caller::new(&*record.user_id).with_scopes(scopes);
            caller.with_expiry(record.expires_at)
        };
        let records = tokens_file::parse_content(path, content)?;
        let callers = records.iter().map(|record| (record.digest, caller(record)));
        Ok(Self { callers: Arc::new(callers.collect()), stamp, checked })
    }
}

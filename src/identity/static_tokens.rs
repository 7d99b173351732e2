//! Static tokens: a file of digests as the identity provider.

use std::collections::HashMap;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use arc_swap::ArcSwap;
use http::request::Parts;
use tokio::sync::Notify;
use tokio::time::timeout;
use tracing::{info, warn};

use super::digest::TokenDigest;
use super::tokens_file::{self, TokensFile, TokensFileError};
use super::tokens_format::TokenRecord;
use super::verifier::refused;
use super::{BearerToken, Caller, RefusalReason, TokenVerifier, VerifyError};
use crate::files::{Content, Stamp};

/// How long a check of the file is valid, in milliseconds.
const FRESH_MS: u64 = 100;

/// The age in milliseconds at which one call has the file checked again while all go on, so that under load
/// no call waits for a check.
const EARLY_MS: u64 = FRESH_MS / 2;

/// How long a call waits for a check of the file.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// Accepts the tokens of a [`TokensFile`].
///
/// While there is no file yet, there are no tokens.
///
/// When a token is checked, the file is reloaded if it has changed, but at most every 50 milliseconds:
/// an edit takes effect within 100 milliseconds. While the file is missing, malformed, not a regular file,
/// or open to writing by other users, the last tokens stay valid, and one warning is logged; to revoke all
/// tokens, leave the file empty. An expired token ([`TokensFile::new_token_until`]) is refused even then.
///
/// The file is read in a thread of its own, which no runtime waits for. Should it not answer within a second,
/// such as on a mount whose server is gone, the last tokens stay valid, too.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use portreeve::identity::{StaticTokens, TokenVerifier as _, TokensFile};
///
/// # let dir = tempfile::tempdir()?;
/// # let path = dir.path().join("tokens");
/// let made = TokensFile::new(&path).new_token("alice", ["webhooks"])?;
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
    file: TokensFile,
    loaded: ArcSwap<Loaded>,
    started: Instant,
    /// Milliseconds from `started` to the start of the last completed check of the file.
    checked: AtomicU64,
    /// Whether a thread checks the file.
    is_checking: AtomicBool,
    /// Whether that thread has taken too long.
    is_overdue: AtomicBool,
    /// Notified at the end of a check.
    ended: Notify,
}

/// What is known of the file.
#[derive(Debug)]
struct Loaded {
    callers: Arc<Callers>,
    /// The state of the file from which the callers were read; `None` if the last reload failed.
    stamp: Option<Stamp>,
}

type Callers = HashMap<TokenDigest, Caller>;

// === impl StaticTokens ===

impl StaticTokens {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// If it cannot be read or parsed. A missing one is only logged, and read once it is there.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, TokensFileError> {
        let started = Instant::now();
        let file = TokensFile::new(path.as_ref());
        let loaded = match tokens_file::read(file.path()) {
            Err(error) if error.is_missing() => {
                warn!(%error, "no static token is accepted yet");
                Loaded {
                    callers: Arc::default(),
                    stamp: None,
                }
            }
            read => Loaded::parse(file.path(), read?)?,
        };
        Ok(Self(Arc::new(Inner {
            file,
            loaded: ArcSwap::from_pointee(loaded),
            started,
            checked: AtomicU64::new(0),
            is_checking: AtomicBool::new(false),
            is_overdue: AtomicBool::new(false),
            ended: Notify::new(),
        })))
    }

    /// Whether the last check of the file is so recent that a call may be decided by it; begins another if
    /// it is due.
    pub(super) fn is_current(&self) -> bool {
        let age = self.0.age();
        if age >= EARLY_MS {
            self.begin_check();
        }
        age < FRESH_MS || self.0.is_overdue.load(Ordering::Relaxed)
    }

    /// Waits until [`is_current`](Self::is_current).
    pub(super) async fn become_current(&self) {
        let current = async {
            loop {
                let mut ended = pin!(self.0.ended.notified());
                // From here on, no end of a check is missed.
                ended.as_mut().enable();
                if self.is_current() {
                    return;
                }
                ended.await;
            }
        };
        if timeout(MAX_WAIT, current).await.is_err()
            && self.0.is_checking.load(Ordering::Acquire)
            && !self.0.is_overdue.swap(true, Ordering::Relaxed)
        {
            let path = self.0.file.path().display();
            warn!(%path, "the tokens file does not answer; the previous tokens stay in force");
        }
    }

    /// The result for the token with this digest; `None` if the file does not have it.
    ///
    /// An expired token is known and refused, so that it is not sent to an identity provider.
    pub(super) fn check(&self, digest: &TokenDigest) -> Option<Result<Caller, VerifyError>> {
        let caller = self.0.loaded.load().callers.get(digest)?.clone();
        let is_over = |end| end <= SystemTime::now();
        Some(if caller.expires_at().is_some_and(is_over) {
            Err(refused(RefusalReason::Expired))
        } else {
            Ok(caller)
        })
    }

    /// Checks the file in a thread of its own, unless one is at it.
    fn begin_check(&self) {
        if self.0.is_checking.swap(true, Ordering::AcqRel) {
            return;
        }
        let inner = self.0.clone();
        let check = move || {
            let news = inner.check_file();
            inner.is_overdue.store(false, Ordering::Relaxed);
            inner.is_checking.store(false, Ordering::Release);
            inner.ended.notify_waiters();
            // Last of all: logging may block or panic.
            match news {
                Ok(None) => {}
                Ok(Some(tokens)) => {
                    let path = inner.file.path().display();
                    info!(%path, tokens, "reloaded the tokens file");
                }
                Err(error) => warn!(%error, "the previous tokens stay in force"),
            }
        };
        let begun = thread::Builder::new().name("tokens".into()).spawn(check);
        if begun.is_err() {
            // The system has no thread to spare; the next call tries again.
            self.0.is_checking.store(false, Ordering::Release);
        }
    }
}

impl TokenVerifier for StaticTokens {
    async fn verify(&self, token: &BearerToken, _: &Parts) -> Result<Caller, VerifyError> {
        self.become_current().await;
        let known = self.check(&TokenDigest::of(token));
        known.unwrap_or_else(|| Err(refused(RefusalReason::Unknown)))
    }

    fn verify_now(&self, token: &BearerToken, _: &Parts) -> Option<Result<Caller, VerifyError>> {
        let known = self
            .is_current()
            .then(|| self.check(&TokenDigest::of(token)))?;
        Some(known.unwrap_or_else(|| Err(refused(RefusalReason::Unknown))))
    }
}

// === impl Inner ===

impl Inner {
    /// Milliseconds since the last check of the file began.
    fn age(&self) -> u64 {
        let now = self.started.elapsed().as_millis() as u64;
        // Acquires the tokens that the last check stored.
        now.saturating_sub(self.checked.load(Ordering::Acquire))
    }

    /// Reads the file if it has changed, and stores its tokens. Returns their number if that is news; fails if the file
    /// could not be read for the first time since it was loaded.
    fn check_file(&self) -> Result<Option<usize>, TokensFileError> {
        let now = self.started.elapsed().as_millis() as u64;
        let former = self.loaded.load();
        let path = self.file.path();
        // An edit soon after another may leave the stamp as it is.
        let known = former.stamp.as_ref().filter(|stamp| stamp.is_settled());
        let read = tokens_file::read_changed(path, known);
        let loaded =
            read.and_then(|read| read.map(|content| Loaded::parse(path, content)).transpose());
        let news = match loaded {
            Ok(None) => Ok(None),
            Ok(Some(loaded)) => {
                let tokens = loaded.callers.len();
                let is_news = loaded.stamp != former.stamp;
                self.loaded.store(loaded.into());
                Ok(is_news.then_some(tokens))
            }
            Err(error) => {
                let is_news = former.stamp.is_some();
                self.loaded.store(Arc::new(Loaded {
                    callers: former.callers.clone(),
                    stamp: None,
                }));
                if is_news { Err(error) } else { Ok(None) }
            }
        };
        self.checked.store(now, Ordering::Release);
        news
    }
}

// === impl Loaded ===

impl Loaded {
    fn parse(path: &Path, content: Content) -> Result<Self, TokensFileError> {
        let stamp = Some(content.stamp.clone());
        let caller = |record: &TokenRecord| {
            let caller = Caller::new(record.user_id()).with_scopes(record.scopes());
            match record.expires_at() {
                Some(end) => caller.with_expiry(end),
                None => caller,
            }
        };
        let records = tokens_file::parse_content(path, content)?;
        let callers = records.iter().map(|record| (record.digest, caller(record)));
        Ok(Self {
            callers: Arc::new(callers.collect()),
            stamp,
        })
    }
}

//! Static tokens: a file of digests as the identity provider.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Instant, SystemTime};

use arc_swap::ArcSwap;
use http::request::Parts;
use tracing::{info, warn};

use super::digest::TokenDigest;
use super::tokens_file::{self, TokensFile, TokensFileError};
use super::tokens_format::TokenRecord;
use super::{BearerToken, Caller, TokenVerifier, VerifyError};
use crate::files::Stamp;

/// How long a check of the file is valid, in milliseconds.
const FRESH_MS: u64 = 100;

/// The age in milliseconds at which one call checks the file again while others go on, so that under load
/// no call waits for a check.
const EARLY_MS: u64 = FRESH_MS / 2;

/// Accepts the tokens of a [`TokensFile`].
///
/// When a token is checked, the file is reloaded if it has changed, but at most every 50 milliseconds:
/// an edit takes effect within 100 milliseconds. While the file is missing or malformed, the last tokens
/// stay valid, and one warning is logged; to revoke all tokens, leave the file empty. An expired token
/// ([`TokensFile::new_token_until`]) is refused even then.
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
pub struct StaticTokens {
    file: TokensFile,
    callers: ArcSwap<Callers>,
    /// The state of the file from which the callers were read.
    seen: Mutex<Seen>,
    started: Instant,
    /// Milliseconds from `started` to the start of the last completed check of the file.
    looked: AtomicU64,
}

type Callers = HashMap<TokenDigest, Caller>;

impl StaticTokens {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// If it is missing or cannot be read or parsed.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, TokensFileError> {
        let started = Instant::now();
        let file = TokensFile::new(path.as_ref());
        let seen = Seen {
            stamp: Stamp::of(file.path()).ok(),
            failed: false,
        };
        let callers = read_callers(file.path())?;
        Ok(Self {
            file,
            callers: ArcSwap::from_pointee(callers),
            seen: Mutex::new(seen),
            started,
            looked: AtomicU64::new(0),
        })
    }

    /// The result for the token with this digest; `None` if the file does not have it.
    ///
    /// An expired token is known and refused, so that it is not sent to an identity provider.
    pub(super) fn check(&self, digest: &TokenDigest) -> Option<Result<Caller, VerifyError>> {
        self.reload_if_changed();
        let caller = self.callers.load().get(digest)?.clone();
        let is_over = |end| end <= SystemTime::now();
        Some(if caller.expires_at().is_some_and(is_over) {
            Err(VerifyError::Expired)
        } else {
            Ok(caller)
        })
    }

    fn reload_if_changed(&self) {
        let now = self.started.elapsed().as_millis() as u64;
        // Acquires the tokens that the last check stored.
        let age = || now.saturating_sub(self.looked.load(Ordering::Acquire));
        let seen = match age() {
            0..EARLY_MS => return,
            // Another call checks the file: until it has finished, the known tokens are recent enough.
            EARLY_MS..FRESH_MS => match self.seen.try_lock() {
                Ok(seen) => seen,
                // After a panic, the file is at worst read once more.
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => return,
            },
            // There was no call for a while: the known tokens are too old to decide by.
            FRESH_MS.. => {
                let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
                if age() < FRESH_MS {
                    return;
                }
                seen
            }
        };
        let noticed = self.look(now, seen);
        // Logged after the tokens are stored and the lock is released: logging may block or panic.
        match noticed {
            Ok(None) => {}
            Ok(Some(tokens)) => {
                let path = self.file.path().display();
                info!(%path, tokens, "reloaded the tokens file");
            }
            Err(error) => warn!(%error, "the previous tokens stay in force"),
        }
    }

    /// Reads the file if it has changed, and stores its tokens, at `now`. Returns their number if that is
    /// news; fails if the file could not be read for the first time since it was loaded.
    fn look(
        &self,
        now: u64,
        mut seen: MutexGuard<'_, Seen>,
    ) -> Result<Option<usize>, TokensFileError> {
        let stamp = Stamp::of(self.file.path()).ok();
        let is_changed = stamp != seen.stamp;
        if !is_changed && stamp.as_ref().is_none_or(Stamp::is_settled) {
            self.looked.store(now, Ordering::Release);
            return Ok(None);
        }
        let had_failed = seen.failed;
        let (failed, noticed) = match read_callers(self.file.path()) {
            Ok(callers) => {
                let tokens = callers.len();
                self.callers.store(callers.into());
                let is_news = is_changed || had_failed;
                (false, Ok(is_news.then_some(tokens)))
            }
            Err(_) if had_failed => (true, Ok(None)),
            Err(error) => (true, Err(error)),
        };
        *seen = Seen { stamp, failed };
        self.looked.store(now, Ordering::Release);
        noticed
    }
}

impl TokenVerifier for StaticTokens {
    async fn verify(&self, token: &BearerToken, _: &Parts) -> Result<Caller, VerifyError> {
        let known = self.check(&TokenDigest::of(token));
        known.unwrap_or(Err(VerifyError::NotAccepted))
    }

    fn verify_now(&self, token: &BearerToken, _: &Parts) -> Option<Result<Caller, VerifyError>> {
        let known = self.check(&TokenDigest::of(token));
        Some(known.unwrap_or(Err(VerifyError::NotAccepted)))
    }
}

#[derive(Debug)]
struct Seen {
    /// `None` if there was no file.
    stamp: Option<Stamp>,
    /// Whether the last reload failed, so that a warning has already been logged.
    failed: bool,
}

fn read_callers(path: &Path) -> Result<Callers, TokensFileError> {
    let records = tokens_file::parse(path, &tokens_file::read(path)?)?;
    let caller = |record: &TokenRecord| {
        let caller = Caller::new(record.user_id()).with_scopes(record.scopes());
        match record.expires_at() {
            Some(end) => caller.with_expiry(end),
            None => caller,
        }
    };
    Ok(records
        .iter()
        .map(|record| (record.digest, caller(record)))
        .collect())
}

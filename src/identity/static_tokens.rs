//! Static tokens: a file of digests as the identity provider.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use arc_swap::ArcSwap;
use http::request::Parts;
use tracing::{info, warn};

use super::digest::TokenDigest;
use super::tokens_file::{self, TokensFile, TokensFileError};
use super::tokens_format::TokenRecord;
use super::{BearerToken, Caller, TokenVerifier, VerifyError};

/// Takes the tokens of a [`TokensFile`].
///
/// The file is looked at when a token is checked, at most every 100 milliseconds: a token that
/// was added or revoked more than that long ago is taken or refused accordingly. While the file is
/// missing or broken, the tokens that were last read stay in force, and one warning is logged; to
/// revoke all tokens, leave the file empty.
#[derive(Debug)]
pub struct StaticTokens {
    file: TokensFile,
    callers: ArcSwap<Callers>,
    /// What the callers were last read from.
    seen: Mutex<Seen>,
    started: Instant,
    /// Milliseconds from `started` until the file is to be looked at again.
    look_after: AtomicU64,
}

type Callers = HashMap<TokenDigest, Caller>;

impl StaticTokens {
    /// Reads the file at `path`.
    ///
    /// # Errors
    ///
    /// Where it is missing or cannot be read or understood.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, TokensFileError> {
        let file = TokensFile::new(path.as_ref());
        let seen = Seen {
            stamp: Stamp::of(file.path()),
            failed: false,
        };
        let callers = read_callers(file.path())?;
        Ok(Self {
            file,
            callers: ArcSwap::from_pointee(callers),
            seen: Mutex::new(seen),
            started: Instant::now(),
            look_after: AtomicU64::new(INTERVAL_MS),
        })
    }

    /// The caller of the token with this digest, if the file has it.
    pub(super) fn caller(&self, digest: &TokenDigest) -> Option<Caller> {
        self.take_up_changes();
        self.callers.load().get(digest).cloned()
    }

    fn take_up_changes(&self) {
        let now = self.started.elapsed().as_millis() as u64;
        if now < self.look_after.load(Ordering::Relaxed) {
            return;
        }
        // Whoever comes while another looks goes on with what is known; the time until then is
        // that of reading the file.
        let Ok(mut seen) = self.seen.try_lock() else {
            return;
        };
        self.look_after.store(now + INTERVAL_MS, Ordering::Relaxed);
        let stamp = Stamp::of(self.file.path());
        if stamp == seen.stamp && stamp.is_settled() {
            return;
        }
        let news = stamp != seen.stamp;
        seen.stamp = stamp;
        match read_callers(self.file.path()) {
            Ok(callers) => {
                if news || seen.failed {
                    let (path, tokens) = (self.file.path().display(), callers.len());
                    info!(%path, tokens, "took up a change of the tokens file");
                }
                seen.failed = false;
                self.callers.store(callers.into());
            }
            Err(error) => {
                if !seen.failed {
                    warn!(%error, "the tokens read before stay in force");
                }
                seen.failed = true;
            }
        }
    }
}

impl TokenVerifier for StaticTokens {
    async fn verify(&self, token: &BearerToken, _: &Parts) -> Result<Caller, VerifyError> {
        let caller = self.caller(&TokenDigest::of(token));
        caller.ok_or(VerifyError::NotAccepted)
    }

    fn verify_now(&self, token: &BearerToken, _: &Parts) -> Option<Result<Caller, VerifyError>> {
        let caller = self.caller(&TokenDigest::of(token));
        Some(caller.ok_or(VerifyError::NotAccepted))
    }
}

#[derive(Debug)]
struct Seen {
    stamp: Stamp,
    failed: bool,
}

/// What tells one state of a file from another without reading it.
#[derive(Debug, PartialEq, Eq)]
struct Stamp(Option<Mark>);

#[derive(Debug, PartialEq, Eq)]
struct Mark {
    modified: Option<SystemTime>,
    size: u64,
    identity: (u64, u64, i64, i64),
}

impl Stamp {
    fn of(path: &Path) -> Self {
        Self(fs::metadata(path).ok().map(|metadata| Mark {
            modified: metadata.modified().ok(),
            size: metadata.len(),
            identity: identity(&metadata),
        }))
    }

    /// Whether the file has not been changed so lately that one more change might leave the same
    /// stamp: some file systems keep times to two seconds.
    fn is_settled(&self) -> bool {
        let Some(mark) = &self.0 else { return true };
        let age = |at| SystemTime::now().duration_since(at).ok();
        mark.modified
            .and_then(age)
            .is_some_and(|age| age > COARSEST_CLOCK)
    }
}

#[cfg(unix)]
fn identity(metadata: &fs::Metadata) -> (u64, u64, i64, i64) {
    use std::os::unix::fs::MetadataExt as _;
    (
        metadata.dev(),
        metadata.ino(),
        metadata.ctime(),
        metadata.ctime_nsec(),
    )
}

#[cfg(not(unix))]
fn identity(_: &fs::Metadata) -> (u64, u64, i64, i64) {
    (0, 0, 0, 0)
}

fn read_callers(path: &Path) -> Result<Callers, TokensFileError> {
    let records = tokens_file::parse(path, &tokens_file::read(path)?)?;
    let caller = |record: &TokenRecord| Caller::new(record.user_id()).with_scopes(record.scopes());
    Ok(records
        .iter()
        .map(|record| (record.digest, caller(record)))
        .collect())
}

const INTERVAL_MS: u64 = 100;
const COARSEST_CLOCK: Duration = Duration::from_secs(2);

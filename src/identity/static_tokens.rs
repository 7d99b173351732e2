//! Static tokens: a file of digests as the identity provider.

use std::collections::HashMap;
use std::future::{Ready, ready};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use arc_swap::ArcSwap;
use tracing::{info, warn};

use super::digest::TokenDigest;
use super::tokens_file::{self, TokensFile, TokensFileError};
use super::tokens_format::TokenRecord;
use super::{BearerToken, Caller, TokenVerifier, VerifyError};
use crate::files::Stamp;

/// Milliseconds between two looks at the file.
const INTERVAL_MS: u64 = 100;

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
            stamp: Stamp::of(file.path()).ok(),
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
        let stamp = Stamp::of(self.file.path()).ok();
        if stamp == seen.stamp && stamp.as_ref().is_none_or(Stamp::is_settled) {
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
    type Future = Ready<Result<Caller, VerifyError>>;

    fn verify(&self, token: BearerToken) -> Self::Future {
        let caller = self.caller(&TokenDigest::of(&token));
        ready(caller.ok_or(VerifyError::NotAccepted))
    }
}

#[derive(Debug)]
struct Seen {
    /// `None` if there was no file.
    stamp: Option<Stamp>,
    failed: bool,
}

fn read_callers(path: &Path) -> Result<Callers, TokensFileError> {
    let records = tokens_file::parse(path, &tokens_file::read(path)?)?;
    let caller = |record: &TokenRecord| Caller::new(record.user_id()).with_scopes(record.scopes());
    Ok(records
        .iter()
        .map(|record| (record.digest, caller(record)))
        .collect())
}

//! Verified tokens, remembered by their digest.

use std::time::{Duration, Instant, SystemTime};

use quick_cache::sync::Cache;

use super::Caller;
use super::digest::TokenDigest;

/// How long verified tokens are remembered, and how many.
///
/// A token is remembered until it expires, and at most for [`ttl`](Self::ttl). A token that its
/// issuer revokes can therefore be accepted for that time longer. A refusal is not remembered here.
///
/// ```
/// use portreeve::identity::CacheLimits;
///
/// // A revoked token is refused within ten seconds.
/// let limits = CacheLimits { ttl: std::time::Duration::from_secs(10), ..CacheLimits::default() };
/// # _ = limits;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheLimits {
    /// The longest time; zero remembers nothing.
    pub ttl: Duration,
    /// The most tokens; zero remembers nothing.
    pub entries: usize,
}

// === impl CacheLimits ===

impl Default for CacheLimits {
    /// 60 seconds, 10,000 tokens.
    fn default() -> Self {
        Self {
            ttl: Duration::from_secs(60),
            entries: 10_000,
        }
    }
}

/// A bounded, sharded map from the digest of a token to its caller.
pub(super) struct TokenCache {
    entries: Cache<TokenDigest, Entry>,
    ttl: Duration,
}

#[derive(Clone)]
struct Entry {
    caller: Caller,
    until: Instant,
}

// === impl TokenCache ===

impl TokenCache {
    /// `None` if the limits leave nothing to remember.
    pub(super) fn new(limits: CacheLimits) -> Option<Self> {
        (limits.entries > 0 && !limits.ttl.is_zero()).then(|| Self {
            entries: Cache::new(limits.entries),
            ttl: limits.ttl,
        })
    }

    pub(super) fn caller(&self, digest: &TokenDigest) -> Option<Caller> {
        let entry = self.entries.get(digest)?;
        if Instant::now() < entry.until {
            return Some(entry.caller);
        }
        self.entries
            .remove_if(digest, |entry| entry.until <= Instant::now());
        None
    }

    pub(super) fn remember(&self, digest: TokenDigest, caller: &Caller) {
        let left = match caller.expires_at() {
            None => self.ttl,
            Some(at) => match at.duration_since(SystemTime::now()) {
                Ok(left) => left.min(self.ttl),
                Err(_) => return,
            },
        };
        let Some(until) = Instant::now().checked_add(left) else {
            return;
        };
        let caller = caller.clone();
        self.entries.insert(digest, Entry { caller, until });
    }
}

//! Conditional requests for capabilities (RFC 9110, section 13.1.2).
//!
//! The server's entity tag is a digest of the whole answer. A request sends the last tag, and if nothing has changed
//! the server answers `304` with an empty body. Accounts with the same tag have the same apps, so that they share one
//! list. A `304` names the account and proves its login like a `200`; every request still calls the server.

use http::HeaderValue;
use quick_cache::sync::Cache;

use super::AppIds;

/// Maximum number of accounts of which something is remembered.
pub(super) const ACCOUNTS: usize = 10_000;

/// Maximum number of lists that are kept: accounts see different ones if an app is limited to groups.
const LISTS: usize = 64;

/// Maximum length of a tag that is kept, in bytes.
const MAX_TAG: usize = 128;

#[derive(Debug)]
pub(super) struct KnownApps {
    by_account: Cache<Box<str>, Tagged>,
    by_tag: Cache<HeaderValue, Tagged>,
}

#[derive(Clone, Debug)]
pub(super) struct Tagged {
    pub(super) tag: HeaderValue,
    pub(super) apps: AppIds,
}

impl KnownApps {
    pub(super) fn new() -> Self {
        Self { by_account: Cache::new(ACCOUNTS), by_tag: Cache::new(LISTS) }
    }

    pub(super) fn get(&self, user_id: &str) -> Option<Tagged> {
        self.by_account.get(user_id)
    }

    /// Stores `apps`, which the server has sent to `user_id` with this tag.
    pub(super) fn learn(&self, user_id: &str, tag: Option<&HeaderValue>, apps: &AppIds) {
        let Some(tag) = tag.filter(|tag| is_tag(opaque(tag))) else {
            return self.forget(user_id);
        };
        let tagged = match self.by_tag.get(tag) {
            Some(known) if known.apps == *apps => known,
            // Two lists with the same tag: it is not a digest.
            Some(_) => return self.forget(user_id),
            None => {
                // Copied: the value references the buffer of the whole answer.
                let Ok(tag) = HeaderValue::from_bytes(tag.as_bytes()) else {
                    return;
                };
                let tagged = Tagged { tag, apps: apps.clone() };
                self.by_tag.insert(tagged.tag.clone(), tagged.clone());
                tagged
            }
        };
        self.by_account.insert(user_id.into(), tagged);
    }

    /// Makes the next request of `user_id` unconditional.
    pub(super) fn forget(&self, user_id: &str) {
        self.by_account.remove(user_id);
    }
}

fn is_tag(tag: &[u8]) -> bool {
    tag.len() <= MAX_TAG && tag.len() > 2 && tag.starts_with(b"\"") && tag.ends_with(b"\"")
}

/// What is compared of a tag: a weak one is as good here.
pub(super) fn opaque(tag: &HeaderValue) -> &[u8] {
    tag.as_bytes().strip_prefix(b"W/").unwrap_or(tag.as_bytes())
}

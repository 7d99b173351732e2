//! Capabilities that the server need not send again (RFC 9110, section 13.1.2).
//!
//! The server makes a tag of each answer: a digest of it all. Who asks names the tag that they got
//! last, and if nothing has changed the server answers `304` with an empty body. Whoever gets the same
//! tag has the same apps, so that one list serves them all. A `304` names the account like a `200` and
//! proves its login as well; nothing is answered from here without a call.

use http::HeaderValue;
use quick_cache::sync::Cache;

use super::AppIds;

/// Accounts whose last tag is known, at most.
const ACCOUNTS: usize = 10_000;

/// Lists of apps that are kept, at most: accounts see different ones if an app is for some groups only.
const LISTS: usize = 64;

/// Bytes of the longest tag that is kept.
const LONGEST_TAG: usize = 128;

/// The lists that one server sent last.
#[derive(Debug)]
pub(super) struct KnownApps {
    by_account: Cache<Box<str>, Tagged>,
    by_tag: Cache<HeaderValue, Tagged>,
}

/// A list, and the tag that the server gave it.
#[derive(Clone, Debug)]
pub(super) struct Tagged {
    pub(super) tag: HeaderValue,
    pub(super) apps: AppIds,
}

// === impl KnownApps ===

impl KnownApps {
    pub(super) fn new() -> Self {
        Self {
            by_account: Cache::new(ACCOUNTS),
            by_tag: Cache::new(LISTS),
        }
    }

    /// What the server sent `user_id` last.
    pub(super) fn of(&self, user_id: &str) -> Option<Tagged> {
        self.by_account.get(user_id)
    }

    /// The server has sent `apps` to `user_id`, with this tag.
    pub(super) fn learn(&self, user_id: &str, tag: Option<&HeaderValue>, apps: &AppIds) {
        let Some(tag) = tag.filter(|tag| is_strong(tag.as_bytes())) else {
            return self.forget(user_id);
        };
        let tagged = match self.by_tag.get(tag) {
            Some(known) if known.apps == *apps => known,
            // It is no digest, whatever it is.
            Some(_) => return self.forget(user_id),
            None => {
                // A copy: the field is a part of the buffer that the whole answer was read into.
                let Ok(tag) = HeaderValue::from_bytes(tag.as_bytes()) else {
                    return;
                };
                let apps = apps.clone();
                let tagged = Tagged { tag, apps };
                self.by_tag.insert(tagged.tag.clone(), tagged.clone());
                tagged
            }
        };
        self.by_account.insert(user_id.into(), tagged);
    }

    /// The next answer to `user_id` is to be a whole one.
    pub(super) fn forget(&self, user_id: &str) {
        self.by_account.remove(user_id);
    }
}

/// Whether a tag promises that its answer is the same byte for byte, and is not overlong.
fn is_strong(tag: &[u8]) -> bool {
    tag.len() <= LONGEST_TAG && tag.len() > 2 && tag.starts_with(b"\"") && tag.ends_with(b"\"")
}

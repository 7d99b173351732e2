//! The last list of registrations that was checked, and what was made of it.
//!
//! A list seldom changes, it is the same for every administrator, and checking that it is JSON takes a fifth of the
//! instructions of a request for it. So the last one stays in memory, and the same bytes are not checked twice. Each
//! request still calls the server, and the head of its answer alone shows whether the login was accepted.

use bytes::Bytes;
use http::StatusCode;
use parking_lot::Mutex;
use zeroize::Zeroizing;

use super::GroupwareError;
use super::call::Answer;
use super::ocs::RawJson;
use crate::opaque::opaque_debug;
use crate::outbound::SMALL;

/// The body of the last answer of one server, if it was at most [`SMALL`], and what was made of the list in it.
#[derive(Default)]
pub(super) struct KnownList(Mutex<Option<[Bytes; 2]>>);

pub(crate) enum Listed {
    /// What was made of it.
    Made(Bytes),
    /// The list, as it is too large to be kept.
    Large(RawJson),
}

opaque_debug!(KnownList);

impl KnownList {
    /// `make` is always the same.
    pub(super) fn read(
        &self,
        answer: &Answer,
        make: impl FnOnce(&[u8]) -> Bytes,
    ) -> Result<Listed, GroupwareError> {
        let is_small = answer.status == StatusCode::OK && answer.body.len() <= SMALL;
        if is_small
            && let Some([body, made]) = &*self.0.lock()
            && *body == answer.body
        {
            return Ok(Listed::Made(made.clone()));
        }
        let list = answer.list()?;
        if !is_small {
            return Ok(Listed::Large(list));
        }
        // Copied: the answer references the buffer of its connection. Registrations may contain secrets.
        let kept = |bytes: Vec<u8>| Bytes::from_owner(Zeroizing::new(bytes));
        let body = kept(answer.body.to_vec());
        let made = kept(make(list.as_bytes()).into());
        *self.0.lock() = Some([body, made.clone()]);
        Ok(Listed::Made(made))
    }
}

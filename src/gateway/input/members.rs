//! The members of a request's body.

use serde::Deserialize;

/// The members of a JSON object, or `None` if `body` is not one: serde alone would accept an array of the
/// members in their order. There is no error, since serde_json's may quote the text, and so a password.
pub(super) fn members<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Option<T> {
    let is_object = body.trim_ascii_start().starts_with(b"{");
    is_object.then(|| serde_json::from_slice(body).ok())?
}

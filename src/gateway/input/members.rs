//! The members of a request's body.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::groupware::{EventFilter, EventShape, FilterFault};

/// The members of a JSON object, or `None` if `body` is not one: serde alone would accept an array of the
/// members in their order. There is no error, since serde_json's may quote the text, and so a password.
pub(super) fn members<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Option<T> {
    let is_object = body.trim_ascii_start().starts_with(b"{");
    is_object.then(|| serde_json::from_slice(body).ok())?
}

pub(super) fn filter(
    members: [Option<&RawValue>; 2],
    shape: EventShape,
) -> Result<Option<EventFilter>, FilterFault> {
    for member in members.into_iter().flatten() {
        if let Some(filter) = EventFilter::parse_raw(member, shape)? {
            return Ok(Some(filter));
        }
    }
    Ok(None)
}

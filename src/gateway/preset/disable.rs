//! Deletes the registrations of a preset at one address.

use serde::Serialize;

use super::calls::{Calls, until};
use super::enable::Wanted;
use super::removal::Removal;
use super::show::to_json;
use super::work::Times;
use crate::gateway::{Error, PresetFailure};

/// The answer.
#[derive(Serialize)]
struct Disabled<'p> {
    preset: &'p str,
    uri: &'p str,
    deleted: Vec<i64>,
}

/// Deletes the registrations of a preset at its address; returns the answer as JSON. What is still left to
/// be deleted then is put into `rest`.
///
/// If one cannot be deleted, the others are deleted all the same: a caller who wants no deliveries is
/// better off with fewer, and a retry completes it.
pub(in crate::gateway) async fn disable(
    calls: &Calls,
    wanted: &Wanted,
    times: Times,
    rest: &mut Option<Removal>,
) -> Result<Vec<u8>, Error> {
    let Wanted { preset, uri } = wanted;
    let listing = until(times.forward, calls.list()).await?;
    let ids = preset.registered_at(uri, &listing.registrations()?);
    let mut removal = Removal::of(ids.clone(), None);
    removal.carry_on(calls, times.back).await;
    let cause = removal.first_error();
    let left = removal.ended(rest);
    if !left.ids.is_empty() {
        return Err(Error::Preset(Box::new(PresetFailure {
            event: None,
            cause: Box::new(cause.unwrap_or(Error::Timeout)),
            made: 0,
            left,
        })));
    }
    let answer = Disabled {
        preset: preset.name(),
        uri,
        deleted: ids,
    };
    to_json(&answer)
}

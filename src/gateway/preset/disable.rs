//! Deletes the registrations of a preset at one address.

use serde::Serialize;

use super::calls::{Calls, PlainRoutes, until};
use super::enable::Wanted;
use super::failure::PresetFailure;
use super::removal::remove;
use super::show::written;
use super::work::Times;
use crate::gateway::Error;

/// What is answered.
#[derive(Serialize)]
struct Disabled<'p> {
    preset: &'p str,
    uri: &'p str,
    deleted: Vec<i64>,
}

/// Deletes the registrations of a preset at its address; returns the answer as JSON.
///
/// One that cannot be deleted keeps no other from being deleted: who wants no deliveries is better off
/// with fewer, and a repetition finishes it.
pub(in crate::gateway) async fn disable<S: PlainRoutes>(
    calls: &Calls<S>,
    wanted: &Wanted,
    times: Times,
) -> Result<Vec<u8>, Error> {
    let Wanted { preset, uri, .. } = wanted;
    let listing = until(times.forward, calls.list()).await?;
    let ids = preset.registered_at(uri, &listing.registrations()?);
    let (left, cause) = remove(calls, ids.clone(), None, times.back).await;
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
    written(&answer)
}

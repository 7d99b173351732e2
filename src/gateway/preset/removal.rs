//! Deletes registrations, and makes sure of it: what a failed call did is looked up.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use super::calls::{Calls, PlainRoutes, until};
use super::failure::{Left, ends_calls};
use super::{PresetWebhook, Registration};
use crate::gateway::Error;

/// The pauses before each try. A server that fails for a moment is given one.
const PAUSES: [Duration; 4] = [
    Duration::ZERO,
    Duration::from_millis(100),
    Duration::from_millis(500),
    Duration::from_millis(1500),
];

/// A registration that may have been made by a call that failed, so that its id is not known.
pub(super) struct Lost<'a> {
    pub(super) webhook: &'a PresetWebhook,
    pub(super) uri: &'a str,
    /// The ids of those that were there before, or are known to be ours.
    pub(super) known: HashSet<i64>,
    /// Whether it may still come.
    pub(super) may_come: bool,
}

/// Deletes the registrations `ids`, and `lost` if it is found, until `end` at the latest. Returns
/// what may be left, and the first error that was met.
pub(super) async fn remove<S: PlainRoutes>(
    calls: &Calls<S>,
    mut ids: Vec<i64>,
    mut lost: Option<Lost<'_>>,
    end: Instant,
) -> (Left, Option<Error>) {
    let mut first = None;
    for pause in PAUSES {
        if Instant::now() + pause >= end {
            break;
        }
        tokio::time::sleep(pause).await;
        let mut is_over = false;
        let mut failed = Vec::new();
        for id in ids {
            if is_over {
                failed.push(id);
                continue;
            }
            if let Err(error) = until(end, calls.delete(id)).await {
                is_over = ends_calls(&error);
                failed.push(id);
                first.get_or_insert(error);
            }
        }
        ids = failed;
        if is_over || (ids.is_empty() && lost.is_none()) {
            break;
        }
        match until(end, calls.list()).await.and_then(|listing| {
            let listed = listing.registrations()?;
            look_up(&listed, &mut ids, &mut lost, calls.user_id());
            Ok(())
        }) {
            Ok(()) if ids.is_empty() && lost.is_none() => break,
            Ok(()) => {}
            Err(error) => {
                is_over = ends_calls(&error);
                first.get_or_insert(error);
                if is_over {
                    break;
                }
            }
        }
    }
    ids.sort_unstable();
    let left = Left {
        ids,
        unknown: lost.is_some(),
    };
    (left, first)
}

/// Takes what is not `listed` off `ids`, and adds what was lost, once it is found.
fn look_up(
    listed: &[Registration<'_>],
    ids: &mut Vec<i64>,
    lost: &mut Option<Lost<'_>>,
    user_id: &str,
) {
    ids.retain(|id| listed.iter().any(|registration| registration.id == *id));
    let Some(wanted) = lost else { return };
    let mut found = listed.iter().filter(|registration| {
        !wanted.known.contains(&registration.id)
            && registration.uri == wanted.uri
            && registration.user_id.as_deref() == Some(user_id)
            && wanted.webhook.is(registration)
    });
    match (found.next(), found.next()) {
        (Some(registration), None) => {
            ids.push(registration.id);
            *lost = None;
        }
        (None, _) if !wanted.may_come => *lost = None,
        // It may come yet; or another gateway made one for the same account at the same time, and
        // which is whose cannot be told.
        _ => {}
    }
}

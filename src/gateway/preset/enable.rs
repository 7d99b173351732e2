//! Registers the webhooks of a preset that are missing: all of them, or none.

use std::sync::Arc;

use serde::Serialize;

use super::WebhookPreset;
use super::calls::{Calls, NotCreated, PlainRoutes, until};
use super::failure::{Fate, PresetFailure};
use super::placed::Placed;
use super::removal::{Lost, remove};
use super::show::written;
use super::work::Times;
use crate::gateway::Error;

/// A preset at the address where it is to be.
pub(in crate::gateway) struct Wanted {
    pub(in crate::gateway) preset: Arc<WebhookPreset>,
    pub(in crate::gateway) uri: String,
    /// Whether deliveries get a credential (docs/API.md, section 4.5).
    pub(in crate::gateway) authenticated: bool,
}

/// What is answered.
#[derive(Serialize)]
struct Enabled<'p> {
    preset: &'p str,
    #[serde(flatten)]
    placed: Placed<'p>,
    created: Vec<i64>,
}

/// Registers what is missing of a preset; returns the answer as JSON. If one cannot be registered, those
/// made here are deleted again.
pub(in crate::gateway) async fn enable<S: PlainRoutes>(
    calls: &Calls<S>,
    wanted: &Wanted,
    times: Times,
) -> Result<Vec<u8>, Error> {
    let Wanted {
        preset,
        uri,
        authenticated,
    } = wanted;
    let before = until(times.forward, calls.list()).await?;
    let listed = before.registrations()?;
    let mut placed = preset.at(uri, &listed, *authenticated);
    // Those made here, each with the place of its webhook in the preset.
    let mut made: Vec<(usize, i64)> = Vec::new();
    for at in placed.missing() {
        let webhook = &preset.webhooks()[at];
        let created = calls.create((webhook, uri), times.forward).await;
        let NotCreated { cause, fate } = match created {
            Ok(id) => {
                made.push((at, id));
                continue;
            }
            Err(not_created) => not_created,
        };
        let ids: Vec<_> = made.iter().map(|(_, id)| *id).collect();
        let lost = (fate != Fate::NotMade).then(|| Lost {
            webhook,
            uri,
            known: listed.iter().map(|it| it.id).chain(ids.clone()).collect(),
            may_come: fate == Fate::MayCome,
        });
        let count = ids.len();
        let (left, _) = remove(calls, ids, lost, times.back).await;
        return Err(Error::Preset(Box::new(PresetFailure {
            event: Some(webhook.event().into()),
            cause: Box::new(cause),
            made: count,
            left,
        })));
    }
    let mut created: Vec<_> = made.iter().map(|(_, id)| *id).collect();
    if !made.is_empty() {
        placed = match settled(calls, wanted, &made, &mut created, times).await {
            Ok(settled) => settled,
            // The server said of each that it made it.
            Err(_) => {
                for (at, id) in made {
                    placed.add(at, id);
                }
                placed
            }
        };
    }
    created.sort_unstable();
    let answer = Enabled {
        preset: preset.name(),
        placed,
        created,
    };
    written(&answer)
}

/// What is there once all is made. If another gateway registered the same at the same time, the older
/// registration stays, and the one made here is deleted.
async fn settled<'p, S: PlainRoutes>(
    calls: &Calls<S>,
    wanted: &'p Wanted,
    made: &[(usize, i64)],
    created: &mut Vec<i64>,
    times: Times,
) -> Result<Placed<'p>, Error> {
    let after = until(times.back, calls.list()).await?;
    let listed = after.registrations()?;
    let (preset, uri) = (&wanted.preset, &wanted.uri);
    let mut placed = preset.at(uri, &listed, wanted.authenticated);
    let surplus: Vec<_> = made
        .iter()
        .filter(|(at, id)| placed.has_older(*at, *id))
        .map(|(_, id)| *id)
        .collect();
    if !surplus.is_empty() {
        let (left, _) = remove(calls, surplus.clone(), None, times.back).await;
        let gone = |id: &i64| surplus.contains(id) && !left.ids.contains(id);
        let gone: Vec<_> = created.iter().copied().filter(gone).collect();
        placed.remove(&gone);
        created.retain(|id| !gone.contains(id));
    }
    Ok(placed)
}

//! Registers the missing webhooks of a preset: all of them, or none.

use std::time::{Duration, Instant};

use serde::Serialize;

use super::PresetAtServer;
use super::calls::{Calls, NotCreated, until};
use super::placed::Placed;
use super::removal::{Lost, Removal};
use super::show::to_json;
use super::work::Times;
use crate::gateway::error::leftover_warning;
use crate::gateway::{Error, PresetFailure};
use crate::groupware::Effect;

/// Time to delete duplicates and outdated registrations, once all webhooks are registered.
const TIDYING: Duration = Duration::from_secs(3);

/// A preset, and the address for its deliveries.
pub(in crate::gateway) struct Wanted {
    pub(in crate::gateway) preset: PresetAtServer,
    pub(in crate::gateway) uri: String,
}

/// The answer.
#[derive(Serialize)]
struct Enabled<'p> {
    preset: &'p str,
    #[serde(flatten)]
    placed: Placed<'p>,
    created: Vec<i64>,
    replaced: Vec<i64>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    warnings: &'p [String],
}

/// Registers the missing webhooks of a preset; returns the answer as JSON. If one cannot be registered, those
/// made here are deleted again. What is still left to be deleted then is put into `rest`.
pub(in crate::gateway) async fn enable(
    calls: &Calls,
    wanted: &Wanted,
    times: Times,
    rest: &mut Option<Removal>,
) -> Result<Vec<u8>, Error> {
    let Wanted { preset, uri } = wanted;
    let before = until(times.forward, calls.list()).await?;
    let listed = before.registrations()?;
    let mut placed = preset.at(uri, &listed, calls.authenticates());
    // The registrations made here, each with the index of its webhook in the preset.
    let mut made: Vec<(usize, i64)> = Vec::new();
    for at in placed.missing() {
        let webhook = &preset.webhooks()[at];
        let created = calls.create((webhook, uri), times.forward).await;
        let NotCreated { cause, effect } = match created {
            Ok(id) => {
                made.push((at, id));
                continue;
            }
            Err(not_created) => not_created,
        };
        let ids: Vec<_> = made.iter().map(|(_, id)| *id).collect();
        let lost = (effect == Effect::Unknown).then(|| Lost {
            webhook: webhook.clone(),
            uri: uri.clone(),
            known: listed.iter().map(|it| it.id).chain(ids.clone()).collect(),
            may_come: effect == Effect::Unknown,
        });
        let count = ids.len();
        let mut removal = Removal::of(ids, lost);
        removal.carry_on(calls, times.back).await;
        return Err(Error::Preset(Box::new(PresetFailure {
            event: Some(webhook.event().into()),
            cause: Box::new(cause),
            made: count,
            left: removal.ended(rest),
        })));
    }
    let mut created: Vec<_> = made.iter().map(|(_, id)| *id).collect();
    let mut surplus = Vec::new();
    if !made.is_empty() {
        // If another gateway registered the same webhook at the same time, the older registration stays.
        match until(times.back, calls.list()).await {
            Ok(after) => {
                let listed = after.registrations()?;
                placed = preset.at(uri, &listed, calls.authenticates());
                let is_surplus = |made: &&(usize, i64)| placed.has_older(made.0, made.1);
                surplus.extend(made.iter().filter(is_surplus).map(|(_, id)| *id));
            }
            // The server confirmed each of them.
            Err(_) => {
                for (at, id) in made {
                    placed.add(at, id);
                }
            }
        }
    }
    let mut to_go = placed.outdated().to_vec();
    to_go.extend(&surplus);
    let mut removal = Removal::of(to_go.clone(), None);
    removal
        .carry_on(calls, times.back.min(Instant::now() + TIDYING))
        .await;
    let left = removal.ended(rest);
    let (gone, left): (Vec<_>, Vec<_>) = to_go.into_iter().partition(|id| !left.ids.contains(id));
    placed.remove(&gone);
    created.retain(|id| !gone.contains(id));
    created.sort_unstable();
    let replaced = gone
        .into_iter()
        .filter(|id| !surplus.contains(id))
        .collect();
    let mut warnings = preset.warnings().to_vec();
    if !left.is_empty() {
        warnings.push(leftover_warning(&left));
    }
    let answer = Enabled {
        preset: preset.name(),
        placed,
        created,
        replaced,
        warnings: &warnings,
    };
    to_json(&answer)
}

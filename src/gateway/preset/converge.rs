//! Makes the registrations of a preset at one address what they are to be (docs/API.md, section 4.6).
//!
//! It looks, changes what differs, and looks again: the answer is what the server shows then. The first call
//! that fails ends it; a repeated request continues with whatever is there.

use std::collections::BTreeSet;

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Value, json};

use super::calls::Calls;
use super::status::{PresetStatus, State};
use super::{PresetTarget, PresetWebhook};
use crate::gateway::endpoint::answer::serialize;
use crate::gateway::{Error, PresetFailure};
use crate::groupware::Effect;

/// What the registrations at an address are to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::gateway) enum Goal {
    /// Each webhook of the preset once, and nothing outdated.
    Enabled,
    /// None.
    Disabled,
}

/// A call that changes something.
#[derive(Clone, Copy)]
enum Change<'a> {
    Register(&'a PresetWebhook),
    Delete(i64),
}

/// The work on one address.
struct Convergence<'a> {
    calls: &'a Calls,
    target: &'a PresetTarget,
    uri: &'a str,
    /// The registrations before the first change.
    before: BTreeSet<i64>,
    /// What the server showed last; `None` if it could not be read after a change.
    status: Option<PresetStatus<'a>>,
    failure: Option<Failure<'a>>,
}

/// The first call that failed.
struct Failure<'a> {
    /// `None` if the registrations could not be read.
    change: Option<Change<'a>>,
    cause: Error,
}

/// Makes the registrations of a preset at `uri` those of `goal`; returns the answer as JSON.
pub(in crate::gateway) async fn converge(
    calls: &Calls,
    target: &PresetTarget,
    uri: &str,
    goal: Goal,
) -> Result<Bytes, Error> {
    let status = look(calls, target, uri).await?;
    let mut work = Convergence {
        calls,
        target,
        uri,
        before: status.ids(),
        status: Some(status),
        failure: None,
    };
    if goal == Goal::Enabled {
        work.carry_out(work.registrations()).await;
    }
    work.carry_out(work.deletions(goal)).await;
    work.answer(goal)
}

async fn look<'p>(
    calls: &Calls,
    target: &'p PresetTarget,
    uri: &str,
) -> Result<PresetStatus<'p>, Error> {
    let listing = calls.list(Some(uri)).await?;
    Ok(target.status_at(uri, &listing.registrations()?))
}

// === impl Convergence ===

impl<'a> Convergence<'a> {
    fn registrations(&self) -> Vec<Change<'a>> {
        let status = self.status.iter();
        let missing = status.flat_map(PresetStatus::missing);
        missing.map(Change::Register).collect()
    }

    fn deletions(&self, goal: Goal) -> Vec<Change<'a>> {
        let ids = match (&self.status, &self.failure) {
            (Some(status), None) => match goal {
                // What is outdated goes only once its replacement is there, so that no event is missed.
                Goal::Enabled if !status.missing().is_empty() => BTreeSet::new(),
                Goal::Enabled => status.surplus(),
                Goal::Disabled => status.ids(),
            },
            _ => BTreeSet::new(),
        };
        ids.into_iter().map(Change::Delete).collect()
    }

    /// Makes the changes in their order, until one fails, and looks at what is there then.
    async fn carry_out(&mut self, changes: Vec<Change<'a>>) {
        if changes.is_empty() {
            return;
        }
        for change in changes {
            let made = match change {
                Change::Register(webhook) => self.calls.register(webhook, self.uri).await,
                Change::Delete(id) => self.calls.delete(id).await,
            };
            if let Err(cause) = made {
                let change = Some(change);
                self.failure = Some(Failure { change, cause });
                break;
            }
        }
        self.status = match look(self.calls, self.target, self.uri).await {
            Ok(status) => Some(status),
            Err(cause) => {
                let change = None;
                self.failure.get_or_insert(Failure { change, cause });
                None
            }
        };
    }

    /// The answer, if `goal` is reached, whatever failed; else the error, with the same as its `outcome`.
    fn answer(self, goal: Goal) -> Result<Bytes, Error> {
        #[derive(Serialize)]
        struct Outcome<'a> {
            preset: &'a str,
            uri: &'a str,
            #[serde(flatten)]
            changed: Option<Changed<'a>>,
            #[serde(skip_serializing_if = "<[_]>::is_empty")]
            warnings: &'a [String],
            #[serde(skip_serializing_if = "Option::is_none")]
            failed: Option<Value>,
        }

        #[derive(Serialize)]
        struct Changed<'a> {
            #[serde(flatten)]
            status: &'a PresetStatus<'a>,
            created: Vec<i64>,
            deleted: Vec<i64>,
        }

        let status = self.status.as_ref();
        let changed = status.map(|status| {
            let now = status.ids();
            Changed {
                status,
                created: now.difference(&self.before).copied().collect(),
                deleted: self.before.difference(&now).copied().collect(),
            }
        });
        let (state, warnings) = match goal {
            Goal::Enabled => (State::Enabled, self.target.warnings()),
            Goal::Disabled => (State::Disabled, &[][..]),
        };
        let is_reached = status.is_some_and(|status| status.state() == state);
        let failed = self.failure.as_ref().filter(|_| !is_reached);
        let outcome = Outcome {
            preset: self.target.name(),
            uri: self.uri,
            changed,
            warnings,
            failed: failed.map(|failure| failure.to_json(status)),
        };
        if is_reached {
            return Ok(serialize(&outcome));
        }
        let outcome = serde_json::to_value(&outcome).map_err(|error| Error::Other(error.into()))?;
        let cause = self.failure.map(|failure| failure.cause);
        Err(Error::Preset(Box::new(PresetFailure {
            cause: cause.unwrap_or(Error::PresetChanged),
            outcome,
        })))
    }
}

// === impl Failure ===

impl Failure<'_> {
    /// What failed, and what is known of it once the server has shown `status`.
    fn to_json(&self, status: Option<&PresetStatus<'_>>) -> Value {
        let effect = |is_done: &dyn Fn(&PresetStatus<'_>) -> bool| {
            let effect = match status.is_some_and(is_done) {
                true => Effect::Done,
                false => self.cause.effect(),
            };
            effect.as_str()
        };
        match self.change {
            Some(Change::Register(webhook)) => {
                let is_missing = |it: &&PresetWebhook| it.is_same(webhook);
                let is_done = |now: &PresetStatus<'_>| !now.missing().iter().any(is_missing);
                json!({"call": "register", "event": webhook.event(), "effect": effect(&is_done)})
            }
            Some(Change::Delete(id)) => {
                let is_done = |now: &PresetStatus<'_>| !now.ids().contains(&id);
                json!({"call": "delete", "id": id, "effect": effect(&is_done)})
            }
            None => json!({"call": "list"}),
        }
    }
}

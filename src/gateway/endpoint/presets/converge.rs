//! Makes the registrations of a preset at one address what they are to be (docs/API.md, section 4.6).
//!
//! It looks, changes what differs, and looks again: the answer is what the server shows then. The first call
//! that fails ends it; a repeated request continues with whatever is there.

use std::collections::BTreeSet;
use std::ptr;

use serde::Serialize;
use serde_json::{Value, json};

use super::PresetRequest;
use super::status::{PresetStatus, State};
use crate::gateway::endpoint::answer::{self, Answer};
use crate::gateway::endpoint::webhooks::uri_warning;
use crate::gateway::{Error, PresetFailure, PresetWebhook};
use crate::groupware::Effect;

/// A call that changes something.
#[derive(Clone, Copy)]
enum Change<'a> {
    Register(&'a PresetWebhook),
    Delete(i64),
}

/// The work on one address.
struct Convergence<'a> {
    request: &'a PresetRequest,
    uri: &'a str,
    /// What the server showed last; `None` if it could not be read after a change.
    status: Option<PresetStatus<'a>>,
    /// The first call that failed, for the answer, and why.
    failure: Option<(Value, Error)>,
}

// === impl PresetRequest ===

impl PresetRequest {
    /// Makes the registrations at `uri` those of `goal`. The answer is an error, with the same as its `outcome`, only
    /// if that is not reached.
    pub(super) async fn converge(&self, uri: &str, goal: State) -> Result<Answer, Error> {
        let status = self.status_at(uri).await?;
        let before = status.ids();
        let mut work = Convergence {
            request: self,
            uri,
            status: Some(status),
            failure: None,
        };
        if goal == State::Enabled {
            work.carry_out(work.registrations()).await;
        }
        work.carry_out(work.deletions(goal)).await;
        work.answer(goal, &before)
    }

    async fn status_at(&self, uri: &str) -> Result<PresetStatus<'_>, Error> {
        let registrations = self.registrations(Some(uri)).await?;
        Ok(self.target.status_at(uri, &registrations))
    }
}

// === impl Convergence ===

impl<'a> Convergence<'a> {
    fn registrations(&self) -> Vec<Change<'a>> {
        let missing = self.status.iter().flat_map(PresetStatus::missing);
        missing.map(Change::Register).collect()
    }

    /// None after a failure. What is outdated goes only once its replacement is there, so that no event is missed.
    fn deletions(&self, goal: State) -> Vec<Change<'a>> {
        let ids = match &self.status {
            Some(now) if self.failure.is_none() => match goal {
                State::Enabled if !now.missing().is_empty() => BTreeSet::new(),
                State::Enabled => now.surplus(),
                _ => now.ids(),
            },
            _ => BTreeSet::new(),
        };
        ids.into_iter().map(Change::Delete).collect()
    }

    /// Makes `changes` in their order, until one fails, and looks at what is there then.
    async fn carry_out(&mut self, changes: Vec<Change<'a>>) {
        if changes.is_empty() {
            return;
        }
        let mut failed = None;
        for change in changes {
            let made = match change {
                Change::Register(webhook) => self.request.register(webhook, self.uri).await,
                Change::Delete(id) => self.request.delete(id).await,
            };
            if let Err(cause) = made {
                failed = Some((change, cause));
                break;
            }
        }
        let status = self.request.status_at(self.uri).await;
        self.failure = failed.map(|(change, cause)| {
            let is_done = status.as_ref().is_ok_and(|now| change.is_done(now));
            let effect = if is_done {
                Effect::Done
            } else {
                cause.effect()
            };
            (change.describe(effect), cause)
        });
        self.status = match status {
            Ok(status) => Some(status),
            Err(cause) => {
                self.failure.get_or_insert((json!({"call": "list"}), cause));
                None
            }
        };
    }

    fn answer(self, goal: State, before: &BTreeSet<i64>) -> Result<Answer, Error> {
        #[derive(Serialize)]
        struct Outcome<'a> {
            preset: &'a str,
            uri: &'a str,
            #[serde(flatten)]
            now: Option<Now<'a>>,
            #[serde(skip_serializing_if = "Vec::is_empty")]
            warnings: Vec<String>,
            #[serde(skip_serializing_if = "Option::is_none")]
            failed: Option<Value>,
        }

        #[derive(Serialize)]
        struct Now<'a> {
            #[serde(flatten)]
            status: PresetStatus<'a>,
            created: Vec<i64>,
            deleted: Vec<i64>,
        }

        let target = &self.request.target;
        let is_reached = self.status.as_ref().is_some_and(|now| now.state == goal);
        let (failed, cause) = self.failure.filter(|_| !is_reached).unzip();
        let now = self.status.map(|status| {
            let ids = status.ids();
            Now {
                status,
                created: ids.difference(before).copied().collect(),
                deleted: before.difference(&ids).copied().collect(),
            }
        });
        let mut warnings = Vec::new();
        if goal == State::Enabled {
            warnings.clone_from(&target.warnings);
            let is_meant = self.uri.eq_ignore_ascii_case("self");
            let meant = ["", " Did you mean \"self\"?"][usize::from(is_meant)];
            warnings.extend(uri_warning(self.uri).map(|warning| warning + meant));
        }
        let outcome = Outcome {
            preset: &target.preset.name,
            uri: self.uri,
            now,
            warnings,
            failed,
        };
        if is_reached {
            return Ok(answer::to_json(&outcome));
        }
        let outcome = serde_json::to_value(&outcome).map_err(|error| Error::Other(error.into()))?;
        Err(Error::Preset(Box::new(PresetFailure {
            cause: cause.unwrap_or(Error::PresetChanged),
            outcome,
        })))
    }
}

// === impl Change ===

impl Change<'_> {
    /// Whether the server shows that it was made.
    fn is_done(self, now: &PresetStatus<'_>) -> bool {
        match self {
            Self::Register(webhook) => !now.missing().iter().any(|one| ptr::eq(*one, webhook)),
            Self::Delete(id) => !now.ids().contains(&id),
        }
    }

    /// The member `failed` of an answer.
    fn describe(self, effect: Effect) -> Value {
        let effect = effect.as_str();
        match self {
            Self::Register(webhook) => {
                json!({"call": "register", "event": webhook.event, "effect": effect})
            }
            Self::Delete(id) => json!({"call": "delete", "id": id, "effect": effect}),
        }
    }
}

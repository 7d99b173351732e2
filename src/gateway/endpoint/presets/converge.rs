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

/// How often it looks and changes at most: another gateway may do so at the same time.
const ROUNDS: usize = 8;

#[derive(Clone, Copy)]
enum Change<'a> {
    /// Registers the webhook, in place of the registration with this id if there is one.
    Register(&'a PresetWebhook, Option<i64>),
    Delete(i64),
}

struct Convergence<'a> {
    request: &'a PresetRequest,
    uri: &'a str,
    goal: State,
    before: BTreeSet<i64>,
    /// What the server showed last; `None` if it could not be read after a change.
    status: Option<PresetStatus<'a>>,
    /// The first call that failed, for the answer, and why.
    failure: Option<(Value, Error)>,
}

// === impl PresetRequest ===

impl PresetRequest {
    /// Makes the registrations at `uri` those of `goal`; if that fails, the answer is an error with the same `outcome`.
    pub(super) async fn converge(&self, uri: &str, goal: State) -> Result<Answer, Error> {
        if self.is_own(uri) {
            return self.converge_at_own(uri, goal).await;
        }
        self.work(uri, goal).await?.answer()
    }

    /// The same at the gateway's own address, where each event arrives once, whatever presets have it.
    async fn converge_at_own(&self, uri: &str, goal: State) -> Result<Answer, Error> {
        let (vault, preset) = (self.services.logins.vault(), &self.target.preset);
        let (narrower, wider) = self.services.presets.beside(preset);
        let narrower = narrower.map(|narrower| self.of(narrower));
        let wanted = vault.registered().await?;
        if goal == State::Disabled {
            let is_wanted = |it: &Self| wanted.contains_key(&*it.target.preset.name);
            if let Some(narrower) = narrower.filter(is_wanted)
                && !self.status_at(uri).await?.ids().is_empty()
            {
                let narrower = narrower.in_place_of(self);
                // What is left then goes when this is repeated.
                narrower.work(uri, State::Enabled).await?.answer()?;
            }
            let answer = self.work(uri, goal).await?.answer()?;
            vault.forget_registered(&preset.name).await?;
            return Ok(answer);
        }
        if let Some(wider) = wider.filter(|wider| wanted.contains_key(&*wider.name))
            && let found = self.of(wider).status_at(uri).await?.state
            && found != State::Disabled
        {
            vault.note_registered(&preset.name, uri, &[]).await?;
            if found == State::Partly {
                self.of(wider).in_place_of(self).work(uri, goal).await?.answer()?;
            }
            let mut work = self.work(uri, State::Disabled).await?;
            work.status = work.status.map(|now| now.covered_by(&wider.name, State::Enabled));
            work.goal = goal;
            return work.answer();
        }
        let Some(narrower) = narrower else {
            return self.work(uri, goal).await?.answer();
        };
        if !narrower.status_at(uri).await?.ids().is_empty() {
            let name = &narrower.target.preset.name;
            vault.note_registered(name, uri, &[]).await?;
        }
        self.of(preset).in_place_of(&narrower).work(uri, goal).await?.answer()
    }

    async fn work<'a>(&'a self, uri: &'a str, goal: State) -> Result<Convergence<'a>, Error> {
        let status = self.status_at(uri).await?;
        // Not before the server has shown the caller what there is: what others want counts for nothing.
        if goal == State::Enabled && self.is_own(uri) {
            let vault = self.services.logins.vault();
            vault.note_registered(&self.target.preset.name, uri, &[]).await?;
        }
        let (before, status) = (status.ids(), Some(status));
        let mut work = Convergence { request: self, uri, goal, before, status, failure: None };
        for _ in 0..ROUNDS {
            if goal == State::Enabled {
                work.carry_out(work.updates()).await;
                work.carry_out(work.registrations()).await;
            }
            work.carry_out(work.deletions()).await;
            if work.failure.is_some() || work.status.is_none() || work.is_reached() {
                break;
            }
        }
        Ok(work)
    }

    async fn status_at(&self, uri: &str) -> Result<PresetStatus<'_>, Error> {
        let registrations = self.registrations(Some(uri)).await?;
        Ok(self.target.status_at(uri, &registrations))
    }
}

// === impl Convergence ===

impl<'a> Convergence<'a> {
    /// What waits at the server to be delivered is delivered as the registration is then; it would be lost with it.
    fn updates(&self) -> Vec<Change<'a>> {
        let Some(now) = &self.status else {
            return Vec::new();
        };
        let mut replaceable = now.replaceable.clone();
        let update = |webhook: &'a PresetWebhook| {
            let mut all = replaceable.iter();
            let at = all.position(|(_, event)| **event == *webhook.event)?;
            Some(Change::Register(webhook, Some(replaceable.remove(at).0)))
        };
        now.missing().into_iter().filter_map(update).collect()
    }

    fn registrations(&self) -> Vec<Change<'a>> {
        let missing = self.status.iter().flat_map(PresetStatus::missing);
        missing.map(|it| Change::Register(it, None)).collect()
    }

    /// None after a failure. What is outdated goes only once its replacement is there, so that no event is missed.
    fn deletions(&self) -> Vec<Change<'a>> {
        let ids = match &self.status {
            Some(now) if self.failure.is_none() => match self.goal {
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
        if changes.is_empty() || self.failure.is_some() {
            return;
        }
        let mut failed = None;
        for change in changes {
            let made = match change {
                Change::Register(webhook, id) => self.request.register(webhook, self.uri, id).await,
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
            let effect = if is_done { Effect::Done } else { cause.effect() };
            (change.describe(effect), cause)
        });
        let unread = |cause| {
            self.failure.get_or_insert((json!({"call": "list"}), cause));
        };
        self.status = status.map_err(unread).ok();
    }

    fn is_reached(&self) -> bool {
        let now = self.status.as_ref();
        now.is_some_and(|now| now.state == self.goal)
    }

    fn answer(self) -> Result<Answer, Error> {
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
        let is_reached = self.is_reached();
        let (failed, cause) = self.failure.filter(|_| !is_reached).unzip();
        let now = self.status.map(|status| {
            let ids = status.ids();
            Now {
                status,
                created: ids.difference(&self.before).copied().collect(),
                deleted: self.before.difference(&ids).copied().collect(),
            }
        });
        let mut warnings = Vec::new();
        if self.goal == State::Enabled {
            warnings.clone_from(&target.warnings);
            let is_meant = self.uri.eq_ignore_ascii_case("self");
            let meant = ["", " Did you mean \"self\"?"][usize::from(is_meant)];
            warnings.extend(uri_warning(self.uri).map(|warning| warning + meant));
        }
        let outcome = Outcome { preset: &target.preset.name, uri: self.uri, now, warnings, failed };
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
    fn is_done(self, now: &PresetStatus<'_>) -> bool {
        match self {
            Self::Register(webhook, _) => !now.missing().iter().any(|one| ptr::eq(*one, webhook)),
            Self::Delete(id) => !now.ids().contains(&id),
        }
    }

    /// The member `failed` of an answer.
    fn describe(self, effect: Effect) -> Value {
        let effect = effect.as_str();
        match self {
            Self::Register(webhook, None) => {
                json!({"call": "register", "event": webhook.event, "effect": effect})
            }
            Self::Register(webhook, Some(id)) => {
                json!({"call": "update", "id": id, "event": webhook.event, "effect": effect})
            }
            Self::Delete(id) => json!({"call": "delete", "id": id, "effect": effect}),
        }
    }
}

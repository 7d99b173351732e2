//! The registrations of a preset at one address.

use std::collections::BTreeSet;

use serde::Serialize;

use super::PresetTarget;
use super::registration::Registration;
use crate::gateway::PresetWebhook;

/// Whether a preset is registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    Disabled,
    Partly,
    /// Each of its webhooks once, and nothing outdated.
    Enabled,
}

#[derive(Debug, Serialize)]
pub(super) struct PresetStatus<'p> {
    pub(super) state: State,
    webhooks: Vec<WebhookStatus<'p>>,
    /// Registrations that need to be replaced, in ascending order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outdated: Vec<i64>,
    /// The preset that brings the same events, so that nothing is registered for this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    covered_by: Option<&'p str>,
    /// Those of another preset in whose place this one comes.
    #[serde(skip)]
    taken: Vec<i64>,
    /// What can be changed into a webhook of the same event: outdated ones, and those of another preset.
    #[serde(skip)]
    pub(super) replaceable: Vec<(i64, &'p str)>,
}

#[derive(Debug, Serialize)]
struct WebhookStatus<'p> {
    #[serde(flatten)]
    webhook: &'p PresetWebhook,
    /// The ids of its current registrations, in ascending order.
    ids: Vec<i64>,
}

// === impl PresetTarget ===

impl PresetTarget {
    /// Which of `registrations`, sorted by id, are of this preset and at `uri`.
    pub(super) fn status_at(&self, uri: &str, registrations: &[Registration]) -> PresetStatus<'_> {
        let unregistered = |webhook| WebhookStatus { webhook, ids: Vec::new() };
        let mut webhooks: Vec<_> = self.webhooks.iter().map(unregistered).collect();
        let (mut outdated, mut taken, mut replaceable) = (Vec::new(), Vec::new(), Vec::new());
        for registration in registrations.iter().filter(|it| it.uri == uri) {
            let id = registration.id;
            let mut webhooks = webhooks.iter_mut();
            let is_current =
                registration.is_authenticated() == self.authenticates && !registration.is_outdated;
            match webhooks.find(|status| registration.is_of(status.webhook)) {
                Some(status) if is_current => {
                    status.ids.push(id);
                    continue;
                }
                _ if self.includes(registration) => outdated.push(id),
                _ if self.takes(registration) => taken.push(id),
                _ => continue,
            }
            let mut events = self.webhooks.iter().map(|webhook| &*webhook.event);
            let same = events.find(|event| *event == registration.event);
            replaceable.extend(same.map(|event| (id, event)));
        }
        // Once it has all, what it came in the place of brings each event a second time.
        if webhooks.iter().all(|it| !it.ids.is_empty()) {
            outdated.append(&mut taken);
            outdated.sort_unstable();
        }
        let all_have =
            |count| outdated.is_empty() && webhooks.iter().all(|it| it.ids.len() == count);
        let state = if all_have(1) {
            State::Enabled
        } else if all_have(0) {
            State::Disabled
        } else {
            State::Partly
        };
        PresetStatus { state, webhooks, outdated, covered_by: None, taken, replaceable }
    }
}

// === impl PresetStatus ===

impl<'p> PresetStatus<'p> {
    pub(super) fn missing(&self) -> Vec<&'p PresetWebhook> {
        let missing = self.webhooks.iter().filter(|status| status.ids.is_empty());
        missing.map(|status| status.webhook).collect()
    }

    /// What there is besides a wider preset in this state. What is registered of its own brings each event a second time.
    pub(super) fn covered_by(self, wider: &'p str, state: State) -> Self {
        let state = if self.state == State::Disabled { state } else { State::Partly };
        Self { state, covered_by: Some(wider), ..self }
    }

    /// The registrations that are outdated, those in whose place this preset came, and all but the oldest of each webhook.
    pub(super) fn surplus(&self) -> BTreeSet<i64> {
        let duplicates = self.webhooks.iter().flat_map(|status| status.ids.iter().skip(1));
        self.with_others(duplicates)
    }

    pub(super) fn ids(&self) -> BTreeSet<i64> {
        let current = self.webhooks.iter().flat_map(|status| &status.ids);
        self.with_others(current)
    }

    fn with_others<'a>(&'a self, ids: impl Iterator<Item = &'a i64>) -> BTreeSet<i64> {
        let all = ids.chain(&self.outdated).chain(&self.taken);
        all.copied().collect()
    }
}

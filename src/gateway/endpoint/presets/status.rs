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
    /// Nothing of it.
    Disabled,
    /// Something in between.
    Partly,
    /// Each of its webhooks once, and nothing outdated.
    Enabled,
}

/// The registrations of a preset at one address.
#[derive(Debug, Serialize)]
pub(super) struct PresetStatus<'p> {
    pub(super) state: State,
    webhooks: Vec<WebhookStatus<'p>>,
    /// Registrations that need to be replaced, in ascending order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outdated: Vec<i64>,
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
    /// Which of `registrations`, all of this preset and sorted by id, are at `uri`.
    pub(super) fn status_at(&self, uri: &str, registrations: &[Registration]) -> PresetStatus<'_> {
        let unregistered = |webhook| WebhookStatus {
            webhook,
            ids: Vec::new(),
        };
        let mut webhooks: Vec<_> = self.webhooks.iter().map(unregistered).collect();
        let mut outdated = Vec::new();
        for registration in registrations
            .iter()
            .filter(|registration| registration.uri == uri)
        {
            let id = registration.id;
            let mut webhooks = webhooks.iter_mut();
            match webhooks.find(|status| registration.is_of(status.webhook)) {
                Some(status) if registration.is_authenticated() == self.authenticates => {
                    status.ids.push(id);
                }
                _ => outdated.push(id),
            }
        }
        let mut counts = webhooks.iter().map(|status| status.ids.len());
        let state = match outdated.is_empty() {
            true if counts.clone().all(|count| count == 1) => State::Enabled,
            true if counts.all(|count| count == 0) => State::Disabled,
            _ => State::Partly,
        };
        PresetStatus {
            state,
            webhooks,
            outdated,
        }
    }
}

// === impl PresetStatus ===

impl<'p> PresetStatus<'p> {
    /// The webhooks without a current registration.
    pub(super) fn missing(&self) -> Vec<&'p PresetWebhook> {
        let missing = self.webhooks.iter().filter(|status| status.ids.is_empty());
        missing.map(|status| status.webhook).collect()
    }

    /// The registrations that are outdated, and all but the oldest of each webhook.
    pub(super) fn surplus(&self) -> BTreeSet<i64> {
        let webhooks = self.webhooks.iter();
        let duplicates = webhooks.flat_map(|status| status.ids.iter().skip(1));
        duplicates.chain(&self.outdated).copied().collect()
    }

    /// All registrations.
    pub(super) fn ids(&self) -> BTreeSet<i64> {
        let current = self.webhooks.iter().flat_map(|status| &status.ids);
        current.chain(&self.outdated).copied().collect()
    }
}

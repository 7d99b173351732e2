//! The registrations of a preset at one address.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{PresetTarget, PresetWebhook, Registration};

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
    state: State,
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
    /// The registrations at `uri`.
    pub(super) fn status_at(&self, uri: &str, listed: &[Registration<'_>]) -> PresetStatus<'_> {
        let unregistered = |webhook| WebhookStatus {
            webhook,
            ids: Vec::new(),
        };
        let mut webhooks: Vec<_> = self.webhooks().iter().map(unregistered).collect();
        let mut outdated = Vec::new();
        for registration in listed {
            if registration.uri != uri {
                continue;
            }
            let webhook = webhooks
                .iter_mut()
                .find(|status| status.webhook.is(registration));
            match webhook {
                Some(status) if registration.is_authenticated() == self.authenticates() => {
                    status.ids.push(registration.id);
                }
                None if !self.is_former(registration) => {}
                _ => outdated.push(registration.id),
            }
        }
        outdated.sort_unstable();
        webhooks
            .iter_mut()
            .for_each(|status| status.ids.sort_unstable());
        let is_registered_once = |status: &WebhookStatus<'_>| status.ids.len() == 1;
        let is_missing = |status: &WebhookStatus<'_>| status.ids.is_empty();
        let state = match outdated.is_empty() {
            true if webhooks.iter().all(is_registered_once) => State::Enabled,
            true if webhooks.iter().all(is_missing) => State::Disabled,
            _ => State::Partly,
        };
        PresetStatus {
            state,
            webhooks,
            outdated,
        }
    }

    /// The addresses with registrations of the preset.
    pub(super) fn addresses<'r>(&self, listed: &'r [Registration<'_>]) -> BTreeSet<&'r str> {
        let is_ours = |registration: &&Registration<'_>| {
            let is_current = self.webhooks().iter().any(|it| it.is(registration));
            is_current || self.is_former(registration)
        };
        let ours = listed.iter().filter(is_ours);
        ours.map(|registration| &*registration.uri).collect()
    }
}

// === impl PresetStatus ===

impl<'p> PresetStatus<'p> {
    pub(super) fn state(&self) -> State {
        self.state
    }

    /// The webhooks without a current registration.
    pub(super) fn missing(&self) -> Vec<&'p PresetWebhook> {
        let missing = self.webhooks.iter().filter(|status| status.ids.is_empty());
        missing.map(|status| status.webhook).collect()
    }

    /// The registrations that are outdated, or there twice: of these the oldest stays.
    pub(super) fn surplus(&self) -> BTreeSet<i64> {
        let duplicates = self
            .webhooks
            .iter()
            .flat_map(|status| status.ids.iter().skip(1));
        duplicates.chain(&self.outdated).copied().collect()
    }

    /// All registrations.
    pub(super) fn ids(&self) -> BTreeSet<i64> {
        let current = self.webhooks.iter().flat_map(|status| &status.ids);
        current.chain(&self.outdated).copied().collect()
    }
}

//! What a preset is to be at one server: with filters that exclude deliveries too large for it (docs/API.md,
//! section 4.9), and with or without a credential for its deliveries.

use std::sync::Arc;

use super::registration::Registration;
use crate::gateway::{PresetWebhook, WebhookPreset};
use crate::groupware::JobLimit;

/// A preset as it is registered at one server, at any address.
#[derive(Debug)]
pub(super) struct PresetTarget {
    pub(super) preset: Arc<WebhookPreset>,
    pub(super) webhooks: Vec<PresetWebhook>,
    /// What would have been registered instead at another version of the server.
    former: Vec<PresetWebhook>,
    /// Those of another preset in whose place this one comes.
    taken: Vec<PresetWebhook>,
    /// Whether deliveries get a credential.
    pub(super) authenticates: bool,
    /// For the caller, one for each webhook whose deliveries can be too large.
    pub(super) warnings: Vec<String>,
}

impl PresetTarget {
    /// Of a built-in preset, webhooks that no filter can bound are left out. An operator's own preset is
    /// registered as written, with a warning for each webhook that is not bounded.
    pub(super) fn new(preset: &Arc<WebhookPreset>, limit: JobLimit, authenticates: bool) -> Self {
        let own = &preset.webhooks;
        let bounded = |limit| own.iter().filter_map(move |webhook| webhook.bounded(limit));
        let (webhooks, former, warnings) = if preset.built_in {
            let former = JobLimit::ALL.iter().copied().flat_map(bounded);
            (bounded(limit).collect(), former.collect(), Vec::new())
        } else {
            let warnings = own.iter().filter_map(|webhook| webhook.warning(limit));
            (own.to_vec(), Vec::new(), warnings.collect())
        };
        let (preset, taken) = (preset.clone(), Vec::new());
        Self { preset, webhooks, former, taken, authenticates, warnings }
    }

    pub(super) fn in_place_of(mut self, other: &Self) -> Self {
        let all = other.webhooks.iter().chain(&other.former);
        self.taken = all.cloned().collect();
        self
    }

    pub(super) fn takes(&self, registration: &Registration) -> bool {
        self.taken.iter().any(|webhook| registration.is_of(webhook))
    }

    /// Whether `registration` is one of a webhook of this preset, or of one that this replaces.
    pub(super) fn includes(&self, registration: &Registration) -> bool {
        let mut webhooks = self.webhooks.iter().chain(&self.former);
        webhooks.any(|webhook| registration.is_of(webhook))
    }
}

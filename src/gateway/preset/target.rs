//! What a preset is to be at one server: with filters that exclude deliveries too large for it (docs/API.md,
//! section 4.9), and with or without a credential for its deliveries.

use std::sync::Arc;

use super::registration::is_same_filter;
use super::{PresetWebhook, Registration, WebhookPreset};
use crate::gateway::{Error, UnboundedWebhooks};
use crate::groupware::{EventFilter, JobLimit};

/// The filter with which earlier versions registered `calendar`.
const FORMER_CALENDAR: &str = r#"{"event.objectData.calendardata": "/\\A.{0,1000}\\z/s"}"#;

/// A preset as it is registered at one server, at any address.
#[derive(Debug)]
pub(in crate::gateway) struct PresetTarget {
    preset: Arc<WebhookPreset>,
    webhooks: Vec<PresetWebhook>,
    /// What an earlier version would have registered instead, or this one at another version of the server.
    former: Vec<PresetWebhook>,
    authenticates: bool,
    warnings: Vec<String>,
}

// === impl PresetTarget ===

impl PresetTarget {
    /// Of a built-in preset, webhooks that no filter can bound are left out. An operator's own preset is
    /// registered as written, with a warning for each webhook that is not bounded. `authenticates` is whether
    /// deliveries get a credential.
    pub(in crate::gateway) fn new(
        preset: &Arc<WebhookPreset>,
        limit: JobLimit,
        authenticates: bool,
    ) -> Self {
        let own = preset.webhooks();
        if !preset.is_built_in() {
            let unbounded = own
                .iter()
                .filter_map(|it| it.shape.unbounded(it.filter(), limit));
            return Self {
                preset: preset.clone(),
                webhooks: own.to_vec(),
                former: Vec::new(),
                authenticates,
                warnings: unbounded.map(|unbounded| unbounded.to_string()).collect(),
            };
        }
        let bounded = |limit| own.iter().filter_map(move |webhook| webhook.bounded(limit));
        let webhooks: Vec<_> = bounded(limit).collect();
        let former = JobLimit::ALL.into_iter().flat_map(bounded);
        let former = former.chain(own.iter().map(PresetWebhook::former));
        let former = former.filter(|it| !webhooks.iter().any(|current| current.is_same(it)));
        Self {
            preset: preset.clone(),
            former: former.collect(),
            webhooks,
            authenticates,
            warnings: Vec::new(),
        }
    }

    /// Fails if one of its webhooks is not bounded, and `policy` refuses that.
    pub(in crate::gateway) fn allowed(self, policy: UnboundedWebhooks) -> Result<Self, Error> {
        match (policy, self.warnings.first()) {
            (UnboundedWebhooks::Refuse, Some(warning)) => {
                Err(Error::UnboundedWebhook(warning.as_str().into()))
            }
            _ => Ok(self),
        }
    }

    pub(super) fn name(&self) -> &str {
        self.preset.name()
    }

    pub(super) fn webhooks(&self) -> &[PresetWebhook] {
        &self.webhooks
    }

    pub(super) fn authenticates(&self) -> bool {
        self.authenticates
    }

    /// Whether `registration` is one of a webhook that this one replaces.
    pub(super) fn is_former(&self, registration: &Registration<'_>) -> bool {
        self.former.iter().any(|webhook| webhook.is(registration))
    }

    /// Warnings for the caller.
    pub(super) fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

// === impl PresetWebhook ===

impl PresetWebhook {
    /// The same webhook with a filter that bounds its deliveries, if there is one.
    fn bounded(&self, limit: JobLimit) -> Option<Self> {
        let bounding = self.shape.bounding_filter(limit)?;
        let event_filter = match self.filter() {
            Some(own) => own.and(&bounding, self.shape),
            None => bounding,
        };
        Some(Self {
            event_filter: Some(event_filter),
            ..self.clone()
        })
    }

    /// The same webhook as earlier versions registered it.
    fn former(&self) -> Self {
        let calendar = || {
            EventFilter::parse(FORMER_CALENDAR, self.shape)
                .ok()
                .flatten()
        };
        Self {
            event_filter: self.event_filter.clone().or_else(calendar),
            ..self.clone()
        }
    }

    /// Whether both are the same to the server.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let text = |it: &Self| it.filter().map_or("null", EventFilter::as_str).to_owned();
        self.event == other.event && is_same_filter(&text(self), &text(other))
    }
}

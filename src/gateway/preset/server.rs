//! A preset as registered at one server, with filters that exclude deliveries too large for it
//! (docs/API.md, section 4.9).

use std::sync::Arc;

use super::registration::is_same_filter;
use super::{PresetWebhook, WebhookPreset};
use crate::gateway::{Error, UnboundedWebhooks};
use crate::groupware::{EventFilter, JobLimit};

/// The filter with which earlier versions registered `calendar`.
const FORMER_CALENDAR: &str = r#"{"event.objectData.calendardata": "/\\A.{0,1000}\\z/s"}"#;

/// A preset at one server.
#[derive(Debug)]
pub(in crate::gateway) struct PresetAtServer {
    preset: Arc<WebhookPreset>,
    webhooks: Vec<PresetWebhook>,
    /// What an earlier version would have registered instead, or this one at another version of the server.
    pub(super) outdated: Vec<PresetWebhook>,
    warnings: Vec<String>,
}

// === impl PresetAtServer ===

impl PresetAtServer {
    /// Of a built-in preset, webhooks that no filter can bound are left out. An operator's own preset is
    /// registered as written, with a warning for each webhook that is not bounded.
    pub(in crate::gateway) fn new(preset: &Arc<WebhookPreset>, limit: JobLimit) -> Self {
        let own = preset.webhooks();
        if !preset.is_built_in() {
            let unbounded = own
                .iter()
                .filter_map(|it| it.shape.unbounded(it.filter(), limit));
            return Self {
                preset: preset.clone(),
                webhooks: own.to_vec(),
                outdated: Vec::new(),
                warnings: unbounded.map(|unbounded| unbounded.to_string()).collect(),
            };
        }
        let bounded = |limit| own.iter().filter_map(move |webhook| webhook.bounded(limit));
        let webhooks: Vec<_> = bounded(limit).collect();
        let outdated = JobLimit::ALL.into_iter().flat_map(bounded);
        let outdated = outdated.chain(own.iter().map(PresetWebhook::former));
        let outdated = outdated.filter(|it| !webhooks.iter().any(|current| current.is_same(it)));
        Self {
            preset: preset.clone(),
            outdated: outdated.collect(),
            webhooks,
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

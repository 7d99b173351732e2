//! A preset as it is registered at one server: with filters that let no delivery through that is too large
//! there (docs/API.md, section 4.9).

use std::sync::Arc;

use super::registration::is_same_filter;
use super::{PresetWebhook, WebhookPreset};
use crate::gateway::{Error, UnboundedWebhooks};
use crate::groupware::{EventFilter, JobLimit};

/// What `calendar` was registered with by earlier versions.
const FORMER_CALENDAR: &str = r#"{"event.objectData.calendardata": "/\\A.{0,1000}\\z/s"}"#;

/// A preset at one server.
#[derive(Debug)]
pub(in crate::gateway) struct PresetAtServer {
    preset: Arc<WebhookPreset>,
    webhooks: Vec<PresetWebhook>,
    /// What an earlier version, or one for another server, would have registered in their place.
    pub(super) outdated: Vec<PresetWebhook>,
    warnings: Vec<String>,
}

// === impl PresetAtServer ===

impl PresetAtServer {
    /// Of those that are built in, a webhook that no filter bounds is left out. An operator's own are as they were
    /// written, with a warning where nothing bounds them.
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

    /// Fails if something of it is not bounded and is to be refused then.
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

    /// What a caller should know of it.
    pub(super) fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

// === impl PresetWebhook ===

impl PresetWebhook {
    /// With a filter that bounds its deliveries, if there is one.
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

    /// As earlier versions registered it.
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

    /// Whether both are the same at the server.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let text = |it: &Self| it.filter().map_or("null", EventFilter::as_str).to_owned();
        self.event == other.event && is_same_filter(&text(self), &text(other))
    }
}

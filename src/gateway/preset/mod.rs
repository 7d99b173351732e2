//! Presets: named lists of webhooks that are registered together, at one delivery address (docs/API.md, section 4.6).

mod definition;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde::Serialize;
use serde_json::Value;

pub use definition::PresetError;

use crate::groupware::{EventClasses, EventFilter, EventShape, JobLimit};

/// The built-in presets, each of which an operator can replace.
const BUILT_IN: &str = include_str!("built_in.json");

/// A built-in preset, and the one with all of its events.
const COVERED: (&str, &str) = ("notes", "files");

/// The presets by name: the built-in ones, and an operator's own.
///
/// ```
/// use portreeve::gateway::WebhookPresets;
/// use portreeve::groupware::EventClasses;
///
/// let own = r#"{"reports": {"webhooks": [{
///     "event": "OCP\\Files\\Events\\Node\\NodeCreatedEvent",
///     "event_filter": {"event.node.path": "/\\/Reports\\//"}
/// }]}}"#;
/// let presets = WebhookPresets::with(own, &EventClasses::default())?;
/// let names: Vec<_> = presets.iter().map(|preset| &*preset.name).collect();
/// assert_eq!(names, ["calendar", "files", "notes", "reports", "tags"]);
///
/// // A filter that would break uploads is refused.
/// let own = own.replace(r#""/\\/Reports\\//""#, r#"{"$in": "x"}"#);
/// let error = WebhookPresets::with(&own, &EventClasses::default()).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "preset reports: webhooks[0]: event_filter: event.node.path.$in: must be a list"
/// );
/// # Ok::<(), portreeve::gateway::PresetError>(())
/// ```
#[derive(Clone, Debug)]
pub struct WebhookPresets(Arc<BTreeMap<Box<str>, Arc<WebhookPreset>>>);

/// A named list of webhooks.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct WebhookPreset {
    /// The name: 1 to 64 of `a-z`, `0-9`, `-` and `_`, the first one a letter or a digit.
    pub name: Box<str>,
    /// A description of its purpose; may be empty.
    pub description: Box<str>,
    /// Whether it is built in.
    pub built_in: bool,
    /// The webhooks: 1 to [`MAX_WEBHOOKS`](Self::MAX_WEBHOOKS), all different.
    pub webhooks: Box<[PresetWebhook]>,
}

/// A webhook of a preset: which events are delivered.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PresetWebhook {
    /// The full name of the event class, without a leading backslash.
    pub event: Box<str>,
    /// Which events are delivered, as defined; all of them without a filter. A built-in webhook is registered with a
    /// filter that also bounds the size of its deliveries (docs/API.md, section 4.9).
    pub event_filter: Option<EventFilter>,
    #[serde(skip)]
    stored_filter: Value,
    #[serde(skip)]
    shape: EventShape,
}

// === impl WebhookPresets ===

impl WebhookPresets {
    /// The maximum number of presets besides the built-in ones.
    pub const MAX: usize = 64;

    /// The built-in presets and those that `json` defines, which replace built-in ones of the same name. It is an
    /// object of presets by name, like the setting `webhook_presets` (docs/CONFIGURATION.md, "Presets"). Filters are
    /// checked against `classes`.
    ///
    /// # Errors
    /// JSON of a different form, a name that is not allowed in a path, or a harmful filter.
    pub fn with(json: &str, classes: &EventClasses) -> Result<Self, PresetError> {
        let mut presets = (*Self::default().0).clone();
        presets.extend(definition::read(json, false, classes)?);
        Ok(Self(Arc::new(presets)))
    }

    /// All of them, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &WebhookPreset> {
        self.0.values().map(|preset| &**preset)
    }

    /// The preset whose events are all among those of `preset`, and the one that has all of its events.
    pub(super) fn beside(
        &self,
        preset: &WebhookPreset,
    ) -> (Option<&Arc<WebhookPreset>>, Option<&Arc<WebhookPreset>>) {
        let (narrower, wider) = COVERED;
        let beside = |name: &str, own: &str| {
            let other = self.get(name).filter(|_| *preset.name == *own);
            other.filter(|other| other.built_in && preset.built_in)
        };
        (beside(narrower, wider), beside(wider, narrower))
    }

    /// The preset with this name.
    pub fn get(&self, name: &str) -> Option<&Arc<WebhookPreset>> {
        self.0.get(name)
    }
}

impl Default for WebhookPresets {
    /// The built-in presets.
    fn default() -> Self {
        static PRESETS: LazyLock<WebhookPresets> = LazyLock::new(|| {
            let read = definition::read(BUILT_IN, true, &EventClasses::default());
            let presets = read.expect("a test reads them");
            WebhookPresets(Arc::new(presets))
        });
        PRESETS.clone()
    }
}

// === impl WebhookPreset ===

impl WebhookPreset {
    /// The maximum number of webhooks of one preset.
    pub const MAX_WEBHOOKS: usize = 16;
}

// === impl PresetWebhook ===

impl PresetWebhook {
    fn new(event: Box<str>, event_filter: Option<EventFilter>, shape: EventShape) -> Self {
        let written = event_filter.as_ref().map_or("{}", EventFilter::as_str);
        let filter = serde_json::from_str(written).expect("a filter is JSON");
        Self { stored_filter: as_stored(filter), event, event_filter, shape }
    }

    pub(super) fn stored_filter(&self) -> &Value {
        &self.stored_filter
    }

    /// A warning if its deliveries can exceed `limit`.
    pub(super) fn warning(&self, limit: JobLimit) -> Option<String> {
        let unbounded = self.shape.unbounded(self.event_filter.as_ref(), limit);
        unbounded.map(|unbounded| unbounded.to_string())
    }

    /// The same webhook with a filter that bounds its deliveries, if there is one.
    pub(super) fn bounded(&self, limit: JobLimit) -> Option<Self> {
        let bounding = self.shape.bounding_filter(limit)?;
        let filter = match &self.event_filter {
            Some(own) => own.and(&bounding, self.shape),
            None => bounding,
        };
        Some(Self::new(self.event.clone(), Some(filter), self.shape))
    }
}

/// A filter as PHP, and so the server, represents it: numbers may differ, and a list has the keys 0, 1, …
pub(super) fn as_stored(filter: Value) -> Value {
    match filter {
        Value::Number(number) => number.as_f64().into(),
        Value::Array(list) => {
            let keys = (0_usize..).map(|key| key.to_string());
            keys.zip(list.into_iter().map(as_stored)).collect()
        }
        Value::Object(members) => {
            members.into_iter().map(|(key, value)| (key, as_stored(value))).collect()
        }
        other => other,
    }
}

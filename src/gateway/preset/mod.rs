//! Presets: named lists of webhooks that are registered together, at one delivery address (docs/API.md,
//! section 4.6).

mod calls;
mod converge;
mod definition;
mod registration;
mod show;
mod status;
mod target;
mod work;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde::Serialize;

pub(super) use calls::Calls;
pub(super) use converge::{Goal, converge};
pub use definition::{PresetError, PresetFault};
use registration::Registration;
pub(super) use show::{catalogue, show};
pub(super) use target::PresetTarget;
pub(super) use work::PresetWork;

use crate::groupware::{EventClasses, EventFilter, EventShape};

/// The built-in presets, each of which an operator can replace.
const BUILT_IN: &str = include_str!("built_in.json");

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
/// let names: Vec<_> = presets.iter().map(|preset| preset.name()).collect();
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
pub struct WebhookPreset {
    name: Box<str>,
    description: Box<str>,
    built_in: bool,
    webhooks: Box<[PresetWebhook]>,
}

/// A webhook of a preset: which events are delivered.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PresetWebhook {
    event: Box<str>,
    event_filter: Option<EventFilter>,
    #[serde(skip)]
    shape: EventShape,
}

// === impl WebhookPresets ===

impl WebhookPresets {
    /// The maximum number of presets besides the built-in ones.
    pub const MAX: usize = 64;

    /// The built-in presets.
    pub fn built_in() -> Self {
        static PRESETS: LazyLock<WebhookPresets> = LazyLock::new(|| {
            let read = definition::read(BUILT_IN, true, &EventClasses::default());
            let presets = read.expect("a test reads them");
            WebhookPresets(Arc::new(presets))
        });
        PRESETS.clone()
    }

    /// The built-in presets and those that `json` defines, which replace built-in ones of the same name. It
    /// is an object of presets by name, like the setting `webhook_presets`
    /// (docs/CONFIGURATION.md, "Presets"). Filters are checked against
    /// `classes`.
    ///
    /// # Errors
    /// JSON of a different form, a name that is not allowed in a path, or a harmful filter.
    pub fn with(json: &str, classes: &EventClasses) -> Result<Self, PresetError> {
        let mut presets = (*Self::built_in().0).clone();
        presets.extend(definition::read(json, false, classes)?);
        Ok(Self(Arc::new(presets)))
    }

    /// All of them, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &WebhookPreset> {
        self.0.values().map(|preset| &**preset)
    }

    /// The preset with this name.
    pub fn get(&self, name: &str) -> Option<&Arc<WebhookPreset>> {
        self.0.get(name)
    }
}

impl Default for WebhookPresets {
    fn default() -> Self {
        Self::built_in()
    }
}

// === impl WebhookPreset ===

impl WebhookPreset {
    /// The maximum number of webhooks of one preset.
    pub const MAX_WEBHOOKS: usize = 16;

    /// The name: 1 to 64 of `a-z`, `0-9`, `-` and `_`, the first one a letter or a digit.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A description of its purpose; may be empty.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Whether it is built in.
    pub fn is_built_in(&self) -> bool {
        self.built_in
    }

    /// The webhooks: 1 to [`MAX_WEBHOOKS`](Self::MAX_WEBHOOKS), all different.
    pub fn webhooks(&self) -> &[PresetWebhook] {
        &self.webhooks
    }
}

// === impl PresetWebhook ===

impl PresetWebhook {
    /// The full name of the event class, without a leading backslash.
    pub fn event(&self) -> &str {
        &self.event
    }

    /// Which events are delivered, as defined; all of them without a filter. A built-in webhook is registered
    /// with a filter that also bounds the size of its deliveries (docs/API.md, section
    /// 4.9).
    pub fn filter(&self) -> Option<&EventFilter> {
        self.event_filter.as_ref()
    }
}

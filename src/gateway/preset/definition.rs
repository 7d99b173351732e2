//! How presets are written: JSON, checked whole before any of it counts.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::{PresetWebhook, WebhookPreset, WebhookPresets};
use crate::groupware::{EventClasses, EventFilter, is_class_name};

/// Bytes of the longest name.
const MAX_NAME: usize = 64;
/// Characters of the longest description.
const MAX_DESCRIPTION: usize = 500;
/// Characters of a name that an error shows.
const MAX_SHOWN: usize = 80;

/// A preset that cannot be used: which one, where in it, and why.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PresetError(String);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Definition {
    #[serde(default)]
    description: String,
    webhooks: Vec<Box<RawValue>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WebhookDefinition {
    event: String,
    #[serde(default, alias = "eventFilter")]
    event_filter: Option<Box<RawValue>>,
}

pub(super) fn read(
    json: &str,
    built_in: bool,
    classes: &EventClasses,
) -> Result<BTreeMap<Box<str>, Arc<WebhookPreset>>, PresetError> {
    let written: BTreeMap<String, Box<RawValue>> = parse("", json)?;
    if written.len() > WebhookPresets::MAX {
        return Err(fault(
            "",
            format_args!("at most {} presets are possible", WebhookPresets::MAX),
        ));
    }
    let read = |(name, json): (String, Box<RawValue>)| {
        let preset = preset(&name, &json, built_in, classes)?;
        Ok((name.into(), Arc::new(preset)))
    };
    written.into_iter().map(read).collect()
}

fn preset(
    name: &str,
    json: &RawValue,
    built_in: bool,
    classes: &EventClasses,
) -> Result<WebhookPreset, PresetError> {
    let shown: String = name.chars().take(MAX_SHOWN).collect();
    let place = format!("preset {}: ", shown.escape_debug());
    if !is_name(name) {
        let rule = format_args!(
            "the name must have 1 to {MAX_NAME} of a-z, 0-9, - and _, begin with a letter or a digit, and not be a number"
        );
        return Err(fault(&place, rule));
    }
    let definition: Definition = parse(&place, json.get())?;
    let description = definition.description;
    if description.chars().count() > MAX_DESCRIPTION || description.contains(char::is_control) {
        let rule =
            format_args!("must have at most {MAX_DESCRIPTION} characters and no control character");
        return Err(fault(&(place + "description: "), rule));
    }
    let count = definition.webhooks.len();
    if !(1..=WebhookPreset::MAX_WEBHOOKS).contains(&count) {
        let rule = format_args!("must be a list of 1 to {} webhooks", WebhookPreset::MAX_WEBHOOKS);
        return Err(fault(&(place + "webhooks: "), rule));
    }
    let mut webhooks: Vec<PresetWebhook> = Vec::with_capacity(count);
    for (at, json) in definition.webhooks.iter().enumerate() {
        let place = format!("{place}webhooks[{at}]: ");
        let webhook = webhook(&place, json, classes)?;
        let is_same = |earlier: &PresetWebhook| {
            earlier.event == webhook.event && earlier.stored_filter == webhook.stored_filter
        };
        if webhooks.iter().any(is_same) {
            return Err(fault(&place, "is the same as an earlier one"));
        }
        webhooks.push(webhook);
    }
    Ok(WebhookPreset {
        name: name.into(),
        description: description.into(),
        built_in,
        webhooks: webhooks.into(),
    })
}

fn webhook(
    place: &str,
    json: &RawValue,
    classes: &EventClasses,
) -> Result<PresetWebhook, PresetError> {
    let written: WebhookDefinition = parse(place, json.get())?;
    let event = written.event.trim_start_matches('\\');
    if !is_class_name(event) {
        let rule =
            r"must be the name of an event class, such as OCP\Files\Events\Node\NodeCreatedEvent";
        return Err(fault(&format!("{place}event: "), rule));
    }
    let shape = classes.shape(event);
    let filter =
        written.event_filter.map_or(Ok(None), |filter| EventFilter::parse(filter.get(), shape));
    let harmful = |found| fault(&format!("{place}event_filter: "), found);
    let filter = filter.map_err(harmful)?;
    Ok(PresetWebhook::new(event.into(), filter, shape))
}

/// `place` is such as `preset p: webhooks[0]: event: `; empty for all of them together.
fn fault(place: &str, problem: impl Display) -> PresetError {
    PresetError(format!("{place}{problem}"))
}

fn parse<T: DeserializeOwned>(place: &str, json: &str) -> Result<T, PresetError> {
    // serde would read a list as the members in their order.
    if !json.trim_ascii_start().starts_with('{') {
        return Err(fault(place, "must be a table, or an object of JSON"));
    }
    serde_json::from_str(json).map_err(|error| {
        // Whoever wrote TOML has no use for a line and a column of JSON.
        let text = error.to_string();
        fault(place, text.split(" at line ").next().unwrap_or_default())
    })
}

fn is_name(name: &str) -> bool {
    let is_alphanumeric = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    name.len() <= MAX_NAME
        && name.bytes().next().is_some_and(is_alphanumeric)
        // Registrations are noted under numbers, beside presets under their names.
        && !name.bytes().all(|byte| byte.is_ascii_digit())
        && name.bytes().all(|byte| is_alphanumeric(byte) || matches!(byte, b'-' | b'_'))
}

//! The presets, and where they are registered.

use serde::Serialize;

use super::calls::Calls;
use super::placed::{Placed, State};
use super::{PresetAtServer, WebhookPreset, WebhookPresets};
use crate::gateway::Error;

/// All presets, as JSON.
pub(in crate::gateway) fn catalogue(presets: &WebhookPresets) -> Result<Vec<u8>, Error> {
    #[derive(Serialize)]
    struct Catalogue<'p> {
        presets: Vec<&'p WebhookPreset>,
    }

    to_json(&Catalogue {
        presets: presets.iter().collect(),
    })
}

/// Where a preset is registered, as JSON: at `uri`, or at each address that has one of its webhooks.
pub(in crate::gateway) async fn show(
    calls: &Calls,
    preset: &PresetAtServer,
    uri: Option<&str>,
) -> Result<Vec<u8>, Error> {
    #[derive(Serialize)]
    struct Shown<'p> {
        preset: &'p str,
        state: State,
        addresses: Vec<Placed<'p>>,
    }

    let listing = calls.list().await?;
    let listed = listing.registrations()?;
    let authenticated = calls.authenticates();
    let addresses = match uri {
        Some(uri) => vec![preset.at(uri, &listed, authenticated)],
        None => preset.everywhere(&listed, authenticated),
    };
    let states = addresses.iter().map(Placed::state);
    to_json(&Shown {
        preset: preset.name(),
        state: states.max().unwrap_or(State::Disabled),
        addresses,
    })
}

pub(super) fn to_json(answer: &impl Serialize) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(answer).map_err(|error| Error::Other(error.into()))
}

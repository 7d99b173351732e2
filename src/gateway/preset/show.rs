//! The presets, and where they are registered.

use bytes::Bytes;
use serde::Serialize;

use super::calls::Calls;
use super::status::{PresetStatus, State};
use super::{PresetTarget, WebhookPreset, WebhookPresets};
use crate::gateway::Error;
use crate::gateway::endpoint::answer::serialize;

/// All presets, as JSON.
pub(in crate::gateway) fn catalogue(presets: &WebhookPresets) -> Bytes {
    #[derive(Serialize)]
    struct Catalogue<'p> {
        presets: Vec<&'p WebhookPreset>,
    }

    serialize(&Catalogue {
        presets: presets.iter().collect(),
    })
}

/// Where a preset is registered, as JSON: at `uri`, or at each address that has one of its webhooks.
pub(in crate::gateway) async fn show(
    calls: &Calls,
    target: &PresetTarget,
    uri: Option<&str>,
) -> Result<Bytes, Error> {
    #[derive(Serialize)]
    struct Shown<'p> {
        preset: &'p str,
        state: State,
        addresses: Vec<Address<'p>>,
    }

    #[derive(Serialize)]
    struct Address<'p> {
        uri: &'p str,
        #[serde(flatten)]
        status: PresetStatus<'p>,
    }

    let listing = calls.list(uri).await?;
    let listed = listing.registrations()?;
    let uris = match uri {
        Some(uri) => [uri].into(),
        None => target.addresses(&listed),
    };
    let address = |uri| Address {
        uri,
        status: target.status_at(uri, &listed),
    };
    let addresses: Vec<_> = uris.into_iter().map(address).collect();
    let states = addresses.iter().map(|address| address.status.state());
    Ok(serialize(&Shown {
        preset: target.name(),
        state: states.max().unwrap_or(State::Disabled),
        addresses,
    }))
}

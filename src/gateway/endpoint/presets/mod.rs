//! The presets of webhooks (docs/API.md, section 4.6).
//!
//! A preset is several webhooks, and each call about one of them is made as if the caller had asked for that: with the
//! stored password, if it may be tried.

mod calls;
mod converge;
mod registration;
mod status;
mod target;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use super::answer::{self, Answer, member, serialize};
use super::services::Services;
use crate::gateway::input::PresetInput;
use crate::gateway::layer::decode::RequestContext;
use crate::gateway::{Error, UnboundedWebhooks, WebhookPreset};
use crate::groupware::{JobLimit, notes};
use registration::Registration;
use status::{PresetStatus, State};
use target::PresetTarget;

struct PresetRequest {
    services: Arc<Services>,
    context: RequestContext,
    target: PresetTarget,
    limit: JobLimit,
}

pub(super) async fn answer(
    services: Arc<Services>,
    context: RequestContext,
    input: PresetInput,
) -> Result<Answer, Error> {
    let (preset, uri, goal) = match input {
        PresetInput::List => {
            let presets: Vec<_> = services.presets.iter().collect();
            return Ok(member("presets", &serialize(&presets)));
        }
        PresetInput::Show { preset, uri } => {
            let uri = uri.map(|uri| services.address(uri)).transpose()?;
            let request = PresetRequest::new(services, context, &preset).await?;
            return request.show(uri.as_deref()).await;
        }
        PresetInput::Enable { preset, uri } => (preset, uri, State::Enabled),
        PresetInput::Disable { preset, uri } => (preset, uri, State::Disabled),
    };
    let uri = services.address(uri)?;
    let request = PresetRequest::new(services.clone(), context, &preset).await?;
    let warning = request.target.warnings.first();
    if let (State::Enabled, UnboundedWebhooks::Refuse, Some(warning)) =
        (goal, services.unbounded, warning)
    {
        return Err(Error::UnboundedWebhook(warning.as_str().into()));
    }
    // Two at once would each register what both find missing. A caller waits for one of each other one, who may be anybody.
    let own = format!("presets of\n{}\n{uri}", request.context.principal.key());
    let own = services.delivery_turns.lock(&own).await;
    let turns = (own, services.preset_addresses.lock(&uri).await);
    notes::record_change(true);
    let work = services.logins.run_to_end(async move {
        let _turns = turns;
        request.converge(&uri, goal).await
    });
    work.or_if_abandoned(|result| {
        if let Err(error) = result {
            tracing::warn!(%error, "a preset of webhooks, for a caller who has gone");
        }
    })
    .await
}

// === impl PresetRequest ===

impl PresetRequest {
    async fn new(
        services: Arc<Services>,
        context: RequestContext,
        preset: &str,
    ) -> Result<Self, Error> {
        let preset = services.presets.get(preset).cloned().ok_or(Error::UnknownPreset)?;
        let limit = match &services.groupware {
            Some(groupware) => groupware.job_limit().await,
            None => JobLimit::default(),
        };
        let target = PresetTarget::new(&preset, limit, services.delivery.is_some());
        Ok(Self { services, context, target, limit })
    }

    fn of(&self, preset: &Arc<WebhookPreset>) -> Self {
        let (services, context) = (self.services.clone(), self.context.clone());
        let target = PresetTarget::new(preset, self.limit, self.target.authenticates);
        Self { services, context, target, limit: self.limit }
    }

    fn in_place_of(self, other: &Self) -> Self {
        Self { target: self.target.in_place_of(&other.target), ..self }
    }

    /// The name and state of the preset that brings this one's events to the own address.
    async fn wider(&self, registrations: &[Registration]) -> Result<Option<(&str, State)>, Error> {
        let (_, wider) = self.services.presets.beside(&self.target.preset);
        let (Some(wider), Some(own)) = (wider, &self.services.own_address) else {
            return Ok(None);
        };
        let status = self.of(wider).target.status_at(own, registrations).state;
        let wanted = self.services.logins.vault().registered().await?;
        let is_wanted = wanted.contains_key(&*self.target.preset.name);
        Ok((status != State::Disabled && is_wanted).then_some((&*wider.name, status)))
    }

    /// Shows where the preset is registered: at `uri`, or at each address that has one of its webhooks.
    async fn show(&self, uri: Option<&str>) -> Result<Answer, Error> {
        #[derive(Serialize)]
        struct Shown<'a> {
            preset: &'a str,
            state: State,
            addresses: Vec<Address<'a>>,
        }

        #[derive(Serialize)]
        struct Address<'a> {
            uri: &'a str,
            #[serde(flatten)]
            status: PresetStatus<'a>,
        }

        let registrations = self.registrations(uri).await?;
        let wider = self.wider(&registrations).await?;
        let preset = &self.target.preset;
        let (narrower, _) = self.services.presets.beside(preset);
        let covering = narrower.map(|it| self.of(preset).in_place_of(&self.of(it)));
        let own = covering.as_ref().map_or(&self.target, |it| &it.target);
        let uris: BTreeSet<_> = match uri {
            Some(uri) => [uri].into(),
            None => {
                let ours = registrations.iter().filter(|it| self.target.includes(it));
                let uris = ours.map(|registration| &*registration.uri);
                let covered = self.services.own_address.as_deref().filter(|_| wider.is_some());
                uris.chain(covered).collect()
            }
        };
        let address = |uri| {
            let target = if self.is_own(uri) { own } else { &self.target };
            let mut status = target.status_at(uri, &registrations);
            if let Some((wider, state)) = wider.filter(|_| self.is_own(uri)) {
                status = status.covered_by(wider, state);
            }
            Address { uri, status }
        };
        let addresses: Vec<_> = uris.into_iter().map(address).collect();
        let states = addresses.iter().map(|address| address.status.state);
        Ok(answer::to_json(&Shown {
            preset: &self.target.preset.name,
            state: states.max().unwrap_or(State::Disabled),
            addresses,
        }))
    }
}

// === impl Services ===

impl Services {
    /// The address that `uri` stands for.
    fn address(&self, uri: String) -> Result<String, Error> {
        match uri.as_str() {
            "self" => self.own_address.clone().ok_or(Error::NoOwnAddress),
            _ => Ok(uri),
        }
    }
}

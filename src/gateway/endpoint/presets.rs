//! The presets of webhooks (docs/API.md, section 4.6).
//!
//! A preset is several webhooks, and each call about one of them is made as if the caller had asked for that: with the
//! stored password, if it may be tried.

use std::sync::Arc;

use super::answer::{Answer, json};
use super::services::Services;
use crate::gateway::Error;
use crate::gateway::input::PresetInput;
use crate::gateway::layer::decode::RequestContext;
use crate::gateway::preset::{Calls, Goal, PresetTarget, catalogue, converge, show};
use crate::groupware::JobLimit;

/// Answers a request about presets.
pub(super) async fn answer(
    services: Arc<Services>,
    context: RequestContext,
    input: PresetInput,
) -> Result<Answer, Error> {
    let calls = Calls {
        groupware: services.groupware.clone(),
        logins: services.logins.clone(),
        delivery: services.delivery.clone(),
        context,
    };
    let (target, uri, goal) = match input {
        PresetInput::List => return Ok(json(catalogue(&services.presets))),
        PresetInput::Show { preset, uri } => {
            let uri = uri.map(|uri| services.address(uri)).transpose()?;
            let target = services.target(&preset).await?;
            return show(&calls, &target, uri.as_deref()).await.map(json);
        }
        PresetInput::Enable { preset, uri } => {
            let uri = services.address(uri)?;
            let target = services.target(&preset).await?;
            (target.allowed(services.unbounded)?, uri, Goal::Enabled)
        }
        PresetInput::Disable { preset, uri } => {
            let uri = services.address(uri)?;
            (services.target(&preset).await?, uri, Goal::Disabled)
        }
    };
    let address = uri.clone();
    // Boxed: with several calls in it, it is large.
    let work = Box::pin(async move { converge(&calls, &target, &uri, goal).await });
    services.preset_work.run(&address, work).await.map(json)
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

    /// The preset as it is to be registered at the server.
    async fn target(&self, name: &str) -> Result<PresetTarget, Error> {
        let preset = self.presets.get(name).ok_or(Error::UnknownPreset)?;
        let limit = match &self.groupware {
            Some(groupware) => groupware.job_limit().await,
            None => JobLimit::default(),
        };
        Ok(PresetTarget::new(preset, limit, self.delivery.is_some()))
    }
}

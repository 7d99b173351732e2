//! The presets of webhooks (docs/API.md, section 4.6).

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::Response;
use http_body_util::Full;
use tower::Service;

use super::answer::json;
use crate::gateway::input::PresetInput;
use crate::gateway::layer::decode::Decoded;
use crate::gateway::preset::{Calls, Goal, PresetTarget, PresetWork, catalogue, converge, show};
use crate::gateway::{Error, Logins, UnboundedWebhooks, WebhookPresets};
use crate::groupware::{DeliveryAuth, Groupware, JobLimit};

/// The endpoints of [docs/API.md](crate::docs::api), section 4.6.
///
/// A preset is several webhooks, and each call about one of them is made as if the caller had asked
/// for that: with the stored password, if it may be tried.
#[derive(Clone, Debug)]
pub struct PresetEndpoints {
    presets: WebhookPresets,
    groupware: Option<Groupware>,
    logins: Logins,
    delivery: Option<Arc<DeliveryAuth>>,
    unbounded: UnboundedWebhooks,
    work: PresetWork,
}

// === impl PresetEndpoints ===

impl PresetEndpoints {
    /// The webhooks of `presets` are registered at `groupware`, with credentials of `logins`. Without a
    /// server every call ends in the 500 case ([docs/API.md](crate::docs::api), section 6.2).
    pub fn new(presets: WebhookPresets, groupware: Option<Groupware>, logins: Logins) -> Self {
        Self {
            presets,
            groupware,
            logins,
            delivery: None,
            unbounded: UnboundedWebhooks::default(),
            work: PresetWork::default(),
        }
    }

    /// How deliveries are authenticated ([docs/API.md](crate::docs::api), section 4.5); by default they are
    /// not. A registration whose deliveries are authenticated in another way is outdated.
    #[must_use]
    pub fn delivery(mut self, auth: Option<DeliveryAuth>) -> Self {
        self.delivery = auth.map(Arc::new);
        self
    }

    /// What becomes of webhooks whose deliveries can be too large; by default they are created. Those of
    /// presets that are built in never can.
    #[must_use]
    pub fn unbounded(mut self, policy: UnboundedWebhooks) -> Self {
        self.unbounded = policy;
        self
    }

    /// Shares what is under way with other services.
    pub(in crate::gateway) fn work(mut self, work: PresetWork) -> Self {
        self.work = work;
        self
    }

    async fn answer(&self, calls: Calls, input: PresetInput) -> Result<Vec<u8>, Error> {
        let (target, uri, goal) = match input {
            PresetInput::List => return catalogue(&self.presets),
            PresetInput::Show { preset, uri } => {
                let target = self.target(&preset).await?;
                return show(&calls, &target, uri.as_deref()).await;
            }
            PresetInput::Enable { preset, uri } => {
                let target = self.target(&preset).await?;
                (target.allowed(self.unbounded)?, uri, Goal::Enabled)
            }
            PresetInput::Disable { preset, uri } => {
                (self.target(&preset).await?, uri, Goal::Disabled)
            }
        };
        let address = uri.clone();
        // Boxed: with several calls in it, it is large.
        let work = Box::pin(async move { converge(&calls, &target, &uri, goal).await });
        self.work.run(&address, work).await
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

impl Service<Decoded<PresetInput>> for PresetEndpoints {
    type Response = Response<Full<Bytes>>;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, decoded: Decoded<PresetInput>) -> Self::Future {
        let (context, input) = decoded.into_parts();
        let calls = Calls {
            groupware: self.groupware.clone(),
            logins: self.logins.clone(),
            delivery: self.delivery.clone(),
            context,
        };
        let endpoints = self.clone();
        Box::pin(async move { endpoints.answer(calls, input).await.map(json) })
    }
}

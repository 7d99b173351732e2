//! The presets of webhooks (docs/API.md, section 4.6).

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::Response;
use http_body_util::Full;
use tower::Service;

use super::answer::json;
use crate::gateway::input::PresetInput;
use crate::gateway::layer::decode::Decoded;
use crate::gateway::preset::{
    Calls, PresetAtServer, PresetWork, Times, Wanted, catalogue, disable, enable, show,
};
use crate::gateway::{Error, Limits, Logins, UnboundedWebhooks, WebhookPresets};
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
    request_timeout: Duration,
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
            request_timeout: Limits::default().request_timeout,
            work: PresetWork::default(),
        }
    }

    /// How deliveries are authenticated ([docs/API.md](crate::docs::api), section 4.5); by default they are
    /// not. A webhook whose deliveries are authenticated in another way is not the preset's.
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

    /// When a layer above cuts a request: enabling and disabling end before. 60 seconds by default.
    #[must_use]
    pub fn request_timeout(mut self, time: Duration) -> Self {
        self.request_timeout = time;
        self
    }

    /// Shares what is under way with other services.
    pub(in crate::gateway) fn work(mut self, work: PresetWork) -> Self {
        self.work = work;
        self
    }

    async fn answer(
        &self,
        calls: Calls,
        input: PresetInput,
        times: Times,
    ) -> Result<Vec<u8>, Error> {
        let (wanted, enables) = match input {
            PresetInput::List => return catalogue(&self.presets),
            PresetInput::Show { preset, uri } => {
                let preset = self.at_server(&preset).await?;
                return show(&calls, &preset, uri.as_deref()).await;
            }
            PresetInput::Enable { preset, uri } => {
                let preset = self.at_server(&preset).await?.allowed(self.unbounded)?;
                (Wanted { preset, uri }, true)
            }
            PresetInput::Disable { preset, uri } => {
                let preset = self.at_server(&preset).await?;
                (Wanted { preset, uri }, false)
            }
        };
        let (user_id, uri) = (calls.user_id().to_owned(), wanted.uri.clone());
        // Boxed: with a call for each event class in it, it is large.
        let work = Box::pin(async move {
            let mut rest = None;
            let result = if enables {
                enable(&calls, &wanted, times, &mut rest).await
            } else {
                disable(&calls, &wanted, times, &mut rest).await
            };
            (result, rest.map(|rest| rest.carry_on_afterwards(calls)))
        });
        self.work.run((&user_id, &uri), times, work).await
    }

    /// The preset, with filters for what the server can queue.
    async fn at_server(&self, name: &str) -> Result<PresetAtServer, Error> {
        let preset = self.presets.get(name).ok_or(Error::UnknownPreset)?;
        let limit = match &self.groupware {
            Some(groupware) => groupware.job_limit().await,
            None => JobLimit::default(),
        };
        Ok(PresetAtServer::new(preset, limit))
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
        let times = Times::within(self.request_timeout);
        let calls = Calls {
            groupware: self.groupware.clone(),
            logins: self.logins.clone(),
            delivery: self.delivery.clone(),
            context,
        };
        let endpoints = self.clone();
        Box::pin(async move { endpoints.answer(calls, input, times).await.map(json) })
    }
}

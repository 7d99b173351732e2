//! Turns what is wanted with a preset of webhooks (docs/API.md, section 4.6) into calls of the plain
//! routes.
//!
//! A preset is several webhooks, and each call about one of them is a request of its own to the
//! service below, for the same caller: it needs a credential, spends a place if the login may be
//! refused, and is counted as if the caller had made it. All other requests pass through.
//!
//! ```
//! use bytes::Bytes;
//! use http::{Request, Response};
//! use http_body_util::{BodyExt as _, Full};
//! use portreeve::gateway::input::{CredentialInput, GroupwareInput};
//! use portreeve::gateway::layer::account::Authenticated;
//! use portreeve::gateway::layer::body_limit::BodyLimitLayer;
//! use portreeve::gateway::layer::decode::{DecodeLayer, Decoded};
//! use portreeve::gateway::layer::presets::PresetLayer;
//! use portreeve::gateway::layer::split::SplitLayer;
//! use portreeve::gateway::{ClientAddress, Error, User};
//! use tower::{ServiceBuilder, ServiceExt as _, service_fn};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let service = ServiceBuilder::new()
//!     .layer(BodyLimitLayer::new(1024))
//!     .map_request(|request| Authenticated::vouch(User::new("alice"), request))
//!     .layer(DecodeLayer::new(ClientAddress::withheld()))
//!     .layer(SplitLayer::new(service_fn(async |_: Decoded<CredentialInput>| {
//!         Err::<Response<Full<Bytes>>, _>(Error::UnknownPath)
//!     })))
//!     .layer(PresetLayer::default())
//!     .service(service_fn(async |decoded: Decoded<GroupwareInput>| {
//!         match decoded.into_parts() {
//!             (_, GroupwareInput::ListWebhooks) => Ok(Response::new(Full::from(r#"{"webhooks": []}"#))),
//!             _ => Err(Error::UnknownPath),
//!         }
//!     }));
//! let request = Request::get("/api/v1/webhook-presets/tags").body(Full::<Bytes>::default()).unwrap();
//! let answer = service.oneshot(request).await.unwrap().into_body().collect().await.unwrap();
//! assert_eq!(answer.to_bytes(), r#"{"preset":"tags","state":"disabled","addresses":[]}"#);
//! # }
//! ```

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::Response;
use http_body_util::Full;
use tower::{Layer, Service};

use super::decode::Decoded;
use crate::gateway::endpoint::answer::json;
use crate::gateway::input::{GroupwareInput, PresetInput};
use crate::gateway::preset::{
    Calls, PresetAtServer, PresetWork, Times, Wanted, catalogue, disable, enable, show,
};
use crate::gateway::{Error, Limits, UnboundedWebhooks, WebhookPreset, WebhookPresets};
use crate::groupware::{Groupware, JobLimit};

/// Makes [`PresetService`] services.
#[derive(Clone, Debug)]
pub struct PresetLayer {
    presets: WebhookPresets,
    authenticated: bool,
    groupware: Option<Groupware>,
    unbounded: UnboundedWebhooks,
    request_timeout: Duration,
    work: PresetWork,
}

/// See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct PresetService<S> {
    inner: S,
    layer: PresetLayer,
}

// === impl PresetLayer ===

impl PresetLayer {
    /// With these presets.
    pub fn new(presets: WebhookPresets) -> Self {
        Self {
            presets,
            authenticated: false,
            groupware: None,
            unbounded: UnboundedWebhooks::default(),
            request_timeout: Limits::default().request_timeout,
            work: PresetWork::default(),
        }
    }

    /// Whether webhooks are created with a credential (docs/API.md, section 4.5), so that one without
    /// it is not the preset's. By default they are not.
    #[must_use]
    pub fn authenticated(mut self, authenticated: bool) -> Self {
        self.authenticated = authenticated;
        self
    }

    /// The server, which is asked how large deliveries may be. Without one they may be as large as at any
    /// server.
    #[must_use]
    pub fn groupware(mut self, groupware: impl Into<Option<Groupware>>) -> Self {
        self.groupware = groupware.into();
        self
    }

    /// What becomes of webhooks whose deliveries can be larger; by default they are created. Those of
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

    fn preset(&self, name: &str) -> Result<&Arc<WebhookPreset>, Error> {
        self.presets.get(name).ok_or(Error::UnknownPreset)
    }

    async fn at_server(&self, name: &str) -> Result<PresetAtServer, Error> {
        let preset = self.preset(name)?;
        let limit = match &self.groupware {
            Some(groupware) => groupware.job_limit().await,
            None => JobLimit::default(),
        };
        Ok(PresetAtServer::new(preset, limit))
    }

    fn wanted(&self, preset: PresetAtServer, uri: String) -> Wanted {
        Wanted {
            preset,
            uri,
            authenticated: self.authenticated,
        }
    }
}

impl Default for PresetLayer {
    fn default() -> Self {
        Self::new(WebhookPresets::default())
    }
}

impl<S> Layer<S> for PresetLayer {
    type Service = PresetService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        PresetService {
            inner,
            layer: self.clone(),
        }
    }
}

// === impl PresetService ===

impl<S> Service<Decoded<GroupwareInput>> for PresetService<S>
where
    S: Service<Decoded<GroupwareInput>>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, decoded: Decoded<GroupwareInput>) -> Self::Future {
        self.inner.call(decoded)
    }
}

impl<S> Service<Decoded<PresetInput>> for PresetService<S>
where
    S: Service<
            Decoded<GroupwareInput>,
            Response = Response<Full<Bytes>>,
            Error = Error,
            Future: Send + 'static,
        > + Clone
        + Send
        + Sync
        + 'static,
{
    type Response = Response<Full<Bytes>>;
    type Error = Error;
    /// Boxed, since it waits for several calls.
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Error>> + Send>>;

    /// Each call waits for the service below itself.
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, decoded: Decoded<PresetInput>) -> Self::Future {
        let (context, input) = decoded.into_parts();
        let user_id: Box<str> = context.caller().user_id().into();
        let calls = Calls::new(self.inner.clone(), context);
        let layer = self.layer.clone();
        let times = Times::within(layer.request_timeout);
        Box::pin(async move {
            let body = match input {
                PresetInput::List => catalogue(&layer.presets)?,
                PresetInput::Show { preset, uri } => {
                    let preset = layer.at_server(&preset).await?;
                    show(&calls, &preset, uri.as_deref(), layer.authenticated).await?
                }
                PresetInput::Enable { preset, uri } => {
                    let preset = layer.at_server(&preset).await?;
                    let wanted = layer.wanted(preset.allowed(layer.unbounded)?, uri.clone());
                    let work = async move {
                        let mut rest = None;
                        let result = enable(&calls, &wanted, times, &mut rest).await;
                        (result, rest.map(|rest| rest.carry_on_afterwards(calls)))
                    };
                    layer.work.run((&user_id, &uri), times, work).await?
                }
                PresetInput::Disable { preset, uri } => {
                    let preset = layer.at_server(&preset).await?;
                    let wanted = layer.wanted(preset, uri.clone());
                    let work = async move {
                        let mut rest = None;
                        let result = disable(&calls, &wanted, times, &mut rest).await;
                        (result, rest.map(|rest| rest.carry_on_afterwards(calls)))
                    };
                    layer.work.run((&user_id, &uri), times, work).await?
                }
            };
            Ok(json(body))
        })
    }
}

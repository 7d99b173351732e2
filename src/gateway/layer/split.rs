//! Routes requests that need no opened credential past the provisioning layer, each kind to its own service.
//!
//! A caller who wants to store a password has none yet; a preset of webhooks takes several calls, and opens
//! the credential for each of them. Requests about events ([docs/API.md](crate::docs::api), sections 4.7 and
//! 4.8) are answered here. All others continue down the stack.
//!
//! ```
//! use bytes::Bytes;
//! use http::{Request, Response};
//! use http_body_util::{BodyExt as _, Full};
//! use portreeve::gateway::input::{CredentialInput, GroupwareInput, PresetInput};
//! use portreeve::gateway::layer::account::Authenticated;
//! use portreeve::gateway::layer::body_limit::BodyLimitLayer;
//! use portreeve::gateway::layer::decode::{DecodeLayer, Decoded};
//! use portreeve::gateway::layer::split::SplitLayer;
//! use portreeve::gateway::{ClientAddress, Error, User};
//! use tower::{ServiceBuilder, ServiceExt as _, service_fn};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let credentials = service_fn(async |_: Decoded<CredentialInput>| {
//!     Ok::<_, Error>(Response::new(Full::from("about a credential")))
//! });
//! let presets = service_fn(async |_: Decoded<PresetInput>| {
//!     Ok::<_, Error>(Response::new(Full::from("about a preset")))
//! });
//! let service = ServiceBuilder::new()
//!     .layer(BodyLimitLayer::new(1024))
//!     // In place of the bearer and the account layer.
//!     .map_request(|request| Authenticated::vouch(User::new("alice"), request))
//!     .layer(DecodeLayer::new(ClientAddress::withheld()))
//!     .layer(SplitLayer::new(credentials, presets))
//!     .service(service_fn(async |_: Decoded<GroupwareInput>| {
//!         Ok::<_, Error>(Response::new(Full::from("for the groupware server")))
//!     }));
//! let call = |path| service.clone().oneshot(Request::get(path).body(Full::<Bytes>::default()).unwrap());
//! let text = async |path| call(path).await.unwrap().into_body().collect().await.unwrap().to_bytes();
//!
//! assert_eq!(text("/api/v1/apps").await, "for the groupware server");
//! assert_eq!(text("/api/v1/background-sync/status").await, "about a credential");
//! assert_eq!(text("/api/v1/webhook-presets").await, "about a preset");
//! assert!(matches!(call("/elsewhere").await, Err(Error::UnknownPath)));
//! # }
//! ```

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::future::Either;
use http::Response;
use http_body_util::Full;
use tower::{Layer, Service};

use super::decode::Decoded;
use crate::gateway::endpoint::events;
use crate::gateway::input::{CredentialInput, GroupwareInput, Input, PresetInput};
use crate::groupware::Groupware;

/// Makes [`Split`] services.
#[derive(Clone, Debug)]
pub struct SplitLayer<C, P> {
    credentials: C,
    presets: P,
    groupware: Option<Groupware>,
}

/// See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct Split<S, C, P> {
    inner: S,
    layer: SplitLayer<C, P>,
}

// === impl SplitLayer ===

impl<C, P> SplitLayer<C, P> {
    /// Sends requests about credentials to `credentials`, and those about presets of webhooks to `presets`.
    pub fn new(credentials: C, presets: P) -> Self {
        Self {
            credentials,
            presets,
            groupware: None,
        }
    }

    /// What a filter would do is answered for this server, unless the caller names a version; by default
    /// for one before Nextcloud 34.
    #[must_use]
    pub fn groupware(mut self, groupware: Option<Groupware>) -> Self {
        self.groupware = groupware;
        self
    }
}

impl<S, C: Clone, P: Clone> Layer<S> for SplitLayer<C, P> {
    type Service = Split<S, C, P>;

    fn layer(&self, inner: S) -> Self::Service {
        let layer = self.clone();
        Split { inner, layer }
    }
}

// === impl Split ===

impl<S, C, P, R, E> Service<Decoded> for Split<S, C, P>
where
    S: Service<Decoded<GroupwareInput>, Response = R, Error = E>,
    C: Service<Decoded<CredentialInput>, Response = R, Error = E>,
    P: Service<Decoded<PresetInput>, Response = R, Error = E>,
    R: From<Response<Full<Bytes>>>,
{
    type Response = R;
    type Error = E;
    /// Boxed for events, whose answers rarely need a call.
    type Future = Either<
        Either<S::Future, Pin<Box<dyn Future<Output = Result<R, E>> + Send>>>,
        Either<C::Future, P::Future>,
    >;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), E>> {
        ready!(self.layer.credentials.poll_ready(cx))?;
        ready!(self.layer.presets.poll_ready(cx))?;
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, decoded: Decoded) -> Self::Future {
        let (context, input) = decoded.into_parts();
        match input {
            Input::Groupware(input) => {
                let called = self.inner.call(Decoded::new(context, input));
                Either::Left(Either::Left(called))
            }
            Input::Event(input) => {
                let groupware = self.layer.groupware.clone();
                let answer = async { Ok(events::answer(input, groupware).await.into()) };
                Either::Left(Either::Right(Box::pin(answer)))
            }
            Input::Credential(input) => {
                let called = self.layer.credentials.call(Decoded::new(context, input));
                Either::Right(Either::Left(called))
            }
            Input::Preset(input) => {
                let called = self.layer.presets.call(Decoded::new(context, input));
                Either::Right(Either::Right(called))
            }
        }
    }
}

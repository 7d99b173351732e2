//! Routes requests about a credential itself past the provisioning check.
//!
//! A caller who wants to store a password has none yet. Such requests go to a service of their
//! own. What is asked about events (docs/API.md, sections 4.7 and 4.8) is answered at once, as it needs
//! nobody else. All others go on down the stack.
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
//! let credentials = service_fn(async |_: Decoded<CredentialInput>| {
//!     Ok::<_, Error>(Response::new(Full::from("about a credential")))
//! });
//! let service = ServiceBuilder::new()
//!     .layer(BodyLimitLayer::new(1024))
//!     // In place of the bearer and the account layer.
//!     .map_request(|request| Authenticated::vouch(User::new("alice"), request))
//!     .layer(DecodeLayer::new(ClientAddress::withheld()))
//!     .layer(SplitLayer::new(credentials))
//!     .layer(PresetLayer::default())
//!     .service(service_fn(async |_: Decoded<GroupwareInput>| {
//!         Ok::<_, Error>(Response::new(Full::from("for the groupware server")))
//!     }));
//! let call = |path| service.clone().oneshot(Request::get(path).body(Full::<Bytes>::default()).unwrap());
//! let text = async |path| call(path).await.unwrap().into_body().collect().await.unwrap().to_bytes();
//!
//! assert_eq!(text("/api/v1/apps").await, "for the groupware server");
//! assert_eq!(text("/api/v1/background-sync/status").await, "about a credential");
//! assert!(matches!(call("/elsewhere").await, Err(Error::UnknownPath)));
//! # }
//! ```

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::Response;
use http_body_util::Full;
use pin_project_lite::pin_project;
use tower::{Layer, Service};

use super::decode::Decoded;
use crate::gateway::endpoint::events;
use crate::gateway::input::{CredentialInput, EventInput, GroupwareInput, Input, PresetInput};

/// Makes [`Split`] services.
#[derive(Clone, Debug)]
pub struct SplitLayer<C> {
    credentials: C,
}

/// See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct Split<S, C> {
    inner: S,
    credentials: C,
}

// === impl SplitLayer ===

impl<C> SplitLayer<C> {
    /// Requests about credentials go to `credentials`.
    pub fn new(credentials: C) -> Self {
        Self { credentials }
    }
}

impl<S, C: Clone> Layer<S> for SplitLayer<C> {
    type Service = Split<S, C>;

    fn layer(&self, inner: S) -> Self::Service {
        Split {
            inner,
            credentials: self.credentials.clone(),
        }
    }
}

// === impl Split ===

impl<S, C, R, E> Service<Decoded> for Split<S, C>
where
    S: Service<Decoded<GroupwareInput>, Response = R, Error = E>
        + Service<Decoded<PresetInput>, Response = R, Error = E>,
    C: Service<Decoded<CredentialInput>, Response = R, Error = E>,
    R: From<Response<Full<Bytes>>>,
{
    type Response = R;
    type Error = E;
    type Future = ResponseFuture<Of<S, GroupwareInput>, Of<S, PresetInput>, C::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), E>> {
        ready!(self.credentials.poll_ready(cx))?;
        ready!(Service::<Decoded<PresetInput>>::poll_ready(
            &mut self.inner,
            cx
        ))?;
        Service::<Decoded<GroupwareInput>>::poll_ready(&mut self.inner, cx)
    }

    fn call(&mut self, decoded: Decoded) -> Self::Future {
        let (context, input) = decoded.into_parts();
        let kind = match input {
            Input::Groupware(input) => Kind::Groupware {
                future: self.inner.call(Decoded::new(context, input)),
            },
            Input::Preset(input) => Kind::Preset {
                future: self.inner.call(Decoded::new(context, input)),
            },
            Input::Credential(input) => Kind::Credential {
                future: self.credentials.call(Decoded::new(context, input)),
            },
            Input::Event(input) => Kind::Event { input },
        };
        ResponseFuture { kind }
    }
}

/// The future of `S` for an input of the type `I`.
type Of<S, I> = <S as Service<Decoded<I>>>::Future;

pin_project! {
    /// The future of [`Split`].
    #[derive(Debug)]
    pub struct ResponseFuture<F, P, C> {
        #[pin]
        kind: Kind<F, P, C>,
    }
}

pin_project! {
    #[project = KindProj]
    #[derive(Debug)]
    enum Kind<F, P, C> {
        Groupware { #[pin] future: F },
        Preset { #[pin] future: P },
        Credential { #[pin] future: C },
        Event { input: EventInput },
    }
}

// === impl ResponseFuture ===

impl<F, P, C, R, E> Future for ResponseFuture<F, P, C>
where
    F: Future<Output = Result<R, E>>,
    P: Future<Output = Result<R, E>>,
    C: Future<Output = Result<R, E>>,
    R: From<Response<Full<Bytes>>>,
{
    type Output = Result<R, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<R, E>> {
        match self.project().kind.project() {
            KindProj::Groupware { future } => future.poll(cx),
            KindProj::Preset { future } => future.poll(cx),
            KindProj::Credential { future } => future.poll(cx),
            KindProj::Event { input } => Poll::Ready(Ok(events::answer(input).into())),
        }
    }
}

//! Finds the endpoint of an authenticated request and parses its input, once.
//!
//! Everything that is wrong with a request by itself (404, 405, 413, 400) is found here, before
//! any credential is looked up (docs/API.md, section 2.6). A body is read only if the endpoint
//! takes one.
//!
//! ```
//! use http::{Request, Response};
//! use http_body_util::Full;
//! use portreeve::gateway::input::{GroupwareInput, Input};
//! use portreeve::gateway::layer::account::Authenticated;
//! use portreeve::gateway::layer::body_limit::BodyLimitLayer;
//! use portreeve::gateway::layer::decode::{DecodeLayer, Decoded};
//! use portreeve::gateway::{ClientAddress, Error, User};
//! use tower::{ServiceBuilder, ServiceExt as _, service_fn};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let service = ServiceBuilder::new()
//!     .layer(BodyLimitLayer::new(1024))
//!     // In place of the bearer and the account layer.
//!     .map_request(|request| Authenticated::vouch(User::new("alice"), request))
//!     .layer(DecodeLayer::new(ClientAddress::withheld()))
//!     .service(service_fn(async |decoded: Decoded| match decoded.into_parts() {
//!         (_, Input::Groupware(GroupwareInput::DeleteWebhook(id))) => Ok(Response::new(id)),
//!         _ => Err(Error::UnknownPath),
//!     }));
//! let delete = |path| service.clone().oneshot(
//!     Request::delete(path).body(Full::<bytes::Bytes>::default()).unwrap(),
//! );
//! assert_eq!(delete("/api/v1/webhooks/007").await.unwrap().body(), &7);
//! assert!(matches!(delete("/api/v1/webhooks/7a").await, Err(Error::InvalidWebhookId)));
//! # }
//! ```

use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use http::{HeaderValue, Request};
use http_body::Body;
use http_body_util::BodyExt;
use http_body_util::combinators::Collect;
use pin_project_lite::pin_project;
use tower::{Layer, Service};

use super::account::Authenticated;
use super::request_id::X_REQUEST_ID;
use crate::gateway::input::Input;
use crate::gateway::progress::Progress;
use crate::gateway::route::{ReadBody, Route};
use crate::gateway::{ClientAddress, Error, User};
use crate::groupware::EventClasses;

/// What a caller wants, and who asks.
///
/// Only this layer makes one, and [`split`](super::split) narrows it to one kind of input.
#[derive(Debug)]
pub struct Decoded<I = Input> {
    context: RequestContext,
    input: I,
}

/// Who asks.
#[derive(Clone, Debug)]
pub struct RequestContext {
    caller: User,
    client_address: Option<IpAddr>,
    request_id: Option<HeaderValue>,
    progress: Progress,
}

/// Makes [`Decode`] services.
#[derive(Clone, Debug)]
pub struct DecodeLayer {
    client_address: ClientAddress,
    event_classes: EventClasses,
}

/// See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct Decode<S> {
    inner: S,
    client_address: ClientAddress,
    event_classes: EventClasses,
}

// === impl Decoded ===

impl<I> Decoded<I> {
    /// Who asks.
    pub fn context(&self) -> &RequestContext {
        &self.context
    }

    /// Who asks, and what they want.
    pub fn into_parts(self) -> (RequestContext, I) {
        (self.context, self.input)
    }

    pub(in crate::gateway) fn new(context: RequestContext, input: I) -> Self {
        Self { context, input }
    }
}

// === impl RequestContext ===

impl RequestContext {
    /// The user that the request is made for.
    pub fn caller(&self) -> &User {
        &self.caller
    }

    /// The address to name to the groupware server, if that is switched on.
    pub fn client_address(&self) -> Option<IpAddr> {
        self.client_address
    }

    /// The id of the request (docs/API.md, section 1.3).
    pub fn request_id(&self) -> Option<&str> {
        self.request_id.as_ref().and_then(|id| id.to_str().ok())
    }

    /// How far the call is that is made for it.
    pub(in crate::gateway) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// The same, for a call whose progress is `progress`.
    pub(in crate::gateway) fn with_progress(&self, progress: Progress) -> Self {
        Self {
            progress,
            ..self.clone()
        }
    }
}

// === impl DecodeLayer ===

impl DecodeLayer {
    /// `client_address` says which address of the caller is sent on.
    pub fn new(client_address: ClientAddress) -> Self {
        Self {
            client_address,
            event_classes: EventClasses::default(),
        }
    }

    /// The event classes by which filters are judged; by default those that are known.
    #[must_use]
    pub fn event_classes(mut self, classes: EventClasses) -> Self {
        self.event_classes = classes;
        self
    }
}

impl<S> Layer<S> for DecodeLayer {
    type Service = Decode<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Decode {
            inner,
            client_address: self.client_address.clone(),
            event_classes: self.event_classes.clone(),
        }
    }
}

// === impl Decode ===

impl<S, B> Service<Authenticated<Request<B>>> for Decode<S>
where
    S: Service<Decoded> + Clone,
    S::Error: From<Error>,
    B: Body<Error: Into<Error>>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = ResponseFuture<S, B>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Authenticated<Request<B>>) -> Self::Future {
        let (caller, request) = request.into_parts();
        let uri = request.uri();
        let route = Route::find(request.method(), uri.path(), uri.query());
        let context = RequestContext {
            caller,
            client_address: self.client_address.of(&request),
            request_id: request.headers().get(X_REQUEST_ID).cloned(),
            progress: Progress::default(),
        };
        let kind = match route {
            Ok(Route::Complete(input)) => Kind::Answering {
                answer: self.inner.call(Decoded::new(context, input)),
            },
            Ok(Route::Body(read)) => {
                // The service that was polled ready is the one that is called.
                let clone = self.inner.clone();
                let inner = std::mem::replace(&mut self.inner, clone);
                Kind::Reading {
                    body: request.into_body().collect(),
                    waiting: Some((inner, context, read, self.event_classes.clone())),
                }
            }
            Err(error) => Kind::Refused { error: Some(error) },
        };
        ResponseFuture { kind }
    }
}

pin_project! {
    /// The future of [`Decode`].
    pub struct ResponseFuture<S, B>
    where
        S: Service<Decoded>,
        B: Body,
    {
        #[pin]
        kind: Kind<S, B>,
    }
}

pin_project! {
    #[project = KindProj]
    enum Kind<S, B>
    where
        S: Service<Decoded>,
        B: Body,
    {
        Reading {
            #[pin]
            body: Collect<B>,
            waiting: Option<(S, RequestContext, ReadBody, EventClasses)>,
        },
        Answering { #[pin] answer: S::Future },
        Refused { error: Option<Error> },
    }
}

// === impl ResponseFuture ===

impl<S, B> Future for ResponseFuture<S, B>
where
    S: Service<Decoded>,
    S::Error: From<Error>,
    B: Body<Error: Into<Error>>,
{
    type Output = Result<S::Response, S::Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut kind = self.project().kind;
        loop {
            let answer = match kind.as_mut().project() {
                KindProj::Reading { body, waiting } => {
                    let body = ready!(body.poll(cx)).map_err(Into::into)?.to_bytes();
                    let (mut inner, context, read, classes) =
                        waiting.take().expect("polled after completion");
                    inner.call(Decoded::new(context, read.read(body, &classes)?))
                }
                KindProj::Answering { answer } => return answer.poll(cx),
                KindProj::Refused { error } => {
                    let error = error.take().expect("polled after completion");
                    return Poll::Ready(Err(error.into()));
                }
            };
            kind.set(Kind::Answering { answer });
        }
    }
}

//! Lets persons who have no account yet start a login flow, which binds them to the account that
//! grants it (docs/API.md, section 2.7).
//!
//! It stands before the [account layer](super::account), which refuses whoever has no account. Two
//! requests of such a person are served here, the start and the poll of a login flow; everything
//! else passes on. It is part of the stack only if the setting `account_binding` says so: a person
//! with any valid token could send somebody the grant page and, if they grant, get their account.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use pin_project_lite::pin_project;
use tower::{Layer, Service};

use super::bearer::Verified;
use super::fairness::FairnessLayer;
use super::request_id::X_REQUEST_ID;
use crate::gateway::endpoint::{Asker, PersonFlows};
use crate::gateway::input::{CredentialInput, Input};
use crate::gateway::route::Route;
use crate::gateway::{ClientAddress, Error};
use crate::vault::Store;

/// Makes [`Bind`] services.
pub(in crate::gateway) struct BindingLayer<St: Store>(Parts<St>);

/// See the [module documentation](self).
pub(in crate::gateway) struct Bind<S, St: Store> {
    inner: S,
    parts: Parts<St>,
}

struct Parts<St: Store> {
    flows: PersonFlows<St>,
    fairness: FairnessLayer,
    client_address: ClientAddress,
}

/// What a person without an account may ask for.
enum Wanted {
    Start,
    Poll { flow_id: Box<str> },
}

// === impl BindingLayer ===

impl<St: Store> BindingLayer<St> {
    pub(in crate::gateway) fn new(
        flows: PersonFlows<St>,
        fairness: FairnessLayer,
        client_address: ClientAddress,
    ) -> Self {
        Self(Parts {
            flows,
            fairness,
            client_address,
        })
    }
}

impl<S, St: Store> Layer<S> for BindingLayer<St> {
    type Service = Bind<S, St>;

    fn layer(&self, inner: S) -> Self::Service {
        Bind {
            inner,
            parts: self.0.clone(),
        }
    }
}

// === impl Bind ===

impl<S: Clone, St: Store> Clone for Bind<S, St> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            parts: self.parts.clone(),
        }
    }
}

impl<S, St, B> Service<Verified<Request<B>>> for Bind<S, St>
where
    S: Service<Verified<Request<B>>, Response = Response<Full<Bytes>>> + Clone + Send + 'static,
    S::Error: From<Error>,
    S::Future: Send + 'static,
    St: Store,
    B: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future, S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, verified: Verified<Request<B>>) -> Self::Future {
        let (Some(asker), Some(wanted)) = (self.parts.asker(&verified), Wanted::of(&verified))
        else {
            let inner = self.inner.call(verified);
            return ResponseFuture {
                kind: Kind::Passed { inner },
            };
        };
        // The service that was polled ready is the one that is called.
        let clone = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, clone);
        let parts = self.parts.clone();
        let served = Box::pin(async move {
            match parts.serve(&asker, &wanted).await? {
                Some(answer) => Ok(answer),
                None => inner.call(verified).await,
            }
        });
        ResponseFuture {
            kind: Kind::Served { served },
        }
    }
}

// === impl Parts ===

impl<St: Store> Parts<St> {
    /// The person who asks, if it is one who can be bound.
    fn asker<B>(&self, verified: &Verified<Request<B>>) -> Option<Asker> {
        let request = verified.request();
        let request_id = request.headers().get(X_REQUEST_ID);
        Asker::new(
            verified.caller().person()?,
            self.client_address.of(request),
            request_id.and_then(|id| id.to_str().ok()),
        )
    }

    /// The answer to a person without an account, or about a flow that they started without one;
    /// `None` if the request is to pass on.
    async fn serve(
        &self,
        asker: &Asker,
        wanted: &Wanted,
    ) -> Result<Option<Response<Full<Bytes>>>, Error> {
        let flows = &self.flows;
        let is_theirs = match wanted {
            Wanted::Start => !flows.is_bound(asker).await?,
            Wanted::Poll { flow_id } => {
                flows.is_of(asker, flow_id).await? || !flows.is_bound(asker).await?
            }
        };
        if !is_theirs {
            return Ok(None);
        }
        let key = asker.key();
        let _in_flight = self.fairness.acquire(key).ok_or(Error::TooManyOfCaller)?;
        match wanted {
            Wanted::Start => flows.start(asker).await.map(Some),
            Wanted::Poll { flow_id } => flows.poll(asker, flow_id).await.map(Some),
        }
    }
}

impl<St: Store> Clone for Parts<St> {
    fn clone(&self) -> Self {
        Self {
            flows: self.flows.clone(),
            fairness: self.fairness.clone(),
            client_address: self.client_address.clone(),
        }
    }
}

// === impl Wanted ===

impl Wanted {
    fn of<B>(verified: &Verified<Request<B>>) -> Option<Self> {
        let request = verified.request();
        let uri = request.uri();
        match Route::find(request.method(), uri.path(), uri.query()).ok()? {
            Route::Complete(Input::Credential(CredentialInput::StartLoginFlow)) => {
                Some(Self::Start)
            }
            Route::Complete(Input::Credential(CredentialInput::PollLoginFlow { flow_id })) => {
                Some(Self::Poll { flow_id })
            }
            _ => None,
        }
    }
}

pin_project! {
    /// The future of [`Bind`].
    pub(in crate::gateway) struct ResponseFuture<F, E> {
        #[pin]
        kind: Kind<F, E>,
    }
}

pin_project! {
    #[project = KindProj]
    enum Kind<F, E> {
        Passed { #[pin] inner: F },
        Served { served: Served<E> },
    }
}

type Served<E> = Pin<Box<dyn Future<Output = Result<Response<Full<Bytes>>, E>> + Send>>;

// === impl ResponseFuture ===

impl<F, E> Future for ResponseFuture<F, E>
where
    F: Future<Output = Result<Response<Full<Bytes>>, E>>,
{
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        match self.project().kind.project() {
            KindProj::Passed { inner } => inner.poll(cx),
            KindProj::Served { served } => served.as_mut().poll(cx),
        }
    }
}

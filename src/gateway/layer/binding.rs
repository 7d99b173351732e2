//! Login flows of persons who have no account yet, which bind them to the account that grants one
//! (docs/API.md, section 2.7).
//!
//! It is above the [account layer](super::account), which refuses callers without an account. Two of
//! their requests are served here, the start and the poll of a login flow; all others pass through. It is
//! part of the stack only if the setting `account_binding` enables it: a person with any valid token could
//! send somebody the grant page and, if they grant it, get their account.

use std::task::{Context, Poll};

use futures_util::future::{BoxFuture, Either};
use http::{Method, Request};
use tower::{Layer, Service};

use super::admit::take_ready;
use super::bearer::Verified;
use super::fairness::PerCallerLimitLayer;
use super::request_id::X_REQUEST_ID;
use crate::gateway::endpoint::answer::Answer;
use crate::gateway::endpoint::{PersonFlows, UnboundPerson};
use crate::gateway::{ClientAddress, Endpoint, Error};

/// Makes [`Bind`] services.
#[derive(Clone)]
pub(in crate::gateway) struct BindingLayer {
    flows: PersonFlows,
    fairness: PerCallerLimitLayer,
    client_address: ClientAddress,
}

/// See the [module documentation](self).
#[derive(Clone)]
pub(in crate::gateway) struct Bind<S> {
    inner: S,
    layer: BindingLayer,
}

/// The requests that a person without an account may make.
enum FlowRequest {
    Start,
    Poll { flow_id: Box<str> },
}

// === impl BindingLayer ===

impl BindingLayer {
    pub(in crate::gateway) fn new(
        flows: PersonFlows,
        fairness: PerCallerLimitLayer,
        client_address: ClientAddress,
    ) -> Self {
        Self {
            flows,
            fairness,
            client_address,
        }
    }

    /// The person who makes the request, if they can be bound.
    fn caller<B>(&self, verified: &Verified<Request<B>>) -> Option<UnboundPerson> {
        let request = verified.request();
        let request_id = request.headers().get(X_REQUEST_ID);
        UnboundPerson::new(
            verified.caller().person()?,
            self.client_address.of(request),
            request_id.and_then(|id| id.to_str().ok()),
        )
    }

    /// The answer to a person without an account, or about a flow that they started without one;
    /// `None` if the request passes through.
    async fn serve(
        &self,
        caller: &UnboundPerson,
        wanted: &FlowRequest,
    ) -> Result<Option<Answer>, Error> {
        let flows = &self.flows;
        let is_theirs = match wanted {
            FlowRequest::Start => !flows.is_bound(caller).await?,
            FlowRequest::Poll { flow_id } => {
                flows.is_of(caller, flow_id).await? || !flows.is_bound(caller).await?
            }
        };
        if !is_theirs {
            return Ok(None);
        }
        let key = caller.key();
        let _in_flight = self.fairness.acquire(key).ok_or(Error::TooManyOfCaller)?;
        match wanted {
            FlowRequest::Start => flows.start(caller).await.map(Some),
            FlowRequest::Poll { flow_id } => flows.poll(caller, flow_id).await.map(Some),
        }
    }
}

impl<S> Layer<S> for BindingLayer {
    type Service = Bind<S>;

    fn layer(&self, inner: S) -> Self::Service {
        let layer = self.clone();
        Bind { inner, layer }
    }
}

// === impl Bind ===

impl<S, B> Service<Verified<Request<B>>> for Bind<S>
where
    S: Service<Verified<Request<B>>, Response = Answer> + Clone + Send + 'static,
    S::Error: From<Error> + 'static,
    S::Future: Send,
    B: Send + 'static,
{
    type Response = Answer;
    type Error = S::Error;
    type Future = Either<S::Future, BoxFuture<'static, Result<Answer, S::Error>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, verified: Verified<Request<B>>) -> Self::Future {
        let caller = self.layer.caller(&verified);
        let Some((caller, wanted)) = caller.zip(FlowRequest::of(verified.request())) else {
            return Either::Left(self.inner.call(verified));
        };
        let mut inner = take_ready(&mut self.inner);
        let layer = self.layer.clone();
        Either::Right(Box::pin(async move {
            match layer.serve(&caller, &wanted).await? {
                Some(answer) => Ok(answer),
                None => inner.call(verified).await,
            }
        }))
    }
}

// === impl FlowRequest ===

impl FlowRequest {
    fn of<B>(request: &Request<B>) -> Option<Self> {
        let endpoint = Endpoint::of(request);
        match (endpoint, request.method()) {
            (Endpoint::LoginFlows, &Method::POST) => Some(Self::Start),
            (Endpoint::LoginFlow, &Method::GET) => Some(Self::Poll {
                flow_id: endpoint.parameter(request.uri().path()).into(),
            }),
            _ => None,
        }
    }
}

//! Records each read of somebody's credential by an administrator (docs/API.md, section 5.4).
//!
//! It is above everything that may refuse such a request, so that each is one line of the audit log, whatever becomes
//! of it. The attempt is among the extensions of the request: the endpoint adds whose credential it has found. Other
//! attempts begin only at their endpoints.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use http::{Method, Request, Response};
use pin_project_lite::pin_project;
use tower::{BoxError, Layer, Service};

use super::account::Authenticated;
use super::request_id;
use crate::audit::{Action, Actor, Attempt, AuditObserver, Auditor};
use crate::gateway::path::decode;
use crate::gateway::{Endpoint, Error};

/// Makes [`AuditReads`] services.
#[derive(Clone, Debug, Default)]
pub struct AuditLayer {
    observer: Option<Arc<dyn AuditObserver>>,
}

/// See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct AuditReads<S> {
    inner: S,
    layer: AuditLayer,
}

// === impl AuditLayer ===

impl AuditLayer {
    /// Also passes each record to `observer`.
    pub fn new(observer: Option<Arc<dyn AuditObserver>>) -> Self {
        Self { observer }
    }

    /// The attempt that `request` is, if it is one.
    fn attempt<B>(&self, request: &Authenticated<Request<B>>) -> Option<Attempt> {
        let user = request.principal().user()?;
        let request = request.request();
        let endpoint = Endpoint::of(request);
        if endpoint != Endpoint::CredentialOfUser || request.method() != Method::GET {
            return None;
        }
        let mut parameters = request.uri().query().unwrap_or_default().split('&');
        let action = match parameters.any(|parameter| parameter == "reveal=true") {
            true => Action::RevealCredential,
            false => Action::ReadCredential,
        };
        let request_id = request_id::of(request.headers());
        let caller = user.user_id().into();
        let attempt = Auditor::new(Actor::Token { caller })
            .request_id(request_id.and_then(|id| id.to_str().ok()))
            .observer(self.observer.clone())
            .attempt(action);
        if let Ok(user_id) = decode(endpoint.parameter(request.uri().path())) {
            attempt.found_user(&user_id);
        }
        Some(attempt)
    }
}

impl<S> Layer<S> for AuditLayer {
    type Service = AuditReads<S>;

    fn layer(&self, inner: S) -> Self::Service {
        let layer = self.clone();
        AuditReads { inner, layer }
    }
}

// === impl AuditReads ===

impl<S, B, R> Service<Authenticated<Request<B>>> for AuditReads<S>
where
    S: Service<Authenticated<Request<B>>, Response = Response<R>, Error: Into<BoxError>>,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = ResponseFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, mut request: Authenticated<Request<B>>) -> Self::Future {
        let attempt = self.layer.attempt(&request);
        if let Some(attempt) = attempt.clone() {
            request.request_mut().extensions_mut().insert(attempt);
        }
        ResponseFuture {
            inner: self.inner.call(request),
            attempt,
        }
    }
}

pin_project! {
    /// The future of [`AuditReads`].
    #[derive(Debug)]
    pub struct ResponseFuture<F> {
        #[pin]
        inner: F,
        attempt: Option<Attempt>,
    }
}

// === impl ResponseFuture ===

impl<F, R, E> Future for ResponseFuture<F>
where
    F: Future<Output = Result<Response<R>, E>>,
    E: Into<BoxError>,
{
    type Output = Result<Response<R>, BoxError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let result = ready!(this.inner.poll(cx)).map_err(Into::into);
        if let Some(attempt) = this.attempt.take() {
            match &result {
                Ok(response) if response.status().is_success() => attempt.done(),
                Ok(response) => attempt.refused(response.status()),
                Err(error) => match Error::among(&**error) {
                    Some(error) => error.end(&attempt),
                    None => attempt.failed(error),
                },
            }
        }
        Poll::Ready(result)
    }
}

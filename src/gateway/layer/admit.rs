//! Lets requests in as another type, at once or after a wait, or refuses them.
//!
//! What a layer decides is an [`Admit`], the layer itself; [`Admission`] is the service that asks it.

use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_util::future::BoxFuture;
use pin_project_lite::pin_project;
use tower::{Layer, Service};

use super::account::AccountLayer;
use super::bearer::BearerLayer;
use super::decode::DecodeLayer;
use super::shared_key::SharedKeyLayer;
use crate::gateway::Error;

/// Decides which requests of the type `R` are admitted, and as which type.
pub trait Admit<R> {
    /// The request type of the service below.
    type Admitted;

    /// Decides whether `request` is admitted. It must not block.
    fn admit(&self, request: R) -> Decision<Self::Admitted>;
}

/// Whether a request is admitted, as a `T`.
pub enum Decision<T> {
    Now(Result<T, Error>),
    Later(BoxFuture<'static, Result<T, Error>>),
}

/// The service of layers that make another type of the request: it gets only the requests that its layer `A` admits.
#[derive(Clone, Debug)]
pub struct Admission<S, A> {
    pub(crate) inner: S,
    pub(crate) admit: A,
}

/// Makes these layers: their services are [`Admission`]s.
macro_rules! layers {
    ($($layer:ident $(<$parameter:ident>)?),+) => {$(
        impl<S $(, $parameter)?> Layer<S> for $layer $(<$parameter>)? {
            type Service = Admission<S, Self>;

            fn layer(&self, inner: S) -> Self::Service {
                Admission { inner, admit: self.clone() }
            }
        }
    )+};
}

layers!(SharedKeyLayer, BearerLayer<V>, AccountLayer<A>, DecodeLayer);

// === impl Admission ===

impl<S, A, R> Service<R> for Admission<S, A>
where
    A: Admit<R>,
    S: Service<A::Admitted, Error: From<Error>> + Clone,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = ResponseFuture<S, A::Admitted>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: R) -> Self::Future {
        let state = match self.admit.admit(request) {
            Decision::Now(Ok(admitted)) => State::Called { future: self.inner.call(admitted) },
            Decision::Now(Err(error)) => State::Refused { error: Some(error) },
            Decision::Later(decision) => {
                // The one that was polled ready is called later; another that was not may not be.
                let clone = self.inner.clone();
                let inner = mem::replace(&mut self.inner, clone);
                State::Deciding { decision, inner }
            }
        };
        ResponseFuture { state }
    }
}

pin_project! {
    /// The future of [`Admission`].
    pub struct ResponseFuture<S, T>
    where
        S: Service<T>,
    {
        #[pin]
        state: State<S, T, S::Future>,
    }
}

pin_project! {
    #[project = StateProj]
    enum State<S, T, F> {
        Deciding { decision: BoxFuture<'static, Result<T, Error>>, inner: S },
        Called { #[pin] future: F },
        Refused { error: Option<Error> },
    }
}

// === impl ResponseFuture ===

impl<S: Service<T, Error: From<Error>>, T> Future for ResponseFuture<S, T> {
    type Output = Result<S::Response, S::Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.project().state;
        loop {
            let future = match state.as_mut().project() {
                StateProj::Deciding { decision, inner } => {
                    inner.call(ready!(decision.as_mut().poll(cx))?)
                }
                StateProj::Called { future } => return future.poll(cx),
                StateProj::Refused { error } => {
                    let error = error.take().expect("polled after completion");
                    return Poll::Ready(Err(error.into()));
                }
            };
            state.set(State::Called { future });
        }
    }
}

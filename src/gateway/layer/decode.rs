//! Finds the endpoint of an authenticated request and reads its input, typed.
//!
//! Whatever is wrong with a request by itself (404, 405, 413, 400) is found here, before any
//! credential is looked up (specification, section 4.1 rule 4). A body is read only where the
//! endpoint takes one.

use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::Request;
use http_body::Body;
use http_body_util::BodyExt;
use http_body_util::combinators::Collect;
use pin_project_lite::pin_project;
use tower::{Layer, Service};

use crate::gateway::endpoint::CreateWebhook;
use crate::gateway::layer::bearer::Authenticated;
use crate::gateway::route::Route;
use crate::gateway::{ClientAddress, Error};
use crate::identity::Caller;

/// What a caller wants, with everything the request says about it.
#[derive(Debug)]
pub enum Input {
    /// The apps installed on the groupware server.
    ListApps,
    /// All webhook registrations.
    ListWebhooks,
    /// A new webhook registration.
    CreateWebhook(CreateWebhook),
    /// The end of the webhook registration with this id.
    DeleteWebhook(i64),
}

/// A caller and what they want.
///
/// Only [`Decode`] makes one.
#[derive(Debug)]
pub struct Decoded {
    caller: Caller,
    client_address: Option<IpAddr>,
    input: Input,
}

impl Decoded {
    /// Who wants it.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// The address to name to the groupware server, where that is switched on.
    pub fn client_address(&self) -> Option<IpAddr> {
        self.client_address
    }

    /// What they want.
    pub fn into_input(self) -> Input {
        self.input
    }
}

/// Makes [`Decode`] services.
#[derive(Clone, Debug)]
pub struct DecodeLayer {
    client_address: ClientAddress,
}

impl DecodeLayer {
    /// `client_address` says which address of the caller is sent on.
    pub fn new(client_address: ClientAddress) -> Self {
        Self { client_address }
    }
}

impl<S> Layer<S> for DecodeLayer {
    type Service = Decode<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Decode {
            inner,
            client_address: self.client_address.clone(),
        }
    }
}

/// See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct Decode<S> {
    inner: S,
    client_address: ClientAddress,
}

impl<S, B> Service<Authenticated<Request<B>>> for Decode<S>
where
    S: Service<Decoded, Error = Error> + Clone,
    B: Body<Error = Error>,
{
    type Response = S::Response;
    type Error = Error;
    type Future = ResponseFuture<S, B>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Authenticated<Request<B>>) -> Self::Future {
        let (caller, request) = request.into_parts();
        let input = match Route::find(request.method(), request.uri().path()) {
            Ok(Route::ListApps) => Input::ListApps,
            Ok(Route::ListWebhooks) => Input::ListWebhooks,
            Ok(Route::DeleteWebhook(id)) => Input::DeleteWebhook(id),
            Ok(Route::CreateWebhook) => {
                // The service that was polled ready is the one that is called.
                let clone = self.inner.clone();
                let inner = std::mem::replace(&mut self.inner, clone);
                let client_address = self.client_address.of(&request);
                let waiting = Some(Waiting {
                    inner,
                    caller,
                    client_address,
                });
                return ResponseFuture::Reading {
                    body: request.into_body().collect(),
                    waiting,
                };
            }
            Err(error) => return ResponseFuture::Refused { error: Some(error) },
        };
        let client_address = self.client_address.of(&request);
        let answer = self.inner.call(Decoded {
            caller,
            client_address,
            input,
        });
        ResponseFuture::Answering { answer }
    }
}

/// What waits for the body.
#[doc(hidden)]
#[derive(Debug)]
pub struct Waiting<S> {
    inner: S,
    caller: Caller,
    client_address: Option<IpAddr>,
}

pin_project! {
    /// The future of [`Decode`].
    #[project = ResponseFutureProj]
    pub enum ResponseFuture<S, B>
    where
        S: Service<Decoded>,
        B: Body,
    {
        #[doc(hidden)]
        Reading { #[pin] body: Collect<B>, waiting: Option<Waiting<S>> },
        #[doc(hidden)]
        Answering { #[pin] answer: S::Future },
        #[doc(hidden)]
        Refused { error: Option<Error> },
    }
}

impl<S, B> Future for ResponseFuture<S, B>
where
    S: Service<Decoded, Error = Error>,
    B: Body<Error = Error>,
{
    type Output = Result<S::Response, Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        loop {
            let answer = match self.as_mut().project() {
                ResponseFutureProj::Reading { body, waiting } => {
                    let body: Bytes = ready!(body.poll(cx))?.to_bytes();
                    let input = Input::CreateWebhook(CreateWebhook::parse(&body)?);
                    let Waiting {
                        mut inner,
                        caller,
                        client_address,
                    } = waiting.take().expect("polled after completion");
                    inner.call(Decoded {
                        caller,
                        client_address,
                        input,
                    })
                }
                ResponseFutureProj::Answering { answer } => return answer.poll(cx),
                ResponseFutureProj::Refused { error } => {
                    return Poll::Ready(Err(error.take().expect("polled after completion")));
                }
            };
            self.set(ResponseFuture::Answering { answer });
        }
    }
}

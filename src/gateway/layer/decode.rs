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

use crate::gateway::endpoint::{CreateWebhook, ReadCredential, StoreCredential};
use crate::gateway::layer::bearer::Authenticated;
use crate::gateway::layer::request_id::X_REQUEST_ID;
use crate::gateway::route::Route;
use crate::gateway::{ClientAddress, Error};
use crate::identity::Caller;

/// What a caller wants, with everything the request says about it.
#[derive(Debug)]
pub enum Input {
    /// Something of the groupware server, for which a stored credential is needed.
    Groupware(GroupwareInput),
    /// Something about a credential itself.
    Credential(CredentialInput),
}

/// What a caller wants of the groupware server (specification, section 4.1).
#[derive(Debug)]
pub enum GroupwareInput {
    /// The apps installed there.
    ListApps,
    /// All webhook registrations.
    ListWebhooks,
    /// A new webhook registration.
    CreateWebhook(CreateWebhook),
    /// The end of the webhook registration with this id.
    DeleteWebhook(i64),
}

/// What a caller wants with a credential (specification, section 4.2).
#[derive(Debug)]
pub enum CredentialInput {
    /// To store an app password.
    Store(StoreCredential),
    /// To know whether one is stored.
    Status,
    /// To have it removed, and with `revoke` destroyed at the groupware server before.
    Delete {
        /// Whether it is to be destroyed.
        revoke: bool,
    },
    /// To read that of another user, as an administrator.
    Read(ReadCredential),
    /// To grant one on the groupware server's own page.
    StartLoginFlow,
    /// To know whether that was granted, of the login flow with this id.
    PollLoginFlow(Box<str>),
}

/// A caller and what they want.
///
/// Only [`Decode`] makes one.
#[derive(Debug)]
pub struct Decoded<I = Input> {
    caller: Caller,
    client_address: Option<IpAddr>,
    input: I,
}

impl<I> Decoded<I> {
    /// Who wants it.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// The address to name to the groupware server, where that is switched on.
    pub fn client_address(&self) -> Option<IpAddr> {
        self.client_address
    }

    /// What they want.
    pub fn into_input(self) -> I {
        self.input
    }
}

impl Decoded {
    /// By what is wanted.
    pub fn by_kind(self) -> ByKind {
        let Self {
            caller,
            client_address,
            input,
        } = self;
        match input {
            Input::Groupware(input) => ByKind::Groupware(Decoded {
                caller,
                client_address,
                input,
            }),
            Input::Credential(input) => ByKind::Credential(Decoded {
                caller,
                client_address,
                input,
            }),
        }
    }
}

/// A caller and what they want, by what that is.
#[derive(Debug)]
pub enum ByKind {
    /// Something of the groupware server.
    Groupware(Decoded<GroupwareInput>),
    /// Something about a credential itself.
    Credential(Decoded<CredentialInput>),
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
        let client_address = self.client_address.of(&request);
        let uri = request.uri();
        let input = match Route::find(request.method(), uri.path(), uri.query()) {
            Ok(Route::ListApps) => Input::Groupware(GroupwareInput::ListApps),
            Ok(Route::ListWebhooks) => Input::Groupware(GroupwareInput::ListWebhooks),
            Ok(Route::DeleteWebhook(id)) => Input::Groupware(GroupwareInput::DeleteWebhook(id)),
            Ok(Route::CredentialStatus) => Input::Credential(CredentialInput::Status),
            Ok(Route::DeleteCredential { revoke }) => {
                Input::Credential(CredentialInput::Delete { revoke })
            }
            Ok(Route::ReadCredential { user_id, reveal }) => {
                Input::Credential(CredentialInput::Read(ReadCredential {
                    user_id,
                    reveal,
                    request_id: request.headers().get(X_REQUEST_ID).cloned(),
                }))
            }
            Ok(Route::StartLoginFlow) => Input::Credential(CredentialInput::StartLoginFlow),
            Ok(Route::PollLoginFlow { flow_id }) => {
                Input::Credential(CredentialInput::PollLoginFlow(flow_id))
            }
            Ok(Route::CreateWebhook) => {
                return self.read(caller, client_address, request, |body| {
                    let create = CreateWebhook::parse(&body)?;
                    Ok(Input::Groupware(GroupwareInput::CreateWebhook(create)))
                });
            }
            Ok(Route::StoreCredential) => {
                return self.read(caller, client_address, request, |body| {
                    let store = StoreCredential::parse(body)?;
                    Ok(Input::Credential(CredentialInput::Store(store)))
                });
            }
            Err(error) => return ResponseFuture::Refused { error: Some(error) },
        };
        let answer = self.inner.call(Decoded {
            caller,
            client_address,
            input,
        });
        ResponseFuture::Answering { answer }
    }
}

impl<S: Clone> Decode<S> {
    /// Reads the body before the input is complete.
    fn read<B: Body>(
        &mut self,
        caller: Caller,
        client_address: Option<IpAddr>,
        request: Request<B>,
        parse: Parse,
    ) -> ResponseFuture<S, B>
    where
        S: Service<Decoded>,
    {
        // The service that was polled ready is the one that is called.
        let clone = self.inner.clone();
        let inner = std::mem::replace(&mut self.inner, clone);
        ResponseFuture::Reading {
            body: request.into_body().collect(),
            waiting: Some(Waiting {
                inner,
                caller,
                client_address,
                parse,
            }),
        }
    }
}

/// Makes an input from a body.
type Parse = fn(Bytes) -> Result<Input, Error>;

/// What waits for the body.
#[doc(hidden)]
#[derive(Debug)]
pub struct Waiting<S> {
    inner: S,
    caller: Caller,
    client_address: Option<IpAddr>,
    parse: Parse,
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
                    let Waiting {
                        mut inner,
                        caller,
                        client_address,
                        parse,
                    } = waiting.take().expect("polled after completion");
                    let input = parse(body)?;
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

//! Tells which account a person is (docs/API.md, section 2.7).
//!
//! A token names an account, or a person at an identity provider. Here, once, that becomes the
//! account; the layers below know it alone. It makes an [`Authenticated`] request of a
//! [`Verified`] one, and the layers below accept no other.
//!
//! ```
//! use http::{Request, Response};
//! use portreeve::gateway::layer::account::{AccountLayer, Authenticated};
//! use portreeve::gateway::layer::bearer::Verified;
//! use portreeve::gateway::{AccountRule, Error};
//! use portreeve::identity::{Caller, Person};
//! use tower::{ServiceBuilder, ServiceExt as _, service_fn};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Error> {
//! let rule = AccountRule::UserOidcName { identifier: "office".into() };
//! let service = ServiceBuilder::new()
//!     .layer(AccountLayer::new(rule))
//!     .service(service_fn(async |request: Authenticated<Request<()>>| {
//!         Ok::<_, Error>(Response::new(request.caller().user_id().to_owned()))
//!     }));
//! let alice = Caller::of_person(Person::new("https://id.example.org", "alice"));
//! let response = service.oneshot(Verified::vouch(alice, Request::new(()))).await?;
//! assert_eq!(response.body(), "office-alice");
//! # Ok(())
//! # }
//! ```

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;
use tower::{Layer, Service};

use super::bearer::Verified;
use crate::gateway::{AccountRule, Accounts, Error, User};
use crate::notes;

/// A request whose account is known.
///
/// [`MapAccount`] makes one. A stack that authenticates in another way, and a test, says so with
/// [`vouch`](Self::vouch).
#[derive(Debug)]
pub struct Authenticated<R> {
    user: User,
    request: R,
}

// === impl Authenticated ===

impl<R> Authenticated<R> {
    /// Vouches that `request` is from `user`. Everything below relies on it.
    pub fn vouch(user: User, request: R) -> Self {
        Self { user, request }
    }

    /// The user whose request it is.
    pub fn caller(&self) -> &User {
        &self.user
    }

    /// The request. The bearer layer has removed its `Authorization` field.
    pub fn request(&self) -> &R {
        &self.request
    }

    /// The same, to be changed.
    pub fn request_mut(&mut self) -> &mut R {
        &mut self.request
    }

    /// The user and the request.
    pub fn into_parts(self) -> (User, R) {
        (self.user, self.request)
    }
}

/// Makes [`MapAccount`] services.
#[derive(Debug)]
pub struct AccountLayer<A = AccountRule> {
    accounts: Arc<A>,
}

// === impl AccountLayer ===

impl<A> AccountLayer<A> {
    /// Accounts are found by `accounts`: an [`AccountRule`],
    /// [`BoundAccounts`](crate::gateway::BoundAccounts), or a way of your own.
    pub fn new(accounts: A) -> Self {
        Self {
            accounts: Arc::new(accounts),
        }
    }
}

impl Default for AccountLayer {
    /// Persons are the accounts that the claim names.
    fn default() -> Self {
        Self::new(AccountRule::default())
    }
}

impl<A> Clone for AccountLayer<A> {
    fn clone(&self) -> Self {
        Self {
            accounts: self.accounts.clone(),
        }
    }
}

impl<S, A> Layer<S> for AccountLayer<A> {
    type Service = MapAccount<S, A>;

    fn layer(&self, inner: S) -> Self::Service {
        MapAccount {
            inner,
            accounts: self.accounts.clone(),
        }
    }
}

/// See the [module documentation](self).
#[derive(Debug)]
pub struct MapAccount<S, A> {
    inner: S,
    accounts: Arc<A>,
}

// === impl MapAccount ===

impl<S: Clone, A> Clone for MapAccount<S, A> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            accounts: self.accounts.clone(),
        }
    }
}

impl<S, A, R> Service<Verified<R>> for MapAccount<S, A>
where
    S: Service<Authenticated<R>> + Clone,
    S::Error: From<Error>,
    A: Accounts,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = ResponseFuture<S, R>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, verified: Verified<R>) -> Self::Future {
        let (caller, request) = verified.into_parts();
        let state = match self.accounts.find_now(&caller) {
            Some(Ok(user)) => State::Answering {
                answer: self.inner.call(authenticated(user, request)),
            },
            Some(Err(error)) => State::Refused { error: Some(error) },
            None => {
                // The service that was polled ready is the one that is called.
                let clone = self.inner.clone();
                let inner = std::mem::replace(&mut self.inner, clone);
                let accounts = self.accounts.clone();
                State::Finding {
                    find: Box::pin(async move { accounts.find(&caller).await }),
                    waiting: Some((inner, request)),
                }
            }
        };
        ResponseFuture { state }
    }
}

/// Where it becomes known whose request it is.
fn authenticated<R>(user: User, request: R) -> Authenticated<R> {
    notes::caller(|| user.shared_user_id());
    Authenticated { user, request }
}

pin_project! {
    /// The future of [`MapAccount`].
    pub struct ResponseFuture<S, R>
    where
        S: Service<Authenticated<R>>,
    {
        #[pin]
        state: State<S, R, S::Future>,
    }
}

pin_project! {
    #[project = StateProj]
    enum State<S, R, F> {
        Finding { find: Find, waiting: Option<(S, R)> },
        Answering { #[pin] answer: F },
        Refused { error: Option<Error> },
    }
}

type Find = Pin<Box<dyn Future<Output = Result<User, Error>> + Send>>;

// === impl ResponseFuture ===

impl<S, R> Future for ResponseFuture<S, R>
where
    S: Service<Authenticated<R>>,
    S::Error: From<Error>,
{
    type Output = Result<S::Response, S::Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.project().state;
        loop {
            let answer = match state.as_mut().project() {
                StateProj::Finding { find, waiting } => {
                    let user = ready!(find.as_mut().poll(cx))?;
                    let (mut inner, request) = waiting.take().expect("polled after completion");
                    inner.call(authenticated(user, request))
                }
                StateProj::Answering { answer } => return answer.poll(cx),
                StateProj::Refused { error } => {
                    let error = error.take().expect("polled after completion");
                    return Poll::Ready(Err(error.into()));
                }
            };
            state.set(State::Answering { answer });
        }
    }
}

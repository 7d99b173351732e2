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

use std::sync::Arc;
use std::task::{Context, Poll};

use tower::{Layer, Service};

use super::bearer::Verified;
use super::refusable::ResponseFuture;
use crate::gateway::{AccountRule, Error, User};
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
#[derive(Clone, Debug, Default)]
pub struct AccountLayer {
    rule: Arc<AccountRule>,
}

// === impl AccountLayer ===

impl AccountLayer {
    /// Accounts are found by `rule`.
    pub fn new(rule: AccountRule) -> Self {
        Self {
            rule: Arc::new(rule),
        }
    }
}

impl<S> Layer<S> for AccountLayer {
    type Service = MapAccount<S>;

    fn layer(&self, inner: S) -> Self::Service {
        MapAccount {
            inner,
            rule: self.rule.clone(),
        }
    }
}

/// See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct MapAccount<S> {
    inner: S,
    rule: Arc<AccountRule>,
}

// === impl MapAccount ===

impl<S, R> Service<Verified<R>> for MapAccount<S>
where
    S: Service<Authenticated<R>>,
    S::Error: From<Error>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, verified: Verified<R>) -> Self::Future {
        let (caller, request) = verified.into_parts();
        match self.rule.user(&caller) {
            Ok(user) => {
                notes::caller(|| user.shared_user_id());
                ResponseFuture::called(self.inner.call(Authenticated { user, request }))
            }
            Err(error) => ResponseFuture::refused(error),
        }
    }
}

//! Finds the account of a person ([docs/API.md](crate::docs::api), section 2.7).
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

use tower::Layer;

use super::admit::{Admission, Admit, Decision};
use super::bearer::Verified;
use crate::gateway::{AccountRule, Accounts, User};
use crate::groupware::notes;

/// A request whose account is known.
///
/// [`AccountLayer`] makes one. A stack that authenticates differently, or a test, uses
/// [`vouch`](Self::vouch).
#[derive(Debug)]
pub struct Authenticated<R> {
    user: User,
    request: R,
}

// === impl Authenticated ===

impl<R> Authenticated<R> {
    /// Asserts that `request` is from `user`. Everything below relies on it.
    pub fn vouch(user: User, request: R) -> Self {
        Self { user, request }
    }

    /// The user who makes the request.
    pub fn caller(&self) -> &User {
        &self.user
    }

    /// The request. The bearer layer has removed its `Authorization` field.
    pub fn request(&self) -> &R {
        &self.request
    }

    /// The request, mutably.
    pub fn request_mut(&mut self) -> &mut R {
        &mut self.request
    }

    /// The user and the request.
    pub fn into_parts(self) -> (User, R) {
        (self.user, self.request)
    }
}

/// Admits a request as one of its caller's account.
#[derive(Debug)]
pub struct AccountLayer<A = AccountRule> {
    accounts: Arc<A>,
}

// === impl AccountLayer ===

impl<A> AccountLayer<A> {
    /// Finds accounts with `accounts`: an [`AccountRule`],
    /// [`BoundAccounts`](crate::gateway::BoundAccounts), or your own implementation.
    pub fn new(accounts: A) -> Self {
        Self {
            accounts: Arc::new(accounts),
        }
    }
}

impl Default for AccountLayer {
    /// The account id is the value of the claim.
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
    type Service = Admission<S, Self>;

    fn layer(&self, inner: S) -> Self::Service {
        Admission::new(inner, self.clone())
    }
}

impl<A: Accounts, R: Send + 'static> Admit<Verified<R>> for AccountLayer<A> {
    type Admitted = Authenticated<R>;

    fn admit(&self, verified: Verified<R>) -> Decision<Authenticated<R>> {
        let (caller, request) = verified.into_parts();
        match self.accounts.find_now(&caller) {
            Some(user) => Decision::Now(user.map(|user| authenticated(user, request))),
            None => {
                let accounts = self.accounts.clone();
                Decision::later(async move {
                    let user = accounts.find(&caller).await?;
                    Ok(authenticated(user, request))
                })
            }
        }
    }
}

/// Records the caller as well: from here on it is known.
fn authenticated<R>(user: User, request: R) -> Authenticated<R> {
    notes::record_caller(|| user.shared_user_id());
    Authenticated { user, request }
}

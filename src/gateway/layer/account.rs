//! Finds the account of a person (docs/API.md, section 2.7).
//!
//! A token names an account, or a person at an identity provider. Here, once, that becomes the
//! account; the layers below know it alone. It makes an [`Authenticated`] request of a
//! [`Verified`] one, and the layers below accept no other. A person without an account is refused,
//! unless a login flow may bind them to one: then the start and the polls of one are admitted.
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
//!         Ok::<_, Error>(Response::new(request.principal().key().to_owned()))
//!     }));
//! let alice = Caller::of_person(Person::new("https://id.example.org", "alice"));
//! let response = service.oneshot(Verified::vouch(alice, Request::new(()))).await?;
//! assert_eq!(response.body(), "office-alice");
//! # Ok(())
//! # }
//! ```

use std::sync::Arc;

use http::Request;

use super::admit::{Admit, Decision};
use super::audit;
use super::bearer::Verified;
use crate::audit::AuditObserver;
use crate::gateway::makers::Makers;
use crate::gateway::{AccountRule, Accounts, Principal};
use crate::groupware::notes;

/// A request of which it is known who makes it.
///
/// [`AccountLayer`] makes one. A stack that authenticates differently, or a test, uses [`vouch`](Self::vouch).
#[derive(Debug)]
pub struct Authenticated<R> {
    principal: Principal,
    request: R,
}

// === impl Authenticated ===

impl<R> Authenticated<R> {
    /// Asserts that `request` is from `principal`. Everything below relies on it.
    pub fn vouch(principal: impl Into<Principal>, request: R) -> Self {
        let principal = principal.into();
        Self { principal, request }
    }

    /// Who makes the request.
    pub fn principal(&self) -> &Principal {
        &self.principal
    }

    /// The request. The bearer layer has removed its `Authorization` field.
    pub fn request(&self) -> &R {
        &self.request
    }

    /// Who makes the request, and the request.
    pub fn into_parts(self) -> (Principal, R) {
        (self.principal, self.request)
    }
}

/// Admits a request as one of its caller's account.
#[derive(Debug)]
pub struct AccountLayer<A = AccountRule> {
    accounts: Arc<A>,
    /// Gets the record of each read of somebody's credential by an administrator, which is logged in any case. Such
    /// records begin here, and need a [record layer](super::record) above.
    pub audit: Option<Arc<dyn AuditObserver>>,
    /// Told of each user.
    pub(crate) makers: Option<Arc<Makers>>,
}

// === impl AccountLayer ===

impl<A> AccountLayer<A> {
    /// Finds accounts with `accounts`: an [`AccountRule`],
    /// [`PolicyAccounts`](crate::gateway::PolicyAccounts), or your own implementation.
    pub fn new(accounts: A) -> Self {
        Self { accounts: Arc::new(accounts), audit: None, makers: None }
    }

    /// Records the account as well: from here on it is known.
    fn admitted<B>(&self, principal: Principal, request: Request<B>) -> Authenticated<Request<B>> {
        if let Principal::User(user) = &principal {
            notes::record_caller(|| user.user_id.clone());
            audit::begin(user, &request, self.audit.as_ref());
            if let Some(makers) = &self.makers {
                makers.saw(user);
            }
        }
        Authenticated { principal, request }
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
            audit: self.audit.clone(),
            makers: self.makers.clone(),
        }
    }
}

impl<A: Accounts, B: Send + 'static> Admit<Verified<Request<B>>> for AccountLayer<A> {
    type Admitted = Authenticated<Request<B>>;

    fn admit(&self, verified: Verified<Request<B>>) -> Decision<Self::Admitted> {
        let (caller, request) = verified.into_parts();
        match self.accounts.find_now(&caller) {
            Some(found) => Decision::Now(found.map(|principal| self.admitted(principal, request))),
            None => {
                let layer = self.clone();
                let (head, body) = request.into_parts();
                Decision::Later(Box::pin(async move {
                    let principal = layer.accounts.find(&caller, &head).await?;
                    Ok(layer.admitted(principal, Request::from_parts(head, body)))
                }))
            }
        }
    }
}

//! Verifies the token of a request again while its answer goes on (docs/API.md, section 12.5, rule 7).

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures_util::future::BoxFuture;
use http::request::Parts;
use tokio::time::Instant;

use super::layer::shared_key::SharedKeyLayer;
use super::{Accounts as _, Endpoint, Error, PolicyAccounts, Principal};
use crate::identity::{BearerToken, RefusalReason, TokenVerifier, VerifyError};
use crate::labels::labels;
use crate::opaque::opaque_debug;

/// How long a token counts that was verified.
const FRESH: Duration = Duration::from_secs(1);

labels! {
    /// Why the gateway ends a stream.
    pub enum End {
        Time = "time",
        Stopping = "stopping",
        /// Another one of the account has taken its place.
        Replaced = "replaced",
        Expired = "expired",
        Refused = "refused",
        /// The account is not the caller's any more.
        Unbound = "unbound",
        /// Whether the token is still accepted cannot be found out.
        Unverified = "unverified",
    }
}

/// What a request was authenticated by.
pub(crate) struct Presented {
    token: BearerToken,
    head: Parts,
    expires_at: Option<SystemTime>,
}

/// A token that was accepted, until it has to be verified again.
pub(crate) struct Lease {
    presented: Arc<Presented>,
    account: Box<str>,
    verified_at: Instant,
    expires_at: Option<SystemTime>,
}

/// Tells who presents a token, by the settings in force.
pub(crate) trait Authority: Send + Sync {
    fn find<'a>(
        &'a self,
        presented: &'a Presented,
    ) -> BoxFuture<'a, Result<(Principal, Option<SystemTime>), Error>>;
}

/// The verifier and the accounts of a stack.
pub(crate) struct OfStack<V> {
    pub(super) verifier: Arc<V>,
    pub(super) accounts: PolicyAccounts,
    pub(super) shared_key: SharedKeyLayer,
    /// The prefix of the scopes of operations, if they have some.
    pub(super) operation_scopes: Option<Arc<str>>,
}

impl<V: TokenVerifier> Authority for OfStack<V> {
    fn find<'a>(
        &'a self,
        presented: &'a Presented,
    ) -> BoxFuture<'a, Result<(Principal, Option<SystemTime>), Error>> {
        Box::pin(async {
            if !self.shared_key.admits_still(&presented.head.extensions) {
                return Err(Error::SharedKey);
            }
            let caller = self.verifier.verify(&presented.token, &presented.head);
            let caller = caller.await.map_err(Error::RefusedToken)?;
            let Parts { method, .. } = &presented.head;
            let principal = self.accounts.find(&caller, &presented.head).await?;
            let prefix = self.operation_scopes.as_deref();
            Endpoint::from_head(&presented.head).check_scope(method, &principal, prefix)?;
            Ok((principal, caller.expires_at))
        })
    }
}

// === impl Presented ===

impl Presented {
    /// Keeps what the request with this head presented, if its answer may go on for long.
    pub(super) fn keep(head: &mut Parts, token: BearerToken, expires_at: Option<SystemTime>) {
        if head.uri.path().ends_with("/deliveries/events") {
            let presented = Self { token, head: head.clone(), expires_at };
            head.extensions.insert(Arc::new(presented));
        }
    }
}

opaque_debug!(Presented);

// === impl Lease ===

impl Lease {
    /// Whoever has `account` has presented this just now.
    pub(super) fn new(presented: Arc<Presented>, account: &str) -> Self {
        let (verified_at, expires_at) = (Instant::now(), presented.expires_at);
        Self { account: account.into(), verified_at, expires_at, presented }
    }

    /// When it has to be verified again, if nothing else happens for `most`. A verifier may have a leeway.
    pub(super) fn next_check(&self, most: Duration) -> Instant {
        let left = self
            .expires_at
            .map_or(most, |at| at.duration_since(SystemTime::now()).unwrap_or_default());
        Instant::now() + left.clamp(FRESH, most.max(FRESH))
    }

    /// Verifies the token again, unless that was done within the last second.
    pub(super) async fn check(&mut self, authority: Option<Arc<dyn Authority>>) -> Result<(), End> {
        let Some(authority) = authority.filter(|_| self.verified_at.elapsed() >= FRESH) else {
            return Ok(());
        };
        match authority.find(&self.presented).await {
            Ok((principal, expires_at)) if principal.key() == &*self.account => {
                self.verified_at = Instant::now();
                self.expires_at = expires_at;
                Ok(())
            }
            Ok(_) | Err(Error::NotBound { .. }) => Err(End::Unbound),
            Err(Error::InsufficientScope(_) | Error::SharedKey) => Err(End::Refused),
            Err(Error::RefusedToken(VerifyError::Refused(refusal))) => Err(match refusal.reason {
                RefusalReason::Expired => End::Expired,
                _ => End::Refused,
            }),
            Err(_) => Err(End::Unverified),
        }
    }
}

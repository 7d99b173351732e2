//! Logging in: by HTTP Basic while a refusal would not harm other users, otherwise by bearer token.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use super::permits::{Permit, WINDOW};
use super::{Inner, Logins};
use crate::gateway::Error;
use crate::gateway::run_to_end::RunToEnd;
use crate::gateway::users::Use;
use crate::groupware::{
    Access, Account, AccountError, Groupware, LoginEvidence, Reply, has_the_form_of_an_app_password,
};
use crate::vault::AppPassword;

/// How long a call that was refused by bearer token waits, while all permits are spent, for another call
/// to show that the server takes such tokens.
const PROOF_PATIENCE: Duration = Duration::from_secs(2);

/// A login: the password, the server and the account.
pub(super) struct Login<'a> {
    pub(super) groupware: &'a Groupware,
    pub(super) client_address: Option<IpAddr>,
    pub(super) user_id: Arc<str>,
    pub(super) login_name: &'a str,
    pub(super) password: &'a AppPassword,
    /// Present if the password is stored; it is suspended when it is refused.
    pub(super) stored: Option<Stored<'a>>,
}

/// Which stored password it is.
#[derive(Clone, Copy)]
pub(super) struct Stored<'a> {
    pub(super) revision: u64,
    pub(super) in_use: &'a Use,
}

/// Which scheme is tried first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// HTTP Basic, if a permit is free at this instant: for a password that is expected to work.
    Basic,
    /// Bearer: for a password that may be wrong.
    Bearer,
    /// Bearer, for a password that was refused before. Where a refused bearer token proves nothing, it is tried by
    /// HTTP Basic if a permit is free, and only if it `may_cost` one.
    Retry { may_cost: bool },
}

/// The scheme that was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scheme {
    Basic,
    Bearer,
    /// HTTP Basic, after the server refused the password as a bearer token.
    BasicAfterBearer,
}

// === impl Login ===

impl Login<'_> {
    pub(super) fn by_basic(&self) -> Result<Access, Error> {
        self.access(Account::new(
            self.user_id.clone(),
            self.login_name,
            self.password.expose(),
        ))
    }

    fn by_bearer(&self) -> Result<Access, Error> {
        self.access(Account::bearer(
            self.user_id.clone(),
            self.password.expose(),
        ))
    }

    fn access(&self, account: Result<Account, AccountError>) -> Result<Access, Error> {
        let account = account.map_err(|error| Error::Credential(error.into()))?;
        let access = Access::new(self.groupware.clone(), account);
        Ok(access.with_client_address(self.client_address))
    }
}

// === impl Logins ===

impl Logins {
    /// Makes `call` with `login`, and again with the other scheme if the first answer does not show whether the
    /// password is valid. A refused password is suspended here; the caller resumes a suspended one that works.
    pub(super) async fn log_in<T, R, E, F>(
        &self,
        login: &Login<'_>,
        order: Order,
        call: &mut impl FnMut(Access) -> F,
    ) -> Result<(Reply<T, R>, Scheme), E>
    where
        T: Send + 'static,
        R: Send + 'static,
        E: From<Error> + Send + 'static,
        F: Future<Output = Result<Reply<T, R>, E>> + Send + 'static,
    {
        let bearer = &self.inner.bearer;
        let mut throttled = None;
        // If the server takes HTTP Basic only, nobody overtakes the calls that wait for a permit.
        if order == Order::Basic
            && bearer.may_be_tried()
            && !bearer.is_throttled()
            && let Some(permit) = self.permit().await
        {
            let reply = self
                .by_basic(login, permit, call(login.by_basic()?))
                .await?;
            if reply.login != LoginEvidence::Throttled {
                return Ok((reply, Scheme::Basic));
            }
            throttled = Some(reply);
        }
        // Boxed, as it is seldom needed: it would enlarge the future of every call.
        Box::pin(self.by_bearer(login, order, throttled, call)).await
    }

    /// Makes `call` by bearer token, and by HTTP Basic if a refused token proves nothing. `throttled` is the answer if
    /// the server throttled HTTP Basic just now.
    async fn by_bearer<T, R, E, F>(
        &self,
        login: &Login<'_>,
        order: Order,
        throttled: Option<Reply<T, R>>,
        call: &mut impl FnMut(Access) -> F,
    ) -> Result<(Reply<T, R>, Scheme), E>
    where
        T: Send + 'static,
        R: Send + 'static,
        E: From<Error> + Send + 'static,
        F: Future<Output = Result<Reply<T, R>, E>> + Send + 'static,
    {
        let bearer = &self.inner.bearer;
        if order == (Order::Retry { may_cost: false }) && !self.believes_bearer(login).await {
            return Err(Error::Suspended.into());
        }
        let mut refused = None;
        if bearer.may_be_tried() {
            let reply = call(login.by_bearer()?).await?;
            match reply.login {
                LoginEvidence::Refused | LoginEvidence::Intercepted
                    if !self.believes_bearer(login).await =>
                {
                    refused = Some(reply);
                }
                evidence => {
                    self.answered_by_bearer(login, evidence).await?;
                    return Ok((reply, Scheme::Bearer));
                }
            }
        }
        if let Some(reply) = throttled {
            return Ok((reply, Scheme::Basic));
        }
        // Only HTTP Basic can show whether the password is valid.
        let permit = match order {
            Order::Basic | Order::Bearer => self.wait_for_permit(login, refused.is_some()).await?,
            Order::Retry { may_cost: true } => self.permit().await,
            Order::Retry { may_cost: false } => None,
        };
        match (permit, refused) {
            (Some(permit), refused) => {
                let reply = self
                    .by_basic(login, permit, call(login.by_basic()?))
                    .await?;
                let scheme = match refused {
                    None => Scheme::Basic,
                    Some(_) => Scheme::BasicAfterBearer,
                };
                if scheme == Scheme::BasicAfterBearer
                    && reply.login == LoginEvidence::Accepted
                    && has_the_form_of_an_app_password(login.password.expose())
                {
                    bearer.did_not_work();
                }
                Ok((reply, scheme))
            }
            // Meanwhile another call has shown that the server takes bearer tokens.
            (None, Some(reply)) if bearer.works() => {
                self.answered_by_bearer(login, reply.login).await?;
                Ok((reply, Scheme::Bearer))
            }
            (None, _) => Err(Error::Suspended.into()),
        }
    }

    /// A permit, if one is free at this instant.
    pub(super) async fn permit(&self) -> Option<Permit> {
        self.inner.permits.take(self.vault()).await
    }

    /// Waits for a permit; `None` if the server turns out to take bearer tokens, so that the refused one proves that
    /// the password is invalid.
    async fn wait_for_permit(
        &self,
        login: &Login<'_>,
        was_refused_by_bearer: bool,
    ) -> Result<Option<Permit>, Error> {
        let is_needless = || was_refused_by_bearer && self.inner.bearer.works();
        let patience = if was_refused_by_bearer {
            PROOF_PATIENCE
        } else {
            Duration::ZERO
        };
        let permits = &self.inner.permits;
        let permit = permits.wait(self.vault(), patience, is_needless);
        let permit = permit.await;
        // Other calls may have shown meanwhile that the password is invalid.
        if let Some(Stored { revision, .. }) = login.stored {
            let record = self.vault().stored(&login.user_id).await?;
            let record = record.ok_or(Error::NotProvisioned)?;
            if record.revision() != revision || record.suspended_at().is_some() {
                return Err(Error::Suspended);
            }
        }
        permit.map_err(Error::TooManyRefused)
    }

    /// Makes `call` by HTTP Basic. It completes even if the caller disconnects, so that every refusal is counted.
    pub(super) fn by_basic<T, R, E>(
        &self,
        login: &Login<'_>,
        permit: Permit,
        call: impl Future<Output = Result<Reply<T, R>, E>> + Send + 'static,
    ) -> RunToEnd<Result<Reply<T, R>, E>>
    where
        T: Send + 'static,
        R: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let logins = self.clone();
        let user_id = login.user_id.clone();
        let stored = login.stored.map(|it| (it.revision, it.in_use.clone()));
        self.run_to_end(async move {
            let reply = call.await?;
            match reply.login {
                LoginEvidence::Refused => {
                    logins.refused_by_basic(permit).await;
                    if let Some((revision, _)) = &stored {
                        let suspended = logins.vault().suspend(&user_id, *revision).await;
                        suspended.map_err(Error::from)?;
                    }
                }
                LoginEvidence::Throttled => logins.inner.bearer.throttled(),
                LoginEvidence::Accepted | LoginEvidence::Intercepted | LoginEvidence::None => {}
            }
            drop(stored);
            Ok(reply)
        })
    }

    /// Spends the permit, in this process and in the store.
    async fn refused_by_basic(&self, permit: Permit) {
        permit.spend();
        self.inner.refused_by_basic.fetch_add(1, Ordering::Relaxed);
        let now = SystemTime::now();
        let noted = self.vault().put_refused_login(now, now - 2 * WINDOW);
        if let Err(error) = noted.await {
            tracing::warn!(%error, "a refused login could not be stored: a restart will forget it");
        }
    }

    /// Records whether a bearer token was accepted or refused.
    async fn answered_by_bearer(
        &self,
        login: &Login<'_>,
        evidence: LoginEvidence,
    ) -> Result<(), Error> {
        match evidence {
            LoginEvidence::Accepted => {
                let Inner {
                    bearer, permits, ..
                } = &*self.inner;
                if !bearer.works() {
                    let server = login.groupware.url();
                    bearer.worked(self.vault(), server).await;
                    permits.notify();
                }
            }
            LoginEvidence::Refused => {
                self.inner.refused_by_bearer.fetch_add(1, Ordering::Relaxed);
                if let Some(Stored { revision, .. }) = login.stored {
                    self.vault().suspend(&login.user_id, revision).await?;
                }
            }
            LoginEvidence::Throttled | LoginEvidence::Intercepted | LoginEvidence::None => {}
        }
        Ok(())
    }

    /// Whether a refused bearer token proves that the password is invalid: the server is known to take such tokens.
    async fn believes_bearer(&self, login: &Login<'_>) -> bool {
        let (bearer, server) = (&self.inner.bearer, login.groupware.url());
        bearer.is_known_to_work(self.vault(), server).await
    }
}

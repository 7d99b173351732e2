//! Logging in: by HTTP Basic while a refusal would not harm other users, otherwise by bearer token.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use tokio::time::Instant;

use super::Logins;
use super::permits::{Permit, Permits, WINDOW};
use crate::gateway::Error;
use crate::gateway::run_to_end::RunToEnd;
use crate::gateway::users::{Turn, Use};
use crate::groupware::{
    Access, Account, AccountError, Groupware, LoginEvidence, Reply, has_the_form_of_an_app_password,
};
use crate::vault::{AppPassword, Vault};

/// How long a call refused by bearer token waits for another to show that the server takes them, without permits.
const PROOF_PATIENCE: Duration = Duration::from_secs(2);

/// A login that is to be made: the password, the server and the account.
pub(super) struct ServerLogin<'a> {
    pub(super) groupware: &'a Groupware,
    pub(super) client_address: Option<IpAddr>,
    pub(super) user_id: Arc<str>,
    pub(super) login_name: &'a str,
    pub(super) password: &'a AppPassword,
    /// Present if the password is stored; it is suspended when it is refused.
    pub(super) stored: Option<Stored<'a>>,
}

pub(super) struct Stored<'a> {
    pub(super) revision: u64,
    pub(super) in_use: &'a Use,
    /// Needed to log in by HTTP Basic. Taken before the record was read, so that an earlier refusal is known.
    pub(super) turn: Option<Turn>,
}

/// Which scheme is tried first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SchemePreference {
    /// HTTP Basic, if a permit is free at this instant: for a password that is expected to work.
    Basic,
    /// Bearer: for a password that may be wrong.
    Bearer,
    /// Bearer, for a password that HTTP Basic refused: it is tried that way again only where no bearer token can be sent.
    AvoidBasic,
    /// Bearer, for a suspended password. Where a refusal proves nothing, HTTP Basic follows if a permit is free.
    Retry,
    /// Bearer, for a suspended password that may not spend a permit.
    RetryByBearer,
}

/// What a refusal by HTTP Basic leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AfterRefusal {
    /// The same call by bearer token, which decides: a wrong login name is refused only by HTTP Basic. From now on,
    /// no call uses HTTP Basic unless it has to.
    AskBearer,
    Suspend,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    Basic,
    Bearer,
}

// === impl ServerLogin ===

impl ServerLogin<'_> {
    /// Whether it may be made by HTTP Basic now.
    fn has_turn(&self) -> bool {
        let stored = self.stored.as_ref();
        stored.is_none_or(|stored| stored.turn.is_some())
    }

    pub(super) fn by_basic(&self) -> Result<Access, Error> {
        self.access(Account::new(self.user_id.clone(), self.login_name, self.password.expose()))
    }

    fn by_bearer(&self) -> Result<Access, Error> {
        self.access(Account::bearer(self.user_id.clone(), self.password.expose()))
    }

    fn access(&self, account: Result<Account, AccountError>) -> Result<Access, Error> {
        let account = account.map_err(|error| Error::Credential(error.into()))?;
        let (groupware, client_address) = (self.groupware.clone(), self.client_address);
        Ok(Access { groupware, account, client_address })
    }
}

// === impl Stored ===

impl Stored<'_> {
    /// A permit, if one is free now: in the turn of this call or, if the password is known to work, in a further one.
    async fn permit(&mut self, permits: &Arc<Permits>, vault: &Vault) -> Option<Permit> {
        let needs_turn = self.turn.is_none();
        if needs_turn && !self.in_use.is_proven(self.revision) {
            return None;
        }
        let is_further = needs_turn || self.in_use.turns() > 1;
        let permit = permits.take(vault, is_further).await?;
        if needs_turn {
            self.turn = Some(self.in_use.further_turn());
        }
        Some(permit)
    }
}

// === impl Logins ===

impl Logins {
    /// Makes `call` with `login`, and again with the other scheme if the first answer does not show whether the
    /// password is valid. A refused password is suspended here; the caller resumes a suspended one that works.
    pub(super) async fn log_in<T, R, F>(
        &self,
        login: &mut ServerLogin<'_>,
        preference: SchemePreference,
        call: &mut impl FnMut(Access) -> F,
    ) -> Result<(Reply<T, R>, Scheme), Error>
    where
        T: Send + 'static,
        R: Send + 'static,
        F: Future<Output = Result<Reply<T, R>, Error>> + Send + 'static,
    {
        let bearer = &self.inner.bearer;
        let mut unproven = None;
        let (goes_by_basic, after_refusal) = if bearer.may_be_tried() {
            (!bearer.is_throttled(), AfterRefusal::AskBearer)
        } else {
            // If the server takes HTTP Basic only, nobody overtakes the calls that wait for a permit.
            (self.permits(login).is_none(), AfterRefusal::Suspend)
        };
        if preference == SchemePreference::Basic
            && goes_by_basic
            && let Some(permit) = self.permit(login).await
        {
            let called = call(login.by_basic()?);
            let reply = self.by_basic(login, permit, after_refusal, called).await?;
            match reply.login {
                // Perhaps only the login name is wrong, which a bearer token does not contain.
                LoginEvidence::Refused | LoginEvidence::Throttled => unproven = Some(reply),
                _ => return Ok((reply, Scheme::Basic)),
            }
        }
        // Boxed, as it is seldom needed: it would enlarge the future of every call.
        Box::pin(self.by_bearer(login, preference, unproven, call)).await
    }

    /// Makes `call` by bearer token, and by HTTP Basic if a refused token proves nothing. `basic` is the answer if
    /// HTTP Basic was refused or throttled just now.
    async fn by_bearer<T, R, F>(
        &self,
        login: &mut ServerLogin<'_>,
        preference: SchemePreference,
        basic: Option<Reply<T, R>>,
        call: &mut impl FnMut(Access) -> F,
    ) -> Result<(Reply<T, R>, Scheme), Error>
    where
        T: Send + 'static,
        R: Send + 'static,
        F: Future<Output = Result<Reply<T, R>, Error>> + Send + 'static,
    {
        let bearer = &self.inner.bearer;
        if preference == SchemePreference::RetryByBearer && !self.believes_bearer(login).await {
            return Err(Error::Suspended);
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
                    let was_refused = |basic: &Reply<T, R>| basic.login == LoginEvidence::Refused;
                    if evidence == LoginEvidence::Accepted
                        && basic.as_ref().is_some_and(was_refused)
                    {
                        self.inner.wrong_login_names.count(&login.user_id);
                    }
                    return Ok((reply, Scheme::Bearer));
                }
            }
        }
        if let Some(reply) = basic {
            if reply.login == LoginEvidence::Refused {
                self.suspend(login).await?;
            }
            return Ok((reply, Scheme::Basic));
        }
        if preference == SchemePreference::AvoidBasic
            && let Some(reply) = refused
        {
            self.suspend(login).await?;
            return Ok((reply, Scheme::Bearer));
        }
        // Only HTTP Basic can show whether the password is valid.
        let permit = match preference {
            SchemePreference::Basic | SchemePreference::Bearer | SchemePreference::AvoidBasic => {
                self.wait_for_permit(login, refused.is_some()).await?
            }
            SchemePreference::Retry if login.has_turn() => self.permit(login).await,
            SchemePreference::Retry | SchemePreference::RetryByBearer => None,
        };
        match (permit, refused) {
            (Some(permit), refused) => {
                let called = call(login.by_basic()?);
                let reply = self.by_basic(login, permit, AfterRefusal::Suspend, called).await?;
                if refused.is_some()
                    && reply.login == LoginEvidence::Accepted
                    && has_the_form_of_an_app_password(login.password.expose())
                {
                    bearer.did_not_work();
                }
                Ok((reply, Scheme::Basic))
            }
            // Meanwhile another call has shown that the server takes bearer tokens.
            (None, Some(reply)) if bearer.works() => {
                self.answered_by_bearer(login, reply.login).await?;
                Ok((reply, Scheme::Bearer))
            }
            (None, _) => Err(Error::Suspended),
        }
    }

    /// What bounds the refusals of `login`; `None` if the server counts none that come from this gateway.
    fn permits(&self, login: &ServerLogin<'_>) -> Option<&Arc<Permits>> {
        // For a call with the address of its client, the server counts by that, which may not be on the list.
        let is_allow_listed =
            || login.client_address.is_none() && login.groupware.is_allow_listed();
        self.inner.permits.as_ref().filter(|_| !is_allow_listed())
    }

    pub(super) async fn permit(&self, login: &mut ServerLogin<'_>) -> Option<Permit> {
        let Some(permits) = self.permits(login) else {
            return Some(Permit::uncounted());
        };
        match &mut login.stored {
            Some(stored) => stored.permit(permits, self.vault()).await,
            None => permits.take(self.vault(), false).await,
        }
    }

    /// Waits for a permit; `None` if the server takes bearer tokens after all: then the refused one was invalid.
    async fn wait_for_permit(
        &self,
        login: &mut ServerLogin<'_>,
        was_refused_by_bearer: bool,
    ) -> Result<Option<Permit>, Error> {
        let is_needless = || was_refused_by_bearer && self.inner.bearer.works();
        let patience = was_refused_by_bearer.then_some(PROOF_PATIENCE);
        let patience = patience.unwrap_or_default();
        let Some(permits) = self.permits(login) else {
            return Ok(Some(Permit::uncounted()));
        };
        let mut further = None;
        if let Some(stored) = &mut login.stored
            && stored.turn.is_none()
        {
            loop {
                stored.turn = stored.in_use.try_turn();
                if stored.turn.is_none() {
                    further = stored.permit(permits, self.vault()).await;
                }
                if stored.turn.is_some() {
                    break;
                }
                stored.in_use.turn_ended().await;
            }
            self.check_standing(login).await?;
        }
        let permit = match further {
            Some(permit) => Ok(Some(permit)),
            None => permits.wait(self.vault(), patience, is_needless).await,
        };
        self.check_standing(login).await?;
        if let Some(stored) = &login.stored
            && stored.in_use.is_proven(stored.revision)
        {
            stored.in_use.pass_on();
        }
        permit.map_err(Error::TooManyRefused)
    }

    /// Whether a stored password is still the one, and in good standing: other calls may have shown that it is not.
    async fn check_standing(&self, login: &ServerLogin<'_>) -> Result<(), Error> {
        let Some(stored) = &login.stored else {
            return Ok(());
        };
        let record = self.vault().stored(&login.user_id).await?.ok_or(Error::NotProvisioned)?;
        if record.revision() != stored.revision || record.suspended_at().is_some() {
            return Err(Error::Suspended);
        }
        Ok(())
    }

    /// Makes `call` by HTTP Basic, in the turn of `login`. It completes even if the caller disconnects, so that every
    /// refusal is counted, and is known before the next turn.
    pub(super) fn by_basic<T, R>(
        &self,
        login: &mut ServerLogin<'_>,
        permit: Permit,
        after_refusal: AfterRefusal,
        call: impl Future<Output = Result<Reply<T, R>, Error>> + Send + 'static,
    ) -> RunToEnd<Result<Reply<T, R>, Error>>
    where
        T: Send + 'static,
        R: Send + 'static,
    {
        let (logins, began) = (self.clone(), Instant::now());
        let user_id = login.user_id.clone();
        let stored = login.stored.as_mut();
        let stored =
            stored.map(|stored| (stored.revision, stored.in_use.clone(), stored.turn.take()));
        self.run_to_end(async move {
            let reply = call.await?;
            match reply.login {
                LoginEvidence::Refused => {
                    if let Some((_, in_use, _)) = &stored {
                        in_use.set_proof(None);
                    }
                    logins.refused_by_basic(permit).await;
                    if let Some((revision, in_use, _)) = &stored {
                        let vault = logins.vault();
                        match after_refusal {
                            AfterRefusal::AskBearer => {
                                in_use.avoid_basic(*revision);
                                let marked = vault.mark_refused_by_basic(&user_id, *revision, true);
                                if let Err(error) = marked.await {
                                    logins.inner.unstored_standing.count(&error);
                                }
                            }
                            AfterRefusal::Suspend => {
                                vault.suspend(&user_id, *revision).await?;
                            }
                        }
                    }
                }
                LoginEvidence::Throttled => logins.inner.bearer.throttled(),
                LoginEvidence::Accepted => {
                    if let Some((revision, in_use, _)) = &stored {
                        in_use.set_proof(Some((*revision, began)));
                    }
                }
                LoginEvidence::Intercepted | LoginEvidence::None => {}
            }
            drop(stored);
            Ok(reply)
        })
    }

    /// Spends the permit, in this process and in the store.
    async fn refused_by_basic(&self, permit: Permit) {
        self.inner.refused_by_basic.fetch_add(1, Ordering::Relaxed);
        if !permit.spend() {
            return;
        }
        let now = SystemTime::now();
        let noted = self.vault().put_refused_login(now, now - 2 * WINDOW);
        if let Err(error) = noted.await {
            self.inner.unstored_refusals.count(&error);
        }
    }

    async fn answered_by_bearer(
        &self,
        login: &ServerLogin<'_>,
        evidence: LoginEvidence,
    ) -> Result<(), Error> {
        match evidence {
            LoginEvidence::Accepted => {
                let bearer = &self.inner.bearer;
                if !bearer.works() {
                    let server = login.groupware.url();
                    bearer.worked(self.vault(), server).await;
                    if let Some(permits) = &self.inner.permits {
                        permits.notify();
                    }
                }
            }
            LoginEvidence::Refused => {
                self.inner.refused_by_bearer.fetch_add(1, Ordering::Relaxed);
                self.suspend(login).await?;
            }
            LoginEvidence::Throttled | LoginEvidence::Intercepted | LoginEvidence::None => {}
        }
        Ok(())
    }

    async fn suspend(&self, login: &ServerLogin<'_>) -> Result<(), Error> {
        if let Some(stored) = &login.stored {
            self.vault().suspend(&login.user_id, stored.revision).await?;
        }
        Ok(())
    }

    /// Whether a refused bearer token proves that the password is invalid: the server is known to take such tokens.
    async fn believes_bearer(&self, login: &ServerLogin<'_>) -> bool {
        let (bearer, server) = (&self.inner.bearer, login.groupware.url());
        bearer.is_known_to_work(self.vault(), server).await
    }
}

//! Enrolling a password: checked at the server, then stored.

use std::net::IpAddr;
use std::sync::Arc;

use super::Logins;
use crate::audit::Attempt;
use crate::gateway::Error;
use crate::gateway::keyed_mutex::KeyedGuard;
use crate::groupware::Groupware;
use crate::vault::{AppPassword, BindOutcome, Login, LoginFlow, Metadata};

/// A password that is to be stored.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) login: Login,
    pub(crate) source: Source,
}

/// Where a password comes from, which decides what limits its check and how it is stored.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// The user sent it. The number of refused passwords of a user within an hour is limited.
    User,
    /// Somebody sent it in the user's name, by HTTP Basic: only the password shows who. The same limit applies,
    /// counted separately. It gets these scopes ([`Vault::put_with_scopes`](crate::vault::Vault::put_with_scopes)).
    Basic(Option<Box<str>>),
    /// The server handed it out for this login flow, which is stored as granted with it.
    LoginFlow(LoginFlow),
}

/// The right to change the stored password of one user. While it is held, nobody else stores or destroys one.
pub(crate) struct CredentialLock {
    logins: Logins,
    user_id: Arc<str>,
    _guard: KeyedGuard,
}

// === impl Logins ===

impl Logins {
    /// Waits until nobody else stores or destroys a password of `user_id`.
    pub(crate) async fn lock(&self, user_id: &str) -> CredentialLock {
        CredentialLock {
            logins: self.clone(),
            user_id: user_id.into(),
            _guard: self.inner.changes.lock(user_id).await,
        }
    }

    /// Checks `candidate` at the server, and stores it if it opens the account of `user_id`.
    ///
    /// Once it has begun, it completes even if the caller disconnects. It ends `attempt`.
    pub(crate) async fn enroll(
        &self,
        groupware: Option<Groupware>,
        user_id: &str,
        client_address: Option<IpAddr>,
        candidate: Candidate,
        attempt: Attempt,
    ) -> Result<Metadata, Error> {
        // It outlives its caller, who may be anybody: so only a few run at once, and none that waits holds up the user.
        let enrollments = self.inner.basic_enrollments.clone();
        let permit = match candidate.source {
            Source::Basic(_) => enrollments.acquire_owned().await.ok(),
            Source::User | Source::LoginFlow(_) => None,
        };
        let lock = self.lock(user_id).await;
        let enrollment = self.run_audited(attempt, async move {
            let _permit = permit;
            let groupware = groupware.ok_or(Error::NotConfigured)?;
            lock.enroll(&groupware, client_address, &candidate).await
        });
        enrollment.await
    }
}

// === impl CredentialLock ===

impl CredentialLock {
    /// Checks `candidate` at the server, and stores it if it opens the user's own account.
    /// Fails like [`prove`](Logins::prove), and with [`Error::UnknownFlow`] if the login flow of the candidate has ended
    /// in the meantime. Nothing is stored then.
    pub(crate) async fn enroll(
        &self,
        groupware: &Groupware,
        client_address: Option<IpAddr>,
        candidate: &Candidate,
    ) -> Result<Metadata, Error> {
        let (logins, login) = (&self.logins, &candidate.login);
        logins.check_with_name(&self.user_id, groupware, client_address, candidate).await?;
        let replaced = self.discard_replaced(&login.password).await?;
        let vault = logins.vault();
        let stored = match &candidate.source {
            Source::User => Some(vault.put(&self.user_id, &login.name, &login.password).await?),
            Source::Basic(scopes) => {
                let (password, scopes) = (&login.password, scopes.as_deref());
                Some(vault.put_with_scopes(&self.user_id, &login.name, password, scopes).await?)
            }
            Source::LoginFlow(flow) => vault.grant_flow(flow, login).await?,
        };
        self.destroy_replaced(groupware, replaced).await;
        stored.ok_or(Error::UnknownFlow)
    }

    /// Binds the person whom `issuer` calls `subject` to this account, which granted `flow`, and
    /// stores its password: both or neither. The server has just confirmed whose password it is.
    pub(crate) async fn bind(
        &self,
        groupware: &Groupware,
        flow: &LoginFlow,
        person: (&str, &str),
        login: &Login,
    ) -> Result<BindOutcome, Error> {
        let replaced = self.discard_replaced(&login.password).await?;
        let vault = self.logins.vault();
        let outcome = vault.grant_flow_and_bind(flow, person, &self.user_id, login).await?;
        self.destroy_replaced(groupware, replaced).await;
        Ok(outcome)
    }

    /// Destroys the password that was to be replaced, if one was stored in its place.
    async fn destroy_replaced(&self, groupware: &Groupware, replaced: Option<LoginFlow>) {
        let Some(replaced) = replaced else {
            return;
        };
        if let Err(error) = self.logins.destroy_leftover(groupware, &replaced).await {
            tracing::warn!(
                %error, user = &*self.user_id,
                "a password that was replaced could not be destroyed yet, and still works: another try follows"
            );
        }
    }

    /// Records that the stored password is to be destroyed once `next` replaces it, if it came from a login flow, so
    /// that nobody else knows it. A suspended one may work again, if its account was disabled; but where only HTTP Basic
    /// can be tried, that would spend permits.
    async fn discard_replaced(&self, next: &AppPassword) -> Result<Option<LoginFlow>, Error> {
        let logins = &self.logins;
        // A record that cannot be opened is replaced anyway.
        let Ok(Some(stored)) = logins.vault().credential(&self.user_id).await else {
            return Ok(None);
        };
        let is_same = stored.password == *next;
        let is_costly = stored.suspended_at.is_some() && !logins.inner.bearer.may_be_tried();
        if !stored.is_from_flow || is_same || is_costly {
            return Ok(None);
        }
        logins.discard(&self.user_id, stored.login()).await.map(Some)
    }
}

//! Picking up the app password that a login flow has granted.
//!
//! The server returns a granted password once. So picking it up and what follows run to completion even if the caller
//! leaves, and each step is stored before the next, so that a restarted gateway continues from there.

use std::net::IpAddr;
use std::time::{Duration, SystemTime};

use secrecy::{ExposeSecret as _, SecretString};

use crate::audit::{Action, Attempt, Auditor};
use crate::gateway::login::{Candidate, CredentialLock, Source};
use crate::gateway::{Error, Logins, Principal, UnboundPerson};
use crate::groupware::{self, Effect, Grant, Groupware, GroupwareError, LOST_GRANT, WriteError};
use crate::vault::{AppPassword, BindOutcome, FlowState, Login, LoginFlow, VaultError};

/// How often, and at what interval, a failed write of a password that the server has handed out is retried.
const STORE_RETRIES: u32 = 15;
const STORE_INTERVAL: Duration = Duration::from_secs(1);

pub(super) struct Pickup {
    pub(super) groupware: Groupware,
    pub(super) logins: Logins,
    /// Whose flow it is: the password of a user is stored, a person is bound to the account that grants.
    pub(super) owner: Principal,
    /// Of the owner, so that of two concurrent polls one picks the password up and the other can tell.
    pub(super) lock: CredentialLock,
    pub(super) client_address: Option<IpAddr>,
    pub(super) auditor: Auditor,
}

impl Pickup {
    /// Advances the flow as far as possible; returns whether it is granted.
    ///
    /// It is audited from the moment at which the server has returned the password, or may have.
    pub(super) async fn advance(&self, mut flow: LoginFlow) -> Result<bool, Error> {
        let (mut asked, state) = (flow.state.clone(), flow.state.clone());
        let grant = match &mut asked {
            FlowState::Pending { login_url, poll_path, poll_token, is_in_doubt } => {
                let pending = groupware::PendingLoginFlow {
                    login_url: login_url.to_string(),
                    poll_path: poll_path.to_string(),
                    poll_token: SecretString::from(&***poll_token),
                };
                let was_in_doubt = std::mem::replace(is_in_doubt, true);
                let vault = self.logins.vault();
                // If the store cannot be written to, the password would be lost: so a write is tried first. After a
                // crash, it says that the answer is not known.
                match vault.update_flow(&flow, asked).await? {
                    Some(asked) => flow = asked,
                    // Another gateway is picking the password up, or has.
                    None => {
                        let found = vault.flow(flow.user_id(), flow.flow_id()).await?;
                        let now = found.ok_or(Error::UnknownFlow)?;
                        return Ok(matches!(now.state, FlowState::Granted));
                    }
                }
                let (groupware, address) = (&self.groupware, self.client_address);
                match groupware.poll_login_flow(&pending, address).await {
                    Ok(Some(grant)) => Some(grant),
                    Err(error) if error.effect() == Effect::Unknown => {
                        return Error::audit(&self.attempt(), Err(error.into()));
                    }
                    known => {
                        if !was_in_doubt {
                            vault.update_flow(&flow, state).await?;
                        }
                        known?;
                        return Ok(false);
                    }
                }
            }
            _ => None,
        };
        let attempt = self.attempt();
        Error::audit(&attempt, self.take(flow, grant, &attempt).await)
    }

    /// The attempt that begins when the flow is granted.
    fn attempt(&self) -> Attempt {
        match &self.owner {
            Principal::User(user) => {
                self.auditor.attempt(Action::GrantCredential).user(user.user_id())
            }
            Principal::Unbound(person) => {
                let (issuer, subject) = person.names();
                let attempt = self.auditor.attempt(Action::Bind);
                attempt.found_person(issuer, subject);
                attempt
            }
        }
    }

    /// Uses the password: the one in `grant`, or else the one in the flow.
    async fn take(
        &self,
        mut flow: LoginFlow,
        grant: Option<Grant>,
        attempt: &Attempt,
    ) -> Result<bool, Error> {
        if let Some(grant) = grant {
            flow = self.collect(&flow, grant).await?;
        }
        match &flow.state {
            FlowState::Collected(login) => match &self.owner {
                Principal::User(_) => self.enroll(&flow, login).await,
                Principal::Unbound(person) => self.bind(person, &flow, login, attempt).await,
            },
            FlowState::Granted => Ok(true),
            _ => Err(Error::UnknownFlow),
        }
    }

    /// Stores the granted password, before anything else can go wrong.
    async fn collect(&self, flow: &LoginFlow, grant: Grant) -> Result<LoginFlow, Error> {
        let granted = AppPassword::new(grant.app_password.expose_secret());
        let password = granted.map_err(|fault| {
            let (reason, source) = ("its password is no app password", Some(fault.into()));
            WriteError::new(GroupwareError::Unreadable { reason, source }, LOST_GRANT)
        })?;
        let login = Login { name: grant.login_name.into(), password };
        let collected = FlowState::Collected(login.clone());
        let vault = self.logins.vault();
        let store = async || match vault.update_flow(flow, collected.clone()).await {
            // Perhaps by a write before whose answer was lost.
            Ok(None) => vault.flow(flow.user_id(), flow.flow_id()).await,
            stored => stored,
        };
        let (mut stored, mut may_be_stored) = (store().await, false);
        // The store took a write a moment ago: perhaps its primary is changing.
        for tries in 0.. {
            let Err(error) = &stored else {
                break;
            };
            may_be_stored |= matches!(error, VaultError::Store(it) if it.is_effect_unknown);
            // One that is stored may be in use, by way of another gateway.
            if tries >= STORE_RETRIES && !(may_be_stored && SystemTime::now() < flow.expires_at()) {
                break;
            }
            tracing::warn!(%error, "a granted app password is kept in memory until it can be stored");
            tokio::time::sleep(STORE_INTERVAL).await;
            stored = store().await;
        }
        match stored {
            Ok(Some(stored)) if matches!(&stored.state, FlowState::Collected(it) if *it == login) => {
                Ok(stored)
            }
            // And another gateway has gone on.
            Ok(Some(stored)) if !matches!(stored.state, FlowState::Pending { .. }) => Ok(stored),
            // It expired in between, or was evicted by newer ones.
            Ok(_) => self.end(&login).await,
            Err(fault) if may_be_stored => Err(fault.into()),
            // It cannot be picked up again: a password that cannot be stored here must be revoked there, and there is
            // nothing left to wait for.
            Err(fault) => {
                let destroyed = self.destroy(&login).await;
                self.forget(flow).await;
                destroyed?;
                Err(fault.into())
            }
        }
    }

    /// Removes a flow that can no longer be granted once the store can be written: later polls do not wait for it.
    async fn forget(&self, flow: &LoginFlow) {
        while self.logins.vault().remove_flow(flow).await.is_err()
            && SystemTime::now() < flow.expires_at()
        {
            tokio::time::sleep(STORE_INTERVAL).await;
        }
    }

    /// Stores the password if it is the account's, and destroys it if it is not.
    async fn enroll(&self, flow: &LoginFlow, login: &Login) -> Result<bool, Error> {
        let candidate = Candidate { login: login.clone(), source: Source::LoginFlow(flow.clone()) };
        let (groupware, lock) = (&self.groupware, &self.lock);
        let enrollment = lock.enroll(groupware, self.client_address, &candidate);
        match enrollment.await {
            Ok(_) => Ok(true),
            Err(Error::OtherAccount) => self.reject(flow, login, FlowState::OtherAccount).await,
            Err(
                Error::Rejected
                | Error::RejectedAsBearer
                | Error::AccountPassword
                | Error::OneTimePassword,
            ) => {
                self.logins.vault().update_flow(flow, FlowState::Refused).await?;
                Err(Error::Rejected)
            }
            Err(Error::UnknownFlow) => self.overtaken(flow, login).await,
            Err(error) => Err(error),
        }
    }

    /// Binds the person to the password's account, and stores it; revokes it if either is already bound to another.
    async fn bind(
        &self,
        person: &UnboundPerson,
        flow: &LoginFlow,
        login: &Login,
        attempt: &Attempt,
    ) -> Result<bool, Error> {
        let logins = &self.logins;
        let Some(user_id) = logins.owner(&self.groupware, login, self.client_address).await? else {
            logins.vault().update_flow(flow, FlowState::Refused).await?;
            return Err(Error::Rejected);
        };
        attempt.found_user(&user_id);
        // Always locked after the person's own, so that there is no deadlock.
        let lock = logins.lock(&user_id).await;
        let bound = lock.bind(&self.groupware, flow, person.names(), login);
        let taken = match bound.await? {
            BindOutcome::Bound | BindOutcome::AlreadyBound => return Ok(true),
            BindOutcome::FlowChanged => return self.overtaken(flow, login).await,
            BindOutcome::PersonTaken => FlowState::OtherAccount,
            BindOutcome::AccountTaken => FlowState::AccountTaken,
        };
        self.reject(flow, login, taken).await
    }

    /// Revokes a password that must not be stored; `state` is the reason.
    async fn reject(
        &self,
        flow: &LoginFlow,
        login: &Login,
        state: FlowState,
    ) -> Result<bool, Error> {
        self.destroy(login).await?;
        let error = match state {
            FlowState::AccountTaken => Error::AccountTaken,
            _ => Error::OtherAccount,
        };
        self.logins.vault().update_flow(flow, state).await?;
        Err(error)
    }

    /// Handles a flow that another gateway has completed, or that has expired in between.
    async fn overtaken(&self, flow: &LoginFlow, login: &Login) -> Result<bool, Error> {
        let now = self.logins.vault().flow(flow.user_id(), flow.flow_id()).await?;
        if now.is_some_and(|flow| matches!(flow.state, FlowState::Granted)) {
            return Ok(true);
        }
        self.end(login).await
    }

    async fn end<T>(&self, login: &Login) -> Result<T, Error> {
        self.logins.end(&self.groupware, self.owner.key(), login).await?;
        Err(Error::UnknownFlow)
    }

    async fn destroy(&self, login: &Login) -> Result<(), Error> {
        let (logins, owner, address) = (&self.logins, self.owner.key(), self.client_address);
        logins.destroy(&self.groupware, owner, login, address).await.map(drop)
    }
}

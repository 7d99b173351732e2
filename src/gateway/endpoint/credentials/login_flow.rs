//! App passwords granted on the groupware server's own page, by its Login Flow v2 (docs/API.md,
//! section 5.5).
//!
//! The server returns a granted password only once. So picking it up and the following steps run to
//! completion even if the caller disconnects, and each step is stored before the next, so that a
//! gateway that is restarted in between continues from there.

use std::net::IpAddr;
use std::time::{Duration, SystemTime};

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;
use zeroize::Zeroizing;

use super::person_flow::NewBinding;
use super::request::{CredentialRequest, answer, rfc3339};
use crate::audit::{Action, Attempt, Auditor};
use crate::gateway::endpoint::answer::Answer;
use crate::gateway::login::{Candidate, Change, Enrollment, Source};
use crate::gateway::{Error, Logins};
use crate::groupware::{self, Grant, Groupware, GroupwareError, Poll};
use crate::vault::{AppPassword, FlowState, LoginFlow};

/// How long the groupware server remembers a flow.
pub(super) const LIFETIME: Duration = Duration::from_secs(20 * 60);

// === impl CredentialRequest ===

impl CredentialRequest {
    pub(super) async fn start_login_flow(&self) -> Result<Answer, Error> {
        let groupware = self.groupware()?;
        // Read before the call, so that the flow expires here before it expires there.
        let expires_at = SystemTime::now() + LIFETIME;
        let started = groupware
            .start_login_flow(self.groupware_public_url(), self.client_address())
            .await?;
        keep(
            self.logins(),
            &groupware,
            self.user_id(),
            expires_at,
            started,
        )
        .await
    }

    pub(super) async fn poll_login_flow(&self, flow_id: &str) -> Result<Answer, Error> {
        let logins = self.logins();
        let user_id = self.user_id();
        // Of two concurrent polls one would pick the password up, and the other could not tell.
        let change = logins.change(user_id).await;
        let flow = logins.vault().flow(user_id, flow_id).await?;
        let flow = flow.ok_or(Error::UnknownFlow)?;
        let granted = if ended(&flow)? {
            true
        } else {
            let pickup = Pickup {
                groupware: self.groupware()?,
                logins: logins.clone(),
                owner: user_id.into(),
                client_address: self.client_address(),
                auditor: self.auditor(),
            };
            let purpose = GrantPurpose::Store(change);
            logins
                .run_to_end(async move { pickup.advance(flow, &purpose).await })
                .await?
        };
        Ok(status(granted))
    }
}

/// Stores a flow that `owner` started; returns the answer.
pub(super) async fn keep(
    logins: &Logins,
    groupware: &Groupware,
    owner: &str,
    expires_at: SystemTime,
    started: groupware::LoginFlow,
) -> Result<Answer, Error> {
    let state = FlowState::Pending {
        login_url: started.login_url.as_str().into(),
        poll_path: started.poll_path.into(),
        poll_token: Zeroizing::new(started.poll_token.expose_secret().into()),
    };
    let vault = logins.vault();
    vault.remove_expired_flows().await?;
    logins.settle_soon(groupware);
    let flow = vault.put_flow(owner, expires_at, state).await?;
    Ok(answer(&json!({
        "flow_id": flow.flow_id(),
        "login_url": started.login_url,
        "expires_at": rfc3339(flow.expires_at()),
    })))
}

/// Whether a flow has ended with a grant; an error if it has ended without one.
pub(super) fn ended(flow: &LoginFlow) -> Result<bool, Error> {
    match flow.state() {
        FlowState::Granted => Ok(true),
        FlowState::OtherAccount => Err(Error::OtherAccount),
        FlowState::AccountTaken => Err(Error::AccountTaken),
        FlowState::Refused => Err(Error::Rejected),
        _ => Ok(false),
    }
}

/// The answer to a poll.
pub(super) fn status(granted: bool) -> Answer {
    let status = if granted { "granted" } else { "pending" };
    answer(&json!({ "status": status }))
}

/// A flow on its way from pending to granted.
pub(super) struct Pickup {
    pub(super) groupware: Groupware,
    pub(super) logins: Logins,
    /// The account that started it, or the key of a person without an account.
    pub(super) owner: Box<str>,
    pub(super) client_address: Option<IpAddr>,
    pub(super) auditor: Auditor,
}

/// The purpose of a grant.
pub(super) enum GrantPurpose {
    /// Store the password of the account that started the flow.
    Store(Change),
    /// Bind a person without an account.
    Bind(NewBinding),
}

// === impl GrantPurpose ===

impl GrantPurpose {
    fn attempt(&self, pickup: &Pickup) -> Attempt {
        let auditor = &pickup.auditor;
        match self {
            Self::Store(_) => auditor.attempt(Action::GrantCredential).user(&pickup.owner),
            Self::Bind(binding) => {
                let (issuer, subject) = binding.person();
                auditor.attempt(Action::Bind).person(issuer, subject)
            }
        }
    }
}

// === impl Pickup ===

impl Pickup {
    /// Advances the flow as far as possible; returns whether it is granted.
    ///
    /// It is audited from the moment at which the server has returned the password.
    pub(super) async fn advance(
        &self,
        flow: LoginFlow,
        purpose: &GrantPurpose,
    ) -> Result<bool, Error> {
        let grant = match flow.state() {
            FlowState::Pending {
                login_url,
                poll_path,
                poll_token,
            } => {
                let pending = groupware::LoginFlow {
                    login_url: login_url.to_string(),
                    poll_path: poll_path.to_string(),
                    poll_token: SecretString::from(&***poll_token),
                };
                match self.poll(&pending).await? {
                    Poll::Pending => return Ok(false),
                    Poll::Granted(grant) => Some(grant),
                }
            }
            _ => None,
        };
        let attempt = purpose.attempt(self);
        let granted = self.take(flow, grant, purpose, &attempt).await;
        Error::audit(&attempt, &granted);
        granted
    }

    /// Uses the password for its purpose: the one in `grant`, or else the one in the flow.
    async fn take(
        &self,
        mut flow: LoginFlow,
        grant: Option<Grant>,
        purpose: &GrantPurpose,
        attempt: &Attempt,
    ) -> Result<bool, Error> {
        if let Some(grant) = grant {
            flow = self.collect(&flow, grant).await?;
        }
        match flow.state() {
            FlowState::Collected {
                login_name,
                password,
            } => match purpose {
                GrantPurpose::Store(change) => {
                    self.enroll(&flow, login_name, password, change, attempt)
                        .await
                }
                GrantPurpose::Bind(binding) => {
                    let granted = (&**login_name, password);
                    binding.bind(self, &flow, granted, attempt).await
                }
            },
            _ => Err(Error::UnknownFlow),
        }
    }

    async fn poll(&self, flow: &groupware::LoginFlow) -> Result<Poll, Error> {
        let poll = self.groupware.poll_login_flow(flow, self.client_address);
        Ok(poll.await?)
    }

    /// Stores the granted password, before anything else can go wrong.
    async fn collect(&self, flow: &LoginFlow, grant: Grant) -> Result<LoginFlow, Error> {
        let password = AppPassword::new(grant.app_password.expose_secret());
        let password = password.map_err(|fault| GroupwareError::Unreadable {
            reason: "the granted password is not like an app password",
            source: Some(fault.into()),
        })?;
        let collected = FlowState::Collected {
            login_name: grant.login_name.as_str().into(),
            password: password.clone(),
        };
        match self.logins.vault().update_flow(flow, collected).await {
            Ok(Some(flow)) => Ok(flow),
            // It expired in between, or was evicted by newer ones.
            Ok(None) => self.end(&grant.login_name, &password).await,
            // It cannot be picked up again: a password that cannot be stored here must be revoked there.
            Err(fault) => {
                self.destroy(&grant.login_name, &password).await?;
                Err(fault.into())
            }
        }
    }

    /// Stores the password if it is the caller's, and destroys it if it is not.
    async fn enroll(
        &self,
        flow: &LoginFlow,
        login_name: &str,
        password: &AppPassword,
        change: &Change,
        attempt: &Attempt,
    ) -> Result<bool, Error> {
        let vault = self.logins.vault();
        let candidate = Candidate {
            login_name: login_name.into(),
            password: password.clone(),
            source: Source::LoginFlow(flow.clone()),
        };
        let (groupware, attempt) = (self.groupware.clone(), attempt.clone());
        let enrollment = change.enroll(groupware, self.client_address, candidate, attempt);
        match enrollment.await? {
            Enrollment::Stored(_) => Ok(true),
            Enrollment::OtherAccount => {
                self.reject(flow, login_name, password, FlowState::OtherAccount)
                    .await
            }
            Enrollment::Refused | Enrollment::AccountPassword | Enrollment::OneTimePassword => {
                vault.update_flow(flow, FlowState::Refused).await?;
                Err(Error::Rejected)
            }
            Enrollment::FlowEnded => self.overtaken(flow, login_name, password).await,
        }
    }

    /// Revokes a password that must not be stored; `state` is the reason.
    pub(super) async fn reject(
        &self,
        flow: &LoginFlow,
        login_name: &str,
        password: &AppPassword,
        state: FlowState,
    ) -> Result<bool, Error> {
        self.destroy(login_name, password).await?;
        let error = match state {
            FlowState::AccountTaken => Error::AccountTaken,
            _ => Error::OtherAccount,
        };
        self.logins.vault().update_flow(flow, state).await?;
        Err(error)
    }

    /// Handles a flow that another gateway has completed, or that has expired in between.
    pub(super) async fn overtaken(
        &self,
        flow: &LoginFlow,
        login_name: &str,
        password: &AppPassword,
    ) -> Result<bool, Error> {
        let vault = self.logins.vault();
        let now = vault.flow(flow.user_id(), flow.flow_id()).await?;
        if now.is_some_and(|flow| matches!(flow.state(), FlowState::Granted)) {
            return Ok(true);
        }
        self.end(login_name, password).await
    }

    /// Revokes a password whose flow has ended.
    async fn end<T>(&self, login_name: &str, password: &AppPassword) -> Result<T, Error> {
        let ended = self
            .logins
            .end(&self.groupware, &self.owner, login_name, password);
        ended.await?;
        Err(Error::UnknownFlow)
    }

    async fn destroy(&self, login_name: &str, password: &AppPassword) -> Result<(), Error> {
        let granted = (login_name, password);
        let destroyed =
            self.logins
                .destroy(&self.groupware, &self.owner, granted, self.client_address);
        destroyed.await.map(drop)
    }
}

//! App passwords that nobody copies by hand: the groupware server's own grant page (its Login
//! Flow v2).
//!
//! The server hands a granted password out once. So its pickup and what follows run to their end
//! even if the caller goes away, and each step is written down before the next: a gateway that
//! ends in between goes on where it was.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::Response;
use http_body_util::Full;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;
use zeroize::Zeroizing;

use super::credentials::{Asker, Desk, answer, rfc3339};
use crate::gateway::login::{Verdict, account_of};
use crate::gateway::{Error, Logins};
use crate::groupware::{self, Account, Grant, Groupware, GroupwareError, Poll};
use crate::vault::{AppPassword, FlowState, LoginFlow, Store};

/// How long the groupware server remembers a flow.
const LIFETIME: Duration = Duration::from_secs(20 * 60);

pub(super) async fn start<St: Store>(
    desk: &Desk<St>,
    asker: &Asker,
) -> Result<Response<Full<Bytes>>, Error> {
    let groupware = desk.groupware()?;
    // Taken first, so that the flow is gone here before it is gone there.
    let expires_at = SystemTime::now() + LIFETIME;
    let started = groupware
        .start_login_flow(desk.public_url.as_ref(), asker.client_address)
        .await?;
    let state = FlowState::Pending {
        login_url: started.login_url.as_str().into(),
        poll_path: started.poll_path.into(),
        poll_token: Zeroizing::new(started.poll_token.expose_secret().into()),
    };
    let vault = desk.logins.vault();
    vault.remove_expired_flows().await?;
    let flow = vault
        .put_flow(asker.caller.user_id(), expires_at, state)
        .await?;
    Ok(answer(&json!({
        "flow_id": flow.flow_id(),
        "login_url": started.login_url,
        "expires_at": rfc3339(flow.expires_at()),
    })))
}

pub(super) async fn poll<St: Store>(
    desk: &Desk<St>,
    asker: Asker,
    flow_id: &str,
) -> Result<Response<Full<Bytes>>, Error> {
    let user_id = asker.caller.user_id();
    // Of two polls at the same time one would pick up, and the other could not tell.
    let change = desk.logins.change(user_id).await;
    let flow = desk.logins.vault().flow(user_id, flow_id).await?;
    let flow = flow.ok_or(Error::UnknownFlow)?;
    let granted = match flow.state() {
        FlowState::Granted => true,
        FlowState::OtherAccount => return Err(Error::OtherAccount),
        FlowState::Refused => return Err(Error::Rejected),
        _ => {
            let pickup = Pickup {
                groupware: desk.groupware()?.clone(),
                logins: desk.logins.clone(),
                asker,
            };
            desk.logins
                .to_the_end(async move {
                    let _change = change;
                    pickup.go_on(flow).await
                })
                .await?
        }
    };
    let status = if granted { "granted" } else { "pending" };
    Ok(answer(&json!({ "status": status })))
}

/// A flow on its way from pending to granted.
struct Pickup<St: Store> {
    groupware: Groupware,
    logins: Logins<St>,
    asker: Asker,
}

impl<St: Store> Pickup<St> {
    /// Takes the flow as far as it goes; whether it is granted.
    async fn go_on(&self, flow: LoginFlow) -> Result<bool, Error> {
        let flow = match flow.state() {
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
                    Poll::Granted(grant) => self.collect(&flow, grant).await?,
                }
            }
            _ => flow,
        };
        match flow.state() {
            FlowState::Collected {
                login_name,
                password,
            } => self.check(&flow, login_name, password).await,
            _ => Err(Error::UnknownFlow),
        }
    }

    async fn poll(&self, flow: &groupware::LoginFlow) -> Result<Poll, Error> {
        let address = self.asker.client_address;
        Ok(self.groupware.poll_login_flow(flow, address).await?)
    }

    /// Writes down what the server has handed out, before anything else can go wrong.
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
        let account = self.account(&grant.login_name, &password)?;
        match self.logins.vault().update_flow(flow, collected).await {
            Ok(Some(flow)) => Ok(flow),
            // It expired in between, or gave way to newer ones.
            Ok(None) => {
                self.destroy(&account).await?;
                Err(Error::UnknownFlow)
            }
            // It is handed out once: what cannot be kept must not go on living there.
            Err(fault) => {
                self.destroy(&account).await?;
                Err(fault.into())
            }
        }
    }

    /// Stores the password if it is the caller's, and destroys it if it is not.
    async fn check(
        &self,
        flow: &LoginFlow,
        login_name: &str,
        password: &AppPassword,
    ) -> Result<bool, Error> {
        let logins = &self.logins;
        let vault = logins.vault();
        let account = self.account(login_name, password)?;
        let place = logins.doubtful().await?;
        let address = self.asker.client_address;
        let look = logins.look(&self.groupware, &account, address, place);
        match look.await? {
            Verdict::Opens(id) if id == self.asker.caller.user_id() => {}
            Verdict::Opens(_) => {
                self.destroy(&account).await?;
                vault.update_flow(flow, FlowState::OtherAccount).await?;
                return Err(Error::OtherAccount);
            }
            Verdict::Refused => {
                vault.update_flow(flow, FlowState::Refused).await?;
                return Err(Error::Rejected);
            }
        }
        if let Some(metadata) = vault.grant_flow(flow, login_name, password).await? {
            logins.stored_good(&metadata);
            return Ok(true);
        }
        // Another gateway was faster, or the flow expired in between.
        let now = vault.flow(flow.user_id(), flow.flow_id()).await?;
        if now.is_some_and(|flow| matches!(flow.state(), FlowState::Granted)) {
            return Ok(true);
        }
        self.destroy(&account).await?;
        Err(Error::UnknownFlow)
    }

    fn account(&self, login_name: &str, password: &AppPassword) -> Result<Account, Error> {
        account_of(self.asker.caller.user_id(), login_name, password)
    }

    /// Destroys a password that nobody is to have.
    async fn destroy(&self, account: &Account) -> Result<(), Error> {
        let address = self.asker.client_address;
        match self.groupware.delete_app_password(account, address).await {
            Err(fault) if fault.is_refused_login() => {
                self.logins.refused();
                Ok(())
            }
            destroyed => Ok(destroyed?),
        }
    }
}

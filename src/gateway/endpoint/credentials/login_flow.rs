//! App passwords granted on the groupware server's own page, by its Login Flow v2 (docs/API.md,
//! section 5.5).

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use secrecy::ExposeSecret as _;
use serde_json::json;
use zeroize::Zeroizing;

use super::flow_owner::FlowOwner;
use super::pickup::Pickup;
use super::request::{CredentialRequest, answer, rfc3339};
use crate::audit::Auditor;
use crate::gateway::Error;
use crate::gateway::endpoint::answer::Answer;
use crate::gateway::endpoint::services::Services;
use crate::vault::{FlowState, LoginFlow};

/// How long the groupware server remembers a flow.
const LIFETIME: Duration = Duration::from_secs(20 * 60);

/// The login flows of one owner.
pub(super) struct LoginFlows {
    pub(super) services: Arc<Services>,
    pub(super) owner: FlowOwner,
    pub(super) client_address: Option<IpAddr>,
    pub(super) auditor: Auditor,
}

// === impl CredentialRequest ===

impl CredentialRequest {
    /// The caller's login flows.
    pub(super) fn login_flows(&self) -> LoginFlows {
        LoginFlows {
            services: self.services().clone(),
            owner: FlowOwner::Account(self.user_id().into()),
            client_address: self.client_address(),
            auditor: self.auditor(),
        }
    }
}

// === impl LoginFlows ===

impl LoginFlows {
    /// Starts one.
    pub(super) async fn start(self) -> Result<Answer, Error> {
        let groupware = self.services.groupware()?;
        // Read before the call, so that the flow expires here before it expires there.
        let expires_at = SystemTime::now() + LIFETIME;
        let public_url = self.services.groupware_public_url.as_ref();
        let address = self.client_address;
        let started = match &self.owner {
            FlowOwner::Account(_) => groupware.start_login_flow(public_url, address).await?,
            FlowOwner::Person(person) => {
                let (name, (_, subject)) = (person.preferred_name(), person.names());
                let started = groupware.start_login_flow_for(name, subject, public_url, address);
                started.await?
            }
        };
        let state = FlowState::Pending {
            login_url: started.login_url.as_str().into(),
            poll_path: started.poll_path.into(),
            poll_token: Zeroizing::new(started.poll_token.expose_secret().into()),
        };
        let logins = &self.services.logins;
        logins.vault().remove_expired_flows().await?;
        logins.destroy_leftovers_soon(&groupware);
        let flow = logins.vault().put_flow(self.owner.key(), expires_at, state);
        let flow = flow.await?;
        Ok(answer(&json!({
            "flow_id": flow.flow_id(),
            "login_url": started.login_url,
            "expires_at": rfc3339(flow.expires_at()),
        })))
    }

    /// Picks the password up if it has been granted.
    pub(super) async fn poll(self, flow_id: &str) -> Result<Answer, Error> {
        let logins = self.services.logins.clone();
        let change = logins.change(self.owner.key()).await;
        let flow = logins.vault().flow(self.owner.key(), flow_id).await?;
        let flow = flow.ok_or(Error::UnknownFlow)?;
        let granted = if ended(&flow)? {
            true
        } else {
            let pickup = Pickup {
                groupware: self.services.groupware()?,
                logins: logins.clone(),
                owner: self.owner,
                change,
                client_address: self.client_address,
                auditor: self.auditor,
            };
            let advanced = logins.run_to_end(async move { pickup.advance(flow).await });
            advanced.await?
        };
        let status = if granted { "granted" } else { "pending" };
        Ok(answer(&json!({ "status": status })))
    }
}

/// Whether a flow has ended with a grant; an error if it has ended without one.
fn ended(flow: &LoginFlow) -> Result<bool, Error> {
    match flow.state() {
        FlowState::Granted => Ok(true),
        FlowState::OtherAccount => Err(Error::OtherAccount),
        FlowState::AccountTaken => Err(Error::AccountTaken),
        FlowState::Refused => Err(Error::Rejected),
        _ => Ok(false),
    }
}

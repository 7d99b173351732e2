//! App passwords granted on the groupware server's own page, by its Login Flow v2 (docs/API.md, section 5.5).

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use secrecy::ExposeSecret as _;
use serde_json::json;
use zeroize::Zeroizing;

use super::pickup::Pickup;
use crate::gateway::endpoint::answer::{self, Answer, rfc3339};
use crate::gateway::endpoint::services::Services;
use crate::gateway::layer::decode::RequestContext;
use crate::gateway::{Error, Principal};
use crate::groupware::{LOST_GRANT, notes};
use crate::vault::{FlowState, LoginFlow};

/// How long the groupware server remembers a flow.
const LIFETIME: Duration = Duration::from_secs(20 * 60);

pub(crate) struct LoginFlows {
    pub(crate) services: Arc<Services>,
    pub(crate) context: RequestContext,
}

impl LoginFlows {
    pub(crate) async fn start(self) -> Result<Answer, Error> {
        let groupware = self.services.groupware()?;
        // Read before the call, so that the flow expires here before it expires there.
        let expires_at = SystemTime::now() + LIFETIME;
        let public_url = self.services.groupware_public_url.as_ref();
        let (owner, address) = (&self.context.principal, self.context.client_address);
        let person = match owner {
            Principal::User(_) => None,
            Principal::Unbound(person) => Some((person.preferred_name(), person.names().1)),
        };
        notes::record_change(true);
        let started = groupware.start_login_flow(person, public_url, address).await?;
        let state = FlowState::Pending {
            login_url: started.login_url.as_str().into(),
            poll_path: started.poll_path.into(),
            poll_token: Zeroizing::new(started.poll_token.expose_secret().into()),
            is_in_doubt: false,
        };
        let logins = &self.services.logins;
        logins.vault().remove_expired_flows().await?;
        logins.destroy_leftovers_soon(&groupware);
        let flow = logins.vault().put_flow(owner.key(), expires_at, state).await?;
        Ok(answer::to_json(&json!({
            "flow_id": flow.flow_id(),
            "login_url": started.login_url,
            "expires_at": rfc3339(flow.expires_at()),
        })))
    }

    /// Picks the password up if it has been granted.
    pub(crate) async fn poll(self, flow_id: &str) -> Result<Answer, Error> {
        let logins = self.services.logins.clone();
        let owner = &self.context.principal;
        let lock = logins.lock(owner.key()).await;
        let flow = logins.vault().flow(owner.key(), flow_id).await?.ok_or(Error::UnknownFlow)?;
        let is_in_doubt = flow.state.is_in_doubt();
        let mut granted = ended(&flow)?;
        if !granted {
            let pickup = Pickup {
                groupware: self.services.groupware()?,
                logins: logins.clone(),
                owner: owner.clone(),
                lock,
                client_address: self.context.client_address,
                auditor: self.services.auditor(&self.context),
            };
            granted = logins.run_to_end(async move { pickup.advance(flow).await }).await?;
        }
        Ok(answer::to_json(&if granted {
            json!({ "status": "granted" })
        } else if is_in_doubt {
            json!({ "status": "pending", "warnings": [LOST_GRANT] })
        } else {
            json!({ "status": "pending" })
        }))
    }
}

/// Whether a flow has ended with a grant; an error if it has ended without one.
fn ended(flow: &LoginFlow) -> Result<bool, Error> {
    match &flow.state {
        FlowState::Granted => Ok(true),
        FlowState::OtherAccount => Err(Error::OtherAccount),
        FlowState::AccountTaken => Err(Error::AccountTaken),
        FlowState::Refused => Err(Error::Rejected),
        _ => Ok(false),
    }
}

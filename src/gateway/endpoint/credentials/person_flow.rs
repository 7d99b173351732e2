//! Login flows of persons who have no account yet (docs/API.md, section 2.7): they are bound to the
//! account that grants the first one.
//!
//! The token proves the person, the grant proves the account. Such a flow belongs to the person even
//! after they are bound: a password that it grants is revoked unless it is for the bound account.

use std::sync::Arc;

use super::flow_owner::{FlowOwner, UnboundPerson};
use super::login_flow::LoginFlows;
use crate::audit::{Actor, Auditor};
use crate::gateway::Error;
use crate::gateway::endpoint::answer::Answer;
use crate::gateway::endpoint::services::Services;

/// Starts and polls these login flows.
#[derive(Clone, Debug)]
pub(in crate::gateway) struct PersonFlows {
    services: Arc<Services>,
}

// === impl PersonFlows ===

impl PersonFlows {
    pub(in crate::gateway::endpoint) fn new(services: Arc<Services>) -> Self {
        Self { services }
    }

    /// Whether the person is bound to an account.
    pub(in crate::gateway) async fn is_bound(&self, person: &UnboundPerson) -> Result<bool, Error> {
        let (issuer, subject) = person.names();
        let binding = self.services.logins.vault().binding(issuer, subject);
        Ok(binding.await?.is_some())
    }

    /// Whether the person started the flow before they were bound.
    pub(in crate::gateway) async fn is_of(
        &self,
        person: &UnboundPerson,
        flow_id: &str,
    ) -> Result<bool, Error> {
        let flow = self.services.logins.vault().flow(person.key(), flow_id);
        Ok(flow.await?.is_some())
    }

    pub(in crate::gateway) async fn start(&self, person: &UnboundPerson) -> Result<Answer, Error> {
        self.flows_of(person).start().await
    }

    pub(in crate::gateway) async fn poll(
        &self,
        person: &UnboundPerson,
        flow_id: &str,
    ) -> Result<Answer, Error> {
        self.flows_of(person).poll(flow_id).await
    }

    fn flows_of(&self, person: &UnboundPerson) -> LoginFlows {
        LoginFlows {
            services: self.services.clone(),
            owner: FlowOwner::Person(person.clone()),
            client_address: person.client_address,
            auditor: Auditor::new(Actor::Person)
                .request_id(person.request_id.as_deref())
                .observer(self.services.audit.clone()),
        }
    }
}

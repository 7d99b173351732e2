//! Login flows of persons who have no account yet (docs/API.md, section 2.7): they are bound to the
//! account that grants the first one.
//!
//! The token proves the person, the grant proves the account. Such a flow belongs to the person even
//! after they are bound: a password that it grants is revoked unless it is for the bound account.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::SystemTime;

use super::login_flow::{GrantPurpose, LIFETIME, Pickup, ended, keep, status};
use super::request::Services;
use crate::audit::{Actor, Attempt, Auditor};
use crate::gateway::endpoint::answer::Answer;
use crate::gateway::login::Change;
use crate::gateway::{Error, Logins};
use crate::groupware::Groupware;
use crate::identity::Person;
use crate::vault::{AppPassword, BindOutcome, FlowState, LoginFlow, PersonId};

/// Starts and polls these login flows.
#[derive(Clone, Debug)]
pub(in crate::gateway) struct PersonFlows {
    services: Arc<Services>,
}

/// A caller who is identified by issuer and subject, but not bound to an account.
#[derive(Clone, Debug)]
pub(in crate::gateway) struct UnboundPerson {
    identity: Arc<Person>,
    id: PersonId,
    client_address: Option<IpAddr>,
    request_id: Option<Box<str>>,
}

/// A binding to be made.
pub(super) struct NewBinding {
    person: UnboundPerson,
    /// Held, so that of two concurrent polls one picks the password up and the other can tell.
    _change: Change,
}

// === impl UnboundPerson ===

impl UnboundPerson {
    /// `None` for a person without a subject, who cannot be bound.
    pub(in crate::gateway) fn new(
        person: &Arc<Person>,
        client_address: Option<IpAddr>,
        request_id: Option<&str>,
    ) -> Option<Self> {
        let id = PersonId::of(person.issuer(), person.subject()?);
        Some(Self {
            identity: person.clone(),
            id,
            client_address,
            request_id: request_id.map(Into::into),
        })
    }

    /// The person's key, used in place of an account id.
    pub(in crate::gateway) fn key(&self) -> &str {
        self.id.as_owner()
    }

    /// Issuer and subject.
    fn names(&self) -> (&str, &str) {
        let subject = self.identity.subject().unwrap_or_default();
        (self.identity.issuer(), subject)
    }
}

// === impl PersonFlows ===

impl PersonFlows {
    pub(super) fn new(services: Arc<Services>) -> Self {
        Self { services }
    }

    fn logins(&self) -> &Logins {
        &self.services.logins
    }

    fn groupware(&self) -> Result<Groupware, Error> {
        self.services.groupware.clone().ok_or(Error::NotConfigured)
    }

    /// Whether the person is bound to an account.
    pub(in crate::gateway) async fn is_bound(&self, person: &UnboundPerson) -> Result<bool, Error> {
        let (issuer, subject) = person.names();
        let binding = self.logins().vault().binding(issuer, subject).await?;
        Ok(binding.is_some())
    }

    /// Whether the person started the flow before they were bound.
    pub(in crate::gateway) async fn is_of(
        &self,
        person: &UnboundPerson,
        flow_id: &str,
    ) -> Result<bool, Error> {
        let flow = self.logins().vault().flow(person.key(), flow_id).await?;
        Ok(flow.is_some())
    }

    pub(in crate::gateway) async fn start(&self, person: &UnboundPerson) -> Result<Answer, Error> {
        let groupware = self.groupware()?;
        // Read before the call, so that the flow expires here before it expires there.
        let expires_at = SystemTime::now() + LIFETIME;
        let started = groupware.start_login_flow_for(
            person.identity.preferred_name(),
            person.names().1,
            self.services.groupware_public_url.as_ref(),
            person.client_address,
        );
        let started = started.await?;
        keep(self.logins(), &groupware, person.key(), expires_at, started).await
    }

    pub(in crate::gateway) async fn poll(
        &self,
        person: &UnboundPerson,
        flow_id: &str,
    ) -> Result<Answer, Error> {
        let logins = self.logins();
        let change = logins.change(person.key()).await;
        let flow = logins.vault().flow(person.key(), flow_id).await?;
        let flow = flow.ok_or(Error::UnknownFlow)?;
        if ended(&flow)? {
            return Ok(status(true));
        }
        let pickup = Pickup {
            groupware: self.groupware()?,
            logins: logins.clone(),
            owner: person.key().into(),
            client_address: person.client_address,
            auditor: Auditor::new(Actor::Person)
                .request_id(person.request_id.as_deref())
                .observer(self.services.audit.clone()),
        };
        let purpose = GrantPurpose::Bind(NewBinding {
            person: person.clone(),
            _change: change,
        });
        let granted = logins
            .run_to_end(async move { pickup.advance(flow, &purpose).await })
            .await?;
        Ok(status(granted))
    }
}

// === impl NewBinding ===

impl NewBinding {
    /// Issuer and subject of the person.
    pub(super) fn person(&self) -> (&str, &str) {
        self.person.names()
    }

    /// Binds the person to the account of the password, and stores it; revokes it instead if the person
    /// or the account is already bound to another.
    pub(super) async fn bind(
        &self,
        pickup: &Pickup,
        flow: &LoginFlow,
        granted: (&str, &AppPassword),
        attempt: &Attempt,
    ) -> Result<bool, Error> {
        let (logins, person) = (&pickup.logins, &self.person);
        let (login_name, password) = granted;
        let address = pickup.client_address;
        let owner = logins.owner(&pickup.groupware, granted, address);
        let Some(user_id) = owner.await? else {
            logins.vault().update_flow(flow, FlowState::Refused).await?;
            return Err(Error::Rejected);
        };
        attempt.found_user(&user_id);
        // Always locked after the person's own, so that there is no deadlock.
        let change = logins.change(&user_id).await;
        let bound = change.bind(&pickup.groupware, flow, person.names(), granted);
        match bound.await? {
            BindOutcome::Bound | BindOutcome::AlreadyBound => Ok(true),
            BindOutcome::PersonTaken => {
                let state = FlowState::OtherAccount;
                pickup.reject(flow, login_name, password, state).await
            }
            BindOutcome::AccountTaken => {
                let state = FlowState::AccountTaken;
                pickup.reject(flow, login_name, password, state).await
            }
            BindOutcome::FlowChanged => pickup.overtaken(flow, login_name, password).await,
        }
    }
}

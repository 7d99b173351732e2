//! Login flows of persons who have no account yet (docs/API.md, section 2.7): the account that
//! grants the first one becomes theirs.
//!
//! The token proves the person, the grant the account. Such a flow belongs to the person, not to an
//! account, also once they have one: what it hands out is destroyed unless it is for that account.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::SystemTime;

use super::login_flow::{Goal, LIFETIME, Pickup, ended, keep, status};
use super::request::Services;
use crate::audit::{Actor, Attempt, Auditor};
use crate::gateway::endpoint::answer::Answer;
use crate::gateway::login::Change;
use crate::gateway::{Error, Logins};
use crate::groupware::Groupware;
use crate::identity::Person;
use crate::vault::{AppPassword, BindOutcome, FlowState, LoginFlow, PersonId};

/// Starts and polls them.
#[derive(Clone, Debug)]
pub(in crate::gateway) struct PersonFlows {
    services: Arc<Services>,
}

/// The person who asks, who has a subject.
#[derive(Clone, Debug)]
pub(in crate::gateway) struct Asker {
    person: Arc<Person>,
    id: PersonId,
    client_address: Option<IpAddr>,
    request_id: Option<Box<str>>,
}

/// A binding that is to be made.
pub(super) struct NewBinding {
    asker: Asker,
    /// Held, so that of two polls at the same time one picks up and the other can tell.
    _change: Change,
}

// === impl Asker ===

impl Asker {
    /// `None` for a person without a subject, who cannot be bound.
    pub(in crate::gateway) fn new(
        person: &Arc<Person>,
        client_address: Option<IpAddr>,
        request_id: Option<&str>,
    ) -> Option<Self> {
        let id = PersonId::of(person.issuer(), person.subject()?);
        Some(Self {
            person: person.clone(),
            id,
            client_address,
            request_id: request_id.map(Into::into),
        })
    }

    /// Stands for the person where an account id stands otherwise.
    pub(in crate::gateway) fn key(&self) -> &str {
        self.id.as_owner()
    }

    /// Issuer and subject.
    fn names(&self) -> (&str, &str) {
        let subject = self.person.subject().unwrap_or_default();
        (self.person.issuer(), subject)
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
    pub(in crate::gateway) async fn is_bound(&self, asker: &Asker) -> Result<bool, Error> {
        let (issuer, subject) = asker.names();
        let binding = self.logins().vault().binding(issuer, subject).await?;
        Ok(binding.is_some())
    }

    /// Whether the person started the flow while they had no account.
    pub(in crate::gateway) async fn is_of(
        &self,
        asker: &Asker,
        flow_id: &str,
    ) -> Result<bool, Error> {
        let flow = self.logins().vault().flow(asker.key(), flow_id).await?;
        Ok(flow.is_some())
    }

    pub(in crate::gateway) async fn start(&self, asker: &Asker) -> Result<Answer, Error> {
        let groupware = self.groupware()?;
        // Read before the call, so that the flow expires here before it expires there.
        let expires_at = SystemTime::now() + LIFETIME;
        let started = groupware.start_login_flow_for(
            asker.person.preferred_name(),
            asker.names().1,
            self.services.groupware_public_url.as_ref(),
            asker.client_address,
        );
        let started = started.await?;
        keep(self.logins(), &groupware, asker.key(), expires_at, started).await
    }

    pub(in crate::gateway) async fn poll(
        &self,
        asker: &Asker,
        flow_id: &str,
    ) -> Result<Answer, Error> {
        let logins = self.logins();
        let change = logins.change(asker.key()).await;
        let flow = logins.vault().flow(asker.key(), flow_id).await?;
        let flow = flow.ok_or(Error::UnknownFlow)?;
        if ended(&flow)? {
            return Ok(status(true));
        }
        let pickup = Pickup {
            groupware: self.groupware()?,
            logins: logins.clone(),
            owner: asker.key().into(),
            client_address: asker.client_address,
            auditor: Auditor::new(Actor::Person)
                .request_id(asker.request_id.as_deref())
                .observer(self.services.audit.clone()),
        };
        let goal = Goal::Bind(NewBinding {
            asker: asker.clone(),
            _change: change,
        });
        let granted = logins
            .run_to_end(async move { pickup.advance(flow, &goal).await })
            .await?;
        Ok(status(granted))
    }
}

// === impl NewBinding ===

impl NewBinding {
    /// Issuer and subject of the person.
    pub(super) fn person(&self) -> (&str, &str) {
        self.asker.names()
    }

    /// Binds the person to the account that the password opens, and stores it; or destroys it, if
    /// one of the two is bound already, to somebody else.
    pub(super) async fn bind(
        &self,
        pickup: &Pickup,
        flow: &LoginFlow,
        granted: (&str, &AppPassword),
        attempt: &Attempt,
    ) -> Result<bool, Error> {
        let (logins, asker) = (&pickup.logins, &self.asker);
        let (login_name, password) = granted;
        let address = pickup.client_address;
        let owner = logins.owner(&pickup.groupware, granted, address);
        let Some(user_id) = owner.await? else {
            logins.vault().update_flow(flow, FlowState::Refused).await?;
            return Err(Error::Rejected);
        };
        attempt.found_user(&user_id);
        // Always after the person's own: nobody waits in a circle.
        let change = logins.change(&user_id).await;
        let bound = change.bind(&pickup.groupware, flow, asker.names(), granted);
        match bound.await? {
            BindOutcome::Bound | BindOutcome::Already => Ok(true),
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

//! Targets and their deliveries (docs/API.md, sections 12.2 to 12.5).

mod cursor;
mod feed;
mod list;
mod targets;
mod test;
mod warnings;

use std::sync::Arc;

use serde_json::{Value, json};

use super::answer::{Answer, rfc3339};
use super::services::Services;
use crate::audit::{Action, Attempt};
use crate::deliveries::queue::{Call, Gap};
use crate::deliveries::{Deliveries, Scope, Target, TargetId};
use crate::gateway::input::DeliveryInput;
use crate::gateway::keyed_mutex::KeyedGuard;
use crate::gateway::layer::decode::RequestContext;
use crate::gateway::{Error, User};

/// One request. Its methods are in the other files.
pub(super) struct DeliveryRequest {
    services: Arc<Services>,
    deliveries: Deliveries,
    context: RequestContext,
    user: User,
    attempt: Option<Attempt>,
}

impl DeliveryRequest {
    pub(super) fn new(services: Arc<Services>, context: RequestContext) -> Result<Self, Error> {
        Ok(Self {
            user: context.principal.require_user()?.clone(),
            deliveries: services.deliveries.clone().ok_or(Error::UnknownPath)?,
            services,
            context,
            attempt: None,
        })
    }

    pub(super) async fn answer(mut self, input: DeliveryInput) -> Result<Answer, Error> {
        let action = match &input {
            DeliveryInput::Create(..) => Some(Action::CreateTarget),
            DeliveryInput::Change(_, change) if change.adopt.is_some() => Some(Action::AdoptTarget),
            DeliveryInput::Change(..) => Some(Action::ChangeTarget),
            DeliveryInput::Remove(_) => Some(Action::RemoveTarget),
            DeliveryInput::ReplaceSecret { .. } => Some(Action::ReplaceTargetSecret),
            DeliveryInput::Retry(_) | DeliveryInput::Replay { .. } => Some(Action::ReplayTarget),
            _ => None,
        };
        self.attempt = action.map(|it| self.services.auditor(&self.context).attempt(it));
        let answer = self.act(input).await;
        match &self.attempt {
            Some(attempt) => Error::audit(attempt, answer),
            None => answer,
        }
    }

    async fn act(&self, input: DeliveryInput) -> Result<Answer, Error> {
        let _turn = match &input {
            // These wait for something else first.
            DeliveryInput::Create(..)
            | DeliveryInput::Change(..)
            | DeliveryInput::Test(..)
            | DeliveryInput::Events(_) => None,
            _ => Some(self.turn().await),
        };
        match input {
            DeliveryInput::Targets { user, cursor } => {
                self.targets(user.as_deref(), cursor.as_deref()).await
            }
            DeliveryInput::Create(uri, target) => self.create(uri, *target).await,
            DeliveryInput::Show(id) => self.show(&id).await,
            DeliveryInput::Change(id, change) => self.change(&id, *change).await,
            DeliveryInput::Remove(id) => self.remove(&id).await,
            DeliveryInput::ReplaceSecret { target, keep } => {
                self.replace_secret(&target, keep).await
            }
            DeliveryInput::Test(id, known) => self.test(&id, known).await,
            DeliveryInput::Deliveries { target, state, cursor } => {
                self.list(&target, state, cursor.as_deref()).await
            }
            DeliveryInput::Retry(id) => self.retry(&id).await,
            DeliveryInput::Replay { target, replay, cursor } => {
                self.replay(&target, replay, cursor.as_deref()).await
            }
            DeliveryInput::Events(events) => self.events(events).await,
        }
    }

    /// The caller's turn to read or change something.
    async fn turn(&self) -> (Call, KeyedGuard) {
        let account = self.user.user_id();
        // It counts while it waits.
        let call = self.deliveries.queue().call(account);
        (call, self.services.delivery_turns.lock(account).await)
    }

    async fn check_administrator(&self) -> Result<(), Error> {
        let is_one = self.services.is_administrator(&self.context).await?;
        is_one.then_some(()).ok_or(Error::NotYourTarget)
    }

    fn own(&self) -> Scope<'_> {
        Scope::Account(self.user.user_id())
    }

    /// The scope in which the caller may see the target `id`, and the target. That there is another one is not revealed.
    async fn find(&self, id: &str) -> Result<(Scope<'_>, Target), Error> {
        let id: TargetId = id.parse().map_err(|_| Error::UnknownTarget)?;
        let queue = self.deliveries.queue();
        let (mut scope, mut found) = (self.own(), queue.target(self.own(), id).await?);
        // Whether there is one or not: otherwise a failure of this question would tell.
        if found.is_none() && self.services.is_administrator(&self.context).await? {
            (scope, found) = (Scope::All, queue.target(Scope::All, id).await?);
        }
        let target = found.ok_or(Error::UnknownTarget)?;
        self.found(scope, &target);
        Ok((scope, target))
    }

    /// Records which target the request is about, and that somebody reads that of others.
    fn found(&self, scope: Scope<'_>, target: &Target) {
        match &self.attempt {
            Some(attempt) => attempt.found_target(target.id, target.account.as_deref()),
            None if scope == Scope::All => self.record(Action::ReadTarget, target),
            None => {}
        }
    }

    /// Records what else the request does.
    fn record(&self, action: Action, target: &Target) {
        let attempt = self.services.auditor(&self.context).attempt(action);
        attempt.found_target(target.id, target.account.as_deref());
        attempt.done();
    }
}

fn shown_gaps(gaps: &[Gap]) -> Value {
    let shown = gaps.iter().map(|gap| {
        let (from, until) = (rfc3339(gap.from), rfc3339(gap.until));
        json!({"from": from, "until": until, "reason": gap.reason.as_str()})
    });
    shown.collect()
}

//! Targets and their deliveries (docs/API.md, sections 12.2 to 12.5).

mod cursor;
mod feed;
mod list;
mod targets;

use std::sync::Arc;

use super::answer::Answer;
use super::services::Services;
use crate::deliveries::{Deliveries, Scope, Target, TargetId};
use crate::gateway::input::DeliveryInput;
use crate::gateway::layer::decode::RequestContext;
use crate::gateway::{Error, User};

/// One request. Its methods are in the other files.
pub(super) struct DeliveryRequest {
    services: Arc<Services>,
    deliveries: Deliveries,
    context: RequestContext,
    user: User,
}

// === impl DeliveryRequest ===

impl DeliveryRequest {
    pub(super) fn new(services: Arc<Services>, context: RequestContext) -> Result<Self, Error> {
        Ok(Self {
            user: context.principal().require_user()?.clone(),
            deliveries: services.deliveries.clone().ok_or(Error::UnknownPath)?,
            services,
            context,
        })
    }

    pub(super) async fn answer(self, input: DeliveryInput) -> Result<Answer, Error> {
        match input {
            DeliveryInput::Targets { user, cursor } => {
                self.targets(user.as_deref(), cursor.as_deref()).await
            }
            DeliveryInput::Create(target) => self.create(target).await,
            DeliveryInput::Show(id) => self.show(&id).await,
            DeliveryInput::Change(id, change) => self.change(&id, change).await,
            DeliveryInput::Remove(id) => self.remove(&id).await,
            DeliveryInput::ReplaceSecret(id) => self.replace_secret(&id).await,
            DeliveryInput::Deliveries {
                target,
                state,
                cursor,
            } => self.list(&target, state, cursor.as_deref()).await,
            DeliveryInput::Retry(id) => self.retry(&id).await,
            DeliveryInput::Replay(id, replay) => self.replay(&id, replay).await,
            DeliveryInput::Events(events) => self.events(events).await,
        }
    }

    /// What only administrators may do.
    async fn check_administrator(&self) -> Result<(), Error> {
        match self.services.is_administrator(&self.context).await? {
            true => Ok(()),
            false => Err(Error::NotYourTarget),
        }
    }

    fn own(&self) -> Scope<'_> {
        Scope::Account(self.user.user_id())
    }

    /// The scope in which the caller may see the target `id`, and the target. That there is another one is not revealed.
    async fn find(&self, id: &str) -> Result<(Scope<'_>, Target), Error> {
        let id: TargetId = id.parse().map_err(|_| Error::UnknownTarget)?;
        let queue = self.deliveries.queue();
        for scope in [self.own(), Scope::All] {
            if let Some(target) = queue.target(scope, id).await? {
                let is_own = scope == self.own();
                if is_own || self.services.is_administrator(&self.context).await? {
                    return Ok((scope, target));
                }
            }
        }
        Err(Error::UnknownTarget)
    }
}

//! Sending a sample to a target (docs/API.md, section 12.2).

use std::sync::Arc;
use std::time::Instant;

use futures_util::FutureExt as _;
use serde_json::json;

use super::DeliveryRequest;
use crate::deliveries::Suspension;
use crate::gateway::Error;
use crate::gateway::endpoint::answer::{self, Answer};
use crate::gateway::input::refused;
use crate::groupware::KnownEvent;

const SUSPENDED: &str =
    "The target is suspended: its cause has to end, or somebody to adopt it with \"adopt\": true";

impl DeliveryRequest {
    /// Makes one attempt, which takes the place of one of the account, and changes nothing.
    pub(super) async fn test(&self, id: &str, known: &KnownEvent) -> Result<Answer, Error> {
        let sender = self.services.sender.as_ref().ok_or(Error::UnknownPath)?;
        // No account has a control character.
        let key = format!("test of\n{}", self.user.user_id());
        let test = tokio::task::unconstrained(self.services.delivery_turns.lock(&key));
        let _test = test.now_or_never().ok_or(Error::TestUnderWay)?;
        let turn = self.turn().await;
        let target = Arc::new(self.find(id).await?.1);
        let is_bound = self.deliveries.check_binding(&target).await?;
        let other = target.suspended.filter(|it| *it != Suspension::Unbound);
        if !is_bound || other.is_some() {
            return Err(refused(SUSPENDED).into());
        }
        drop(turn);
        let _place = sender.try_place(target.clone()).ok_or(Error::Overloaded)?;
        let began = Instant::now();
        let sample = known.example().into();
        let answered = self.deliveries.test(sender, &target, sample).await?;
        Ok(answer::to_json(&json!({
            "outcome": answered.outcome.revealed().as_str(),
            "status": answered.status.map(|status| status.as_u16()),
            "milliseconds": began.elapsed().as_millis() as u64,
        })))
    }
}

//! Lists of deliveries, and sending them again (docs/API.md, section 12.4).

use std::time::SystemTime;

use serde::Serialize;
use serde_json::json;

use super::DeliveryRequest;
use super::cursor::{of_position, parse_position};
use crate::deliveries::queue::MAX_PAGE;
use crate::deliveries::{Delivery, DeliveryId, DeliveryState, Replay, Retried};
use crate::gateway::Error;
use crate::gateway::endpoint::answer::{self, Answer, as_rfc3339, done, rfc3339};
use crate::gateway::input::refused;

const ARRIVED: &str = "The delivery has arrived: to send it again, replay its target with \"all\": true from its received_at";

#[derive(Serialize)]
struct Page<'a> {
    deliveries: Vec<Shown<'a>>,
    cursor: Option<String>,
}

#[derive(Serialize)]
struct Shown<'a> {
    id: String,
    event: &'a str,
    #[serde(serialize_with = "as_rfc3339")]
    received_at: SystemTime,
    state: &'static str,
    next_attempt_at: Option<String>,
    attempts: Vec<ShownAttempt>,
}

/// Up to 25 for each of 100 deliveries: nothing is allocated to serialize one.
#[derive(Serialize)]
struct ShownAttempt {
    #[serde(serialize_with = "as_rfc3339")]
    at: SystemTime,
    outcome: &'static str,
    status: Option<u16>,
}

impl DeliveryRequest {
    pub(super) async fn list(
        &self,
        target: &str,
        state: Option<DeliveryState>,
        cursor: Option<&str>,
    ) -> Result<Answer, Error> {
        // Before anything is looked up: whatever a target's id is, the cursor has to fit it.
        let before = parse_position(cursor, target)?;
        let (scope, found) = self.find(target).await?;
        let listed = self.deliveries.queue().deliveries(scope, found.id, state, before, MAX_PAGE);
        let listed = listed.await?.ok_or(Error::UnknownTarget)?;
        let last = listed.last().filter(|_| listed.len() == MAX_PAGE);
        let cursor = last.map(|last| of_position(last.position, target));
        let deliveries = listed.iter().map(Shown::from).collect();
        Ok(answer::to_json(&Page { deliveries, cursor }))
    }

    pub(super) async fn retry(&self, id: &str) -> Result<Answer, Error> {
        let id: DeliveryId = id.parse().map_err(|_| Error::UnknownDelivery)?;
        let found = self.find(&id.target.to_string()).await;
        let (scope, target) = found.map_err(|error| match error {
            Error::UnknownTarget => Error::UnknownDelivery,
            error => error,
        })?;
        match self.deliveries.queue().retry(scope, id).await? {
            None => Err(Error::UnknownDelivery),
            Some(Retried::Delivered) => Err(refused(ARRIVED).into()),
            Some(Retried::UnderWay) => Ok(done("An attempt is under way")),
            Some(Retried::Due) => {
                Ok(done(&format!("Delivery is sent again{}", target.wait_of("its"))))
            }
        }
    }

    pub(super) async fn replay(
        &self,
        id: &str,
        replay: Replay,
        cursor: Option<&str>,
    ) -> Result<Answer, Error> {
        let list = format!("replay of {id}");
        let after = parse_position(cursor, &list)?.unwrap_or(0);
        let (scope, target) = self.find(id).await?;
        let classes = &self.services.event_classes;
        let replaying = (self.deliveries).replay(scope, &target, replay, classes, after);
        let (replayed, next) = replaying.await?.ok_or(Error::UnknownTarget)?;
        let message = match (replayed, next, replay.all) {
            (0, Some(_), _) => "None so far: go on with the cursor".into(),
            (0, None, false) => {
                "All of that time have arrived or wait: \"all\": true takes the delivered ones, too"
                    .into()
            }
            (0, None, true) => "There are none of that time to send".into(),
            _ => format!("Deliveries are sent again{}", target.wait_of("their")),
        };
        let cursor = next.map(|next| of_position(next, &list));
        let done =
            json!({"success": true, "message": message, "replayed": replayed, "cursor": cursor});
        Ok(answer::to_json(&done))
    }
}

// === impl Shown ===

impl<'a> From<&'a Delivery> for Shown<'a> {
    fn from(delivery: &'a Delivery) -> Self {
        let attempts = delivery.attempts.iter().map(|attempt| ShownAttempt {
            at: attempt.at,
            outcome: attempt.outcome.revealed().as_str(),
            status: attempt.status,
        });
        Self {
            id: delivery.id.to_string(),
            event: &delivery.class,
            received_at: delivery.received_at,
            state: delivery.state.as_str(),
            next_attempt_at: delivery.due_at.map(rfc3339),
            attempts: attempts.collect(),
        }
    }
}

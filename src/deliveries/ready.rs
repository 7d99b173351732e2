//! Targets as they are used, opened once for each change of their settings.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use quick_cache::sync::Cache;

use super::{
    AttemptOutcome, AttemptResult, Deliveries, DeliveryId, Destination, Message, QueueError,
    ReceiptId, Sender, Target, TargetHeader, TargetId, TargetSettings,
};
use crate::groupware::WebhookSecret;
use crate::opaque::opaque_debug;
use crate::vault::VaultError;

/// Targets that are kept opened. One takes a kilobyte, and more with a long filter.
const KEPT: usize = 4096;

/// A target whose settings are parsed.
pub(super) struct ReadyTarget {
    /// `None` if it is none any more.
    destination: Option<Destination>,
    headers: HeaderMap,
    pub(super) events: Vec<String>,
    pub(super) filter: Option<String>,
    secret: Option<WebhookSecret>,
    /// Each signs until this time, in seconds since 1970.
    previous: Vec<(WebhookSecret, u64)>,
}

/// The targets that were used last, each as it was sealed: a failover that loses a revision gives its number again.
pub(super) struct ReadyTargets(Cache<TargetId, (Arc<[u8]>, Arc<ReadyTarget>)>);

// === impl ReadyTarget ===

impl ReadyTarget {
    fn new(settings: TargetSettings) -> Self {
        Self {
            destination: settings.uri.parse().ok(),
            headers: settings.headers.iter().filter_map(field).collect(),
            events: settings.events,
            filter: settings.filter,
            secret: settings.secret.parse().ok(),
            previous: (settings.previous.iter())
                .filter_map(|previous| Some((previous.secret.parse().ok()?, previous.until)))
                .collect(),
        }
    }

    /// Makes one attempt to deliver `body` to it, which is `target`.
    pub(super) async fn send(
        &self,
        sender: &Sender,
        target: &Target,
        id: DeliveryId,
        body: &Bytes,
    ) -> AttemptResult {
        let Some(destination) = &self.destination else {
            return AttemptOutcome::Forbidden.into();
        };
        let message = Message {
            account: target.payer(),
            id: &id.to_string(),
            body,
            secrets: &self.secrets(),
            headers: &self.headers,
        };
        sender.send(destination, message).await
    }

    /// The secrets that sign now.
    fn secrets(&self) -> Vec<WebhookSecret> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |now| now.as_secs());
        let previous = self.previous.iter().filter(|(_, until)| now < *until);
        let previous = previous.map(|(secret, _)| secret);
        self.secret.iter().chain(previous).cloned().collect()
    }
}

// === impl ReadyTargets ===

impl ReadyTargets {
    pub(super) fn new() -> Self {
        Self(Cache::new(KEPT))
    }

    /// The settings of `target`, if they have been opened.
    pub(super) fn known(&self, target: &Target) -> Option<Arc<ReadyTarget>> {
        let (sealed, ready) = self.0.get(&target.id)?;
        (*sealed == *target.sealed).then_some(ready)
    }

    /// The settings of `target`.
    ///
    /// # Errors
    /// It does not open with the keys at hand.
    pub(super) async fn get(
        &self,
        deliveries: &Deliveries,
        target: &Target,
    ) -> Result<Arc<ReadyTarget>, QueueError> {
        if let Some(ready) = self.known(target) {
            return Ok(ready);
        }
        let settings = deliveries.open_target(target).await?;
        let ready = Arc::new(ReadyTarget::new(settings));
        self.0.insert(target.id, (target.sealed[..].into(), ready.clone()));
        Ok(ready)
    }
}

// === impl Deliveries ===

impl Deliveries {
    /// Makes one attempt at `target` with `body`, which is no delivery.
    ///
    /// # Errors
    /// It does not open with the keys at hand.
    #[doc(hidden)]
    pub async fn test(
        &self,
        sender: &Sender,
        target: &Target,
        body: Bytes,
    ) -> Result<AttemptResult, QueueError> {
        let receipt = ReceiptId::random().map_err(VaultError::Random)?;
        let ready = ReadyTarget::new(self.open_target(target).await?);
        let id = DeliveryId { receipt, target: target.id };
        Ok(ready.send(sender, target, id, &body).await)
    }
}

fn field(header: &TargetHeader) -> Option<(HeaderName, HeaderValue)> {
    let mut value = HeaderValue::from_str(&header.value).ok()?;
    value.set_sensitive(true);
    Some((header.name.parse().ok()?, value))
}

opaque_debug!(ReadyTargets);

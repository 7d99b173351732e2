//! Webhook registrations (docs/API.md, section 4).

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::ser::{SerializeMap as _, Serializer as _};
use zeroize::Zeroizing;

use super::call::{Answer, Call, JSON};
use super::known_list::Listed;
use super::ocs::RawJson;
use super::route::WEBHOOKS;
use super::{Access, DeliveryCredential, EventFilter, GroupwareError, Reply, Route, WriteError};

/// The longest address in a query, percent-encoded. Web servers accept request lines of about 8,000 bytes.
const MAX_QUERY: usize = 6000;

// === impl Access ===

impl Access {
    /// The registrations visible to the account, as raw JSON: an array.
    ///
    /// Registrations have no owner: an administrator or delegate sees all of them.
    ///
    /// # Errors
    /// Any [`GroupwareError`].
    pub async fn webhooks(&self) -> Reply<RawJson> {
        let call = self.groupware.call_of(Route::Webhooks);
        self.call(call, Answer::list).await
    }

    /// What `make`, which is always the same, makes of them.
    pub(crate) async fn webhooks_as(&self, make: impl FnOnce(&[u8]) -> Bytes) -> Reply<Listed> {
        let call = self.groupware.call_of(Route::Webhooks);
        let known = &self.groupware.0.known_list;
        self.call(call, |answer| known.read(answer, make)).await
    }

    /// The registrations for deliveries to `uri`, as raw JSON: an array.
    ///
    /// Others may be among them: an address may be too long for a request, and some servers may not select by it.
    ///
    /// # Errors
    /// Any [`GroupwareError`].
    pub async fn webhooks_at(&self, uri: &str) -> Reply<RawJson> {
        let encoded = utf8_percent_encode(uri, NON_ALPHANUMERIC).to_string();
        if encoded.len() > MAX_QUERY {
            return self.webhooks().await;
        }
        let url = self.groupware.url();
        let Ok(uri) = url.join(&format!("{WEBHOOKS}&uri={encoded}")) else {
            return Reply::failed(GroupwareError::unreadable("no address for this query"));
        };
        let call = Call::new(Route::Webhooks, uri);
        self.call(call, Answer::list).await
    }

    /// Registers a webhook; returns the registration as raw JSON: an object.
    ///
    /// # Errors
    /// Any [`GroupwareError`], with what is known of the registration; [`GroupwareError::UnknownEvent`] if
    /// the server does not know the event class or does not offer it to webhooks.
    pub async fn create_webhook(&self, webhook: &NewWebhook) -> Reply<RawJson, WriteError> {
        self.create_webhook_after(Duration::ZERO, webhook).await
    }

    /// The same, after a time that counts against the timeout of the call.
    pub(crate) async fn create_webhook_after(
        &self,
        spent: Duration,
        webhook: &NewWebhook,
    ) -> Reply<RawJson, WriteError> {
        let call = Call { spent, ..self.groupware.call_of(Route::CreateWebhook) };
        self.write_webhook(Ok(call), webhook).await
    }

    /// Makes the registration `id` the given one, of this account, for what waits to be delivered, too. The answer is the
    /// same if there is no such registration, so look afterwards.
    ///
    /// # Errors
    /// As [`Self::create_webhook`].
    pub async fn update_webhook(
        &self,
        id: i64,
        webhook: &NewWebhook,
    ) -> Reply<RawJson, WriteError> {
        self.write_webhook(self.call_of_id(Route::CreateWebhook, id), webhook).await
    }

    async fn write_webhook(
        &self,
        call: Result<Call, GroupwareError>,
        webhook: &NewWebhook,
    ) -> Reply<RawJson, WriteError> {
        let with_body = |call| Ok(Call { body: Some((JSON, webhook.to_body()?)), ..call });
        let read =
            |answer: &Answer| answer.data()?.starting_with(b'{', "its data is not an object");
        self.write(call.and_then(with_body), read).await
    }

    /// Deletes a registration; `false` if there was none with this id.
    ///
    /// # Errors
    /// Any [`GroupwareError`], with what is known of the registration.
    pub async fn delete_webhook(&self, id: i64) -> Reply<bool, WriteError> {
        let call = self.call_of_id(Route::DeleteWebhook, id);
        let read = |answer: &Answer| match answer.data()?.as_bytes() {
            b"true" => Ok(true),
            b"false" => Ok(false),
            _ => Err(GroupwareError::unreadable("its data is neither true nor false")),
        };
        self.write(call, read).await
    }

    fn call_of_id(&self, route: Route, id: i64) -> Result<Call, GroupwareError> {
        let path = WEBHOOKS.replace('?', &format!("/{id}?"));
        let uri = self.groupware.url().join(&path);
        let uri = uri.map_err(|_| GroupwareError::unreadable("no address for this id"))?;
        Ok(Call::new(route, uri))
    }
}

/// A webhook to be registered.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NewWebhook {
    /// The full name of the event class at the server.
    pub event: String,
    /// The address for deliveries.
    pub uri: String,
    /// Which events are delivered; all of them without a filter.
    pub filter: Option<EventFilter>,
    /// The credential of the deliveries: [`DeliveryAuth::authorization_for`](super::DeliveryAuth::authorization_for).
    pub authorization: Option<DeliveryCredential>,
}

// === impl NewWebhook ===

impl NewWebhook {
    /// One for all events of a class, delivered to `uri` without a credential.
    pub fn new(event: impl Into<String>, uri: impl Into<String>) -> Self {
        Self { event: event.into(), uri: uri.into(), filter: None, authorization: None }
    }

    /// The request body. This buffer is wiped after it was sent; the copies of hyper and TLS are not.
    fn to_body(&self) -> Result<Bytes, GroupwareError> {
        let unwritable = |_| GroupwareError::unreadable("the registration cannot be written");
        // Enough, as a growing vector would leave copies of the secret, but not much more, since all of it is wiped.
        let (filter, secret) = (self.filter.as_ref(), self.authorization.as_ref());
        let filter = filter.map_or(0, |filter| filter.as_str().len());
        let is_escaped = |byte: &u8| matches!(byte, ..b' ' | b'"' | b'\\');
        let len = |text: &str| text.len() + 5 * text.bytes().filter(is_escaped).count();
        let secret = secret.map_or(0, |value| len(value.expose()));
        let capacity = 128 + len(&self.event) + len(&self.uri) + secret + filter;
        let mut body = Zeroizing::new(Vec::with_capacity(capacity));
        self.write(&mut body).map_err(unwritable)?;
        debug_assert!(body.len() <= capacity, "it grew");
        Ok(Bytes::from_owner(body))
    }

    fn write(&self, body: &mut Vec<u8>) -> serde_json::Result<()> {
        let mut serializer = serde_json::Serializer::new(body);
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("httpMethod", "POST")?;
        members.serialize_entry("uri", &self.uri)?;
        members.serialize_entry("event", &self.event)?;
        if let Some(filter) = &self.filter {
            members.serialize_entry("eventFilter", filter)?;
        }
        if let Some(credential) = &self.authorization {
            let fields = BTreeMap::from([("Authorization", credential.expose())]);
            members.serialize_entry("authMethod", "header")?;
            members.serialize_entry("authData", &fields)?;
        }
        members.end()
    }
}

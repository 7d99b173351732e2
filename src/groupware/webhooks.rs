//! Webhook registrations (docs/API.md, section 4).

use std::collections::BTreeMap;

use bytes::Bytes;
use http::Uri;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::ser::{SerializeMap as _, Serializer as _};
use zeroize::Zeroizing;

use super::call::{Call, JSON};
use super::client::WEBHOOKS;
use super::ocs::RawJson;
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
        self.list(self.groupware.routes().webhooks.clone()).await
    }

    /// The registrations for deliveries to `uri`, as raw JSON: an array.
    ///
    /// Others may be among them: the server is not asked for an address that is too long for a request, and
    /// some servers may not select by address.
    ///
    /// # Errors
    /// Any [`GroupwareError`].
    pub async fn webhooks_at(&self, uri: &str) -> Reply<RawJson> {
        let encoded = utf8_percent_encode(uri, NON_ALPHANUMERIC).to_string();
        if encoded.len() > MAX_QUERY {
            return self.webhooks().await;
        }
        let url = self.groupware.url();
        match url.join(&format!("{WEBHOOKS}&uri={encoded}")) {
            Ok(uri) => self.list(uri).await,
            Err(_) => Reply::failed(GroupwareError::unreadable("no address for this query")),
        }
    }

    async fn list(&self, uri: Uri) -> Reply<RawJson> {
        let call = Call::new(Route::Webhooks, uri);
        self.call(call, |answer| {
            answer
                .data()?
                .starting_with(b'[', "its data is not an array")
        })
        .await
    }

    /// Registers a webhook; returns the registration as raw JSON: an object.
    ///
    /// # Errors
    /// Any [`GroupwareError`], with what is known of the registration; [`GroupwareError::UnknownEvent`] if
    /// the server does not know the event class or does not offer it to webhooks.
    pub async fn create_webhook(&self, webhook: &NewWebhook) -> Reply<RawJson, WriteError> {
        let body = match webhook.to_body() {
            Ok(body) => body,
            Err(error) => return Reply::failed(error),
        };
        let uri = self.groupware.routes().webhooks.clone();
        let call = Call {
            body: Some((JSON, body)),
            ..Call::new(Route::CreateWebhook, uri)
        };
        let reply = self.call(call, |answer| {
            answer
                .data()?
                .starting_with(b'{', "its data is not an object")
        });
        reply.await.and_then(Ok)
    }

    /// Deletes a registration; `false` if there was none with this id.
    ///
    /// # Errors
    /// Any [`GroupwareError`], with what is known of the registration.
    pub async fn delete_webhook(&self, id: i64) -> Reply<bool, WriteError> {
        let path = format!("/ocs/v2.php/apps/webhook_listeners/api/v1/webhooks/{id}?format=json");
        let Ok(uri) = self.groupware.url().join(&path) else {
            return Reply::failed(GroupwareError::unreadable("no address for this id"));
        };
        let call = Call::new(Route::DeleteWebhook, uri);
        let reply = self.call(call, |answer| match answer.data()?.as_bytes() {
            b"true" => Ok(true),
            b"false" => Ok(false),
            _ => Err(GroupwareError::unreadable(
                "its data is neither true nor false",
            )),
        });
        reply.await.and_then(Ok)
    }
}

/// A webhook to be registered.
#[derive(Clone, Debug)]
pub struct NewWebhook {
    /// The full name of the event class at the server.
    pub event: String,
    /// The address for deliveries.
    pub uri: String,
    /// Which events are delivered; all of them without a filter.
    pub filter: Option<EventFilter>,
    /// The credential of the deliveries; see
    /// [`DeliveryAuth::authorization_for`](super::DeliveryAuth::authorization_for).
    pub authorization: Option<DeliveryCredential>,
}

// === impl NewWebhook ===

impl NewWebhook {
    /// The request body. This buffer is wiped after it was sent; the copies of hyper and TLS are not.
    fn to_body(&self) -> Result<Bytes, GroupwareError> {
        let unwritable = |_| GroupwareError::unreadable("the registration cannot be written");
        // Enough even if every character is escaped: a growing vector would leave copies of the secret.
        let (filter, secret) = (self.filter.as_ref(), self.authorization.as_ref());
        let filter = filter.map_or(0, |filter| filter.as_str().len());
        let secret = secret.map_or(0, |value| value.expose().len());
        let capacity = 256 + 6 * (self.event.len() + self.uri.len() + secret) + filter;
        let mut body = Zeroizing::new(Vec::with_capacity(capacity));
        self.write(&mut body).map_err(unwritable)?;
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

//! Webhook registrations (specification, section 2.3).

use std::net::IpAddr;

use bytes::Bytes;
use http::{HeaderValue, Method};
use serde::Serialize;
use zeroize::Zeroizing;

use super::client::Call;
use super::ocs::{RawJson, Route};
use super::{Account, DeliveryCredential, EventFilter, Groupware, GroupwareError};

impl Groupware {
    /// The registrations that the account may see, as the server wrote them: an array.
    ///
    /// Registrations are owned by nobody: an administrator or delegate sees all of them.
    ///
    /// # Errors
    /// Any [`GroupwareError`].
    pub async fn webhooks(
        &self,
        account: &Account,
        forwarded: Option<IpAddr>,
    ) -> Result<RawJson, GroupwareError> {
        let answer = self
            .exchange(Call {
                route: "webhooks",
                method: Method::GET,
                uri: self.routes().webhooks.clone(),
                account: Some(account),
                forwarded,
                body: None,
            })
            .await?;
        answer.data(Route::Webhooks)?.array()
    }

    /// Registers a webhook; the record comes back as the server wrote it: an object.
    ///
    /// # Errors
    /// Any [`GroupwareError`]; [`GroupwareError::UnknownEvent`] where the server has no such event
    /// class, or not for webhooks.
    pub async fn create_webhook(
        &self,
        account: &Account,
        forwarded: Option<IpAddr>,
        webhook: &NewWebhook,
    ) -> Result<RawJson, GroupwareError> {
        let answer = self
            .exchange(Call {
                route: "create webhook",
                method: Method::POST,
                uri: self.routes().webhooks.clone(),
                account: Some(account),
                forwarded,
                body: Some((
                    HeaderValue::from_static("application/json"),
                    webhook.to_body()?,
                )),
            })
            .await?;
        answer.data(Route::CreateWebhook)?.object()
    }

    /// Deletes a registration; `false` where there was none with this id.
    ///
    /// # Errors
    /// Any [`GroupwareError`].
    pub async fn delete_webhook(
        &self,
        account: &Account,
        forwarded: Option<IpAddr>,
        id: i64,
    ) -> Result<bool, GroupwareError> {
        let path = format!("/ocs/v2.php/apps/webhook_listeners/api/v1/webhooks/{id}?format=json");
        let uri = self.url().join(&path);
        let answer = self
            .exchange(Call {
                route: "delete webhook",
                method: Method::DELETE,
                uri: uri.map_err(|_| GroupwareError::unreadable("no address for this id"))?,
                account: Some(account),
                forwarded,
                body: None,
            })
            .await?;
        match answer.data(Route::Webhooks)?.as_bytes() {
            b"true" => Ok(true),
            b"false" => Ok(false),
            _ => Err(GroupwareError::unreadable(
                "its data is neither true nor false",
            )),
        }
    }
}

/// A webhook to be registered.
#[derive(Clone, Debug)]
pub struct NewWebhook {
    /// The full name of the event class at the server.
    pub event: String,
    /// Where deliveries go.
    pub uri: String,
    /// Which events are delivered; all where there is none.
    pub filter: Option<EventFilter>,
    /// What deliveries carry to be known by; see
    /// [`DeliveryAuth::authorization_for`](super::DeliveryAuth::authorization_for).
    pub authorization: Option<DeliveryCredential>,
}

impl NewWebhook {
    /// The request body, wiped from memory once it is sent.
    fn to_body(&self) -> Result<Bytes, GroupwareError> {
        let unwritable = |_| GroupwareError::unreadable("the registration cannot be written");
        // Enough for every character escaped, so that the secret is never moved.
        let filter = self
            .filter
            .as_ref()
            .map_or(0, |filter| filter.as_str().len());
        let secret = self
            .authorization
            .as_ref()
            .map_or(0, |value| value.expose().len());
        let room = 256 + 6 * (self.event.len() + self.uri.len() + secret) + filter;
        let mut body = Zeroizing::new(Vec::with_capacity(room));
        serde_json::to_writer(&mut *body, &Body::from(self)).map_err(unwritable)?;
        Ok(Bytes::from_owner(body))
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    http_method: &'static str,
    uri: &'a str,
    event: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    event_filter: Option<&'a EventFilter>,
    #[serde(skip_serializing_if = "Option::is_none")]
    auth_method: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    auth_data: Option<AuthData<'a>>,
}

#[derive(Serialize)]
struct AuthData<'a> {
    #[serde(rename = "Authorization")]
    authorization: &'a str,
}

impl<'a> From<&'a NewWebhook> for Body<'a> {
    fn from(webhook: &'a NewWebhook) -> Self {
        let authorization = webhook
            .authorization
            .as_ref()
            .map(DeliveryCredential::expose);
        Self {
            http_method: "POST",
            uri: &webhook.uri,
            event: &webhook.event,
            event_filter: webhook.filter.as_ref(),
            auth_method: authorization.map(|_| "header"),
            auth_data: authorization.map(|authorization| AuthData { authorization }),
        }
    }
}

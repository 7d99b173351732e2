//! The webhook registrations (specification, sections 2.3 and 4.1 rules 2 to 4).

use std::fmt;

use bytes::Bytes;
use http::Response;
use http_body_util::Full;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{json, member};
use crate::gateway::Error;
use crate::gateway::layer::provisioning::Access;
use crate::groupware::{DeliveryAuth, EventFilter, NewWebhook};

/// What a create request asks for.
#[derive(Debug)]
pub struct CreateWebhook {
    event: String,
    uri: String,
    filter: Option<EventFilter>,
}

impl CreateWebhook {
    /// Reads the body of a create request.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidJson`] (the 500 case), [`Error::NotAnObject`], [`Error::MissingFields`]
    /// and [`Error::Filter`].
    pub(in crate::gateway) fn parse(body: &[u8]) -> Result<Self, Error> {
        let body: &RawValue = serde_json::from_slice(body).map_err(Error::InvalidJson)?;
        let members = Members::of(body).ok_or(Error::NotAnObject)?;
        let event = members.event.and_then(text).ok_or(Error::MissingFields)?;
        let uri = members.uri.and_then(text).ok_or(Error::MissingFields)?;
        let filter = match filter(members.event_filter)? {
            Some(filter) => Some(filter),
            None => filter(members.event_filter_alias)?,
        };
        Ok(Self { event, uri, filter })
    }
}

pub(super) async fn list(access: &Access) -> Result<Response<Full<Bytes>>, Error> {
    let records = access
        .groupware
        .webhooks(&access.account, access.client_address)
        .await?;
    Ok(member("webhooks", records.as_bytes()))
}

pub(super) async fn create(
    access: &Access,
    create: CreateWebhook,
    delivery: Option<&DeliveryAuth>,
) -> Result<Response<Full<Bytes>>, Error> {
    let CreateWebhook { event, uri, filter } = create;
    let authorization = delivery.map(|delivery| delivery.authorization_for(&uri));
    let webhook = NewWebhook {
        event,
        uri,
        filter,
        authorization,
    };
    let record = access
        .groupware
        .create_webhook(&access.account, access.client_address, &webhook)
        .await?;
    Ok(member("webhook", record.as_bytes()))
}

pub(super) async fn delete(access: &Access, id: i64) -> Result<Response<Full<Bytes>>, Error> {
    match access
        .groupware
        .delete_webhook(&access.account, access.client_address, id)
        .await?
    {
        true => Ok(json(
            &br#"{"success":true,"message":"Webhook deleted"}"#[..],
        )),
        false => Err(Error::UnknownWebhook),
    }
}

/// The members of the body that are looked at, each as it was written. Of a member given twice
/// the last one counts, as with the JSON parsers of the front ends.
#[derive(Default)]
struct Members<'a> {
    event: Option<&'a RawValue>,
    uri: Option<&'a RawValue>,
    event_filter: Option<&'a RawValue>,
    event_filter_alias: Option<&'a RawValue>,
}

impl<'a> Members<'a> {
    /// `None` where `body` is not an object.
    fn of(body: &'a RawValue) -> Option<Self> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Members::default();
                while let Some(name) = map.next_key::<std::borrow::Cow<'de, str>>()? {
                    let place = match &*name {
                        "event" => &mut members.event,
                        "uri" => &mut members.uri,
                        "eventFilter" => &mut members.event_filter,
                        "event_filter" => &mut members.event_filter_alias,
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                            continue;
                        }
                    };
                    *place = Some(map.next_value()?);
                }
                Ok(members)
            }
        }

        let mut deserializer = serde_json::Deserializer::from_str(body.get());
        deserializer.deserialize_map(Object).ok()
    }
}

/// A string that is not empty.
fn text(value: &RawValue) -> Option<String> {
    serde_json::from_str(value.get())
        .ok()
        .filter(|text: &String| !text.is_empty())
}

/// `None` where there is no member, or one that stands for no filter.
fn filter(value: Option<&RawValue>) -> Result<Option<EventFilter>, Error> {
    value.map_or(Ok(None), |value| {
        EventFilter::parse(value.get()).map_err(Error::Filter)
    })
}

//! Parses method, path and query of a request (docs/API.md, sections 3 to 5, 10.2 and 10.3).

use std::time::Duration;

use bytes::Bytes;
use http::Method;
use http::header::{ACCEPT, HeaderMap, HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;

use super::input::{
    CreateWebhook, CredentialInput, DeliveryInput, DeliveryInputError, EventInput, EventsInput,
    GroupwareInput, Input, LoginFlowInput, MatchEvent, NewTarget, PresetInput, Replay,
    StoreCredential, TargetChange,
};
use super::path::{decode, decode_form};
use super::{Endpoint, Error};
use crate::groupware::EventClasses;

/// The maximum time to wait for events, in seconds.
const MAX_TIMEOUT: u64 = 60;

/// The last event that a client of a stream has seen.
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// A request as far as its method and path determine it.
pub(super) enum Matched {
    /// Completely.
    Complete(Input),
    /// The rest is in the body.
    Body(ReadBody),
}

/// Parses a body.
type ReadBody = Box<dyn FnOnce(Bytes, &EventClasses) -> Result<Input, Error> + Send>;

// === impl Matched ===

impl Matched {
    /// The request of `method` to `path`, which is one of `endpoint`. Ids are percent-decoded, once.
    pub(super) fn find(
        endpoint: Endpoint,
        method: &Method,
        path: &str,
        query: Option<&str>,
        headers: &HeaderMap,
    ) -> Result<Self, Error> {
        use Endpoint as E;

        let id = endpoint.parameter(path);
        let query = query.unwrap_or_default();
        Ok(match (endpoint, method) {
            (E::Apps, &Method::GET) => GroupwareInput::ListApps.into(),
            (E::Webhooks, &Method::GET) => GroupwareInput::ListWebhooks.into(),
            (E::Webhooks, &Method::POST) => body(|body, classes| {
                let create = CreateWebhook::parse(&body, classes)?;
                Ok(GroupwareInput::CreateWebhook(create.into()).into())
            }),
            (E::Webhooks, &Method::DELETE) => return Err(Error::MissingWebhookId),
            (E::Webhook, &Method::DELETE) if id.is_empty() => return Err(Error::MissingWebhookId),
            (E::Webhook, _) if id.is_empty() => return Err(Error::UnknownPath),
            (E::Webhook, &Method::DELETE) => GroupwareInput::DeleteWebhook(webhook_id(id)?).into(),
            (E::WebhookPresets, &Method::GET) => PresetInput::List.into(),
            (E::WebhookPreset, &Method::GET) => {
                let (preset, uri) = (id.into(), address(query)?);
                PresetInput::Show { preset, uri }.into()
            }
            (E::WebhookPreset, &Method::PUT) => {
                let preset = id.into();
                body(move |body, _| Ok(PresetInput::enable(preset, &body)?.into()))
            }
            (E::WebhookPreset, &Method::DELETE) => {
                let (preset, uri) = (id.into(), address(query)?.ok_or(Error::MissingUri)?);
                PresetInput::Disable { preset, uri }.into()
            }
            (E::Events, &Method::GET) => EventInput::List.into(),
            (E::MatchEvent, &Method::POST) => body(|body, classes| {
                Ok(EventInput::Match(MatchEvent::parse(&body, classes)?).into())
            }),
            (E::Credentials, &Method::POST) => {
                body(|body, _| Ok(CredentialInput::Store(StoreCredential::parse(body)?).into()))
            }
            (E::Credentials, &Method::DELETE) => {
                let revoke = switch(query, "revoke")?;
                CredentialInput::Delete { revoke }.into()
            }
            (E::CredentialOfUser, &Method::GET) => CredentialInput::Read {
                user_id: decode(id)?,
                or_user_id: id.contains('+').then(|| decode_form(id)).transpose()?,
                reveal: switch(query, "reveal")?,
            }
            .into(),
            (E::Status, &Method::GET) => CredentialInput::Status.into(),
            (E::LoginFlows, &Method::POST) => LoginFlowInput::Start.into(),
            (E::LoginFlow, &Method::GET) => {
                let flow_id = id.into();
                LoginFlowInput::Poll { flow_id }.into()
            }
            (E::Session, &Method::GET) => {
                let user_id = decode_form(id)?;
                CredentialInput::Session { user_id }.into()
            }
            (E::Revoke, &Method::POST) => {
                let user_id = decode_form(id)?;
                CredentialInput::Revoke { user_id }.into()
            }
            (E::Targets, &Method::GET) => {
                let user = text(query, "user").map_err(|_| DeliveryInputError::User)?;
                let user = user.map(decode_form).transpose()?;
                let cursor = text(query, "cursor").map_err(|_| DeliveryInputError::Cursor)?;
                let cursor = cursor.map(Into::into);
                DeliveryInput::Targets { user, cursor }.into()
            }
            (E::Targets, &Method::POST) => {
                body(|body, _| Ok(DeliveryInput::Create(NewTarget::parse(&body)?).into()))
            }
            (E::Target, &Method::GET) => DeliveryInput::Show(id.into()).into(),
            (E::Target, &Method::PATCH) => {
                let id = id.into();
                body(move |body, _| {
                    Ok(DeliveryInput::Change(id, TargetChange::parse(&body)?).into())
                })
            }
            (E::Target, &Method::DELETE) => DeliveryInput::Remove(id.into()).into(),
            (E::TargetSecret, &Method::POST) => DeliveryInput::ReplaceSecret(id.into()).into(),
            (E::TargetDeliveries, &Method::GET) => {
                let state = text(query, "state").map(|state| state.map(str::parse).transpose());
                let Ok(Ok(state)) = state else {
                    return Err(DeliveryInputError::State.into());
                };
                let cursor = text(query, "cursor").map_err(|_| DeliveryInputError::Cursor)?;
                DeliveryInput::Deliveries {
                    target: id.into(),
                    state,
                    cursor: cursor.map(Into::into),
                }
                .into()
            }
            (E::Replay, &Method::POST) => {
                let id = id.into();
                body(move |body, _| Ok(DeliveryInput::Replay(id, Replay::parse(&body)?).into()))
            }
            (E::Retry, &Method::POST) => DeliveryInput::Retry(id.into()).into(),
            (E::DeliveryEvents, &Method::GET) => {
                DeliveryInput::Events(events(query, headers)?).into()
            }
            // Answered by layers above, in a stack that has them.
            (
                E::PublicStatus
                | E::AppPassword
                | E::VectorSync
                | E::VectorSearch
                | E::ReceiveDelivery
                | E::ReceiveCallback
                | E::ResourceMetadata
                | E::Healthz
                | E::Readyz
                | E::Other,
                _,
            ) => return Err(Error::UnknownPath),
            _ => return Err(endpoint.method_not_allowed()),
        })
    }
}

impl<I: Into<Input>> From<I> for Matched {
    fn from(input: I) -> Self {
        Self::Complete(input.into())
    }
}

fn body(
    read: impl FnOnce(Bytes, &EventClasses) -> Result<Input, Error> + Send + 'static,
) -> Matched {
    Matched::Body(Box::new(read))
}

/// Whether `name` is `true` in the query; `false` if it is missing. Any other value, and a repeated
/// name, is refused: a request to revoke a password must not be misunderstood.
fn switch(query: &str, name: &'static str) -> Result<bool, Error> {
    match parameter(query, name) {
        Ok(None | Some("false")) => Ok(false),
        Ok(Some("true")) => Ok(true),
        _ => Err(Error::InvalidSwitch(name)),
    }
}

/// The delivery address in the query, percent-decoded once, with a space for a `+`.
fn address(query: &str) -> Result<Option<String>, Error> {
    match parameter(query, "uri") {
        Ok(None) => Ok(None),
        Ok(Some(value)) if !value.is_empty() => {
            let uri = decode_form(value).map_err(|_| Error::InvalidUri)?;
            Ok(Some(uri.into()))
        }
        _ => Err(Error::InvalidUri),
    }
}

/// The value of `name` in the query, which may not be empty or repeated.
fn text<'q>(query: &'q str, name: &str) -> Result<Option<&'q str>, Repeated> {
    match parameter(query, name) {
        Ok(Some("")) => Err(Repeated),
        found => found,
    }
}

/// A request for events: as one answer or, for a client that takes only that, as a stream.
fn events(query: &str, headers: &HeaderMap) -> Result<EventsInput, DeliveryInputError> {
    let accepts = |field: &HeaderValue| field.as_bytes().starts_with(b"text/event-stream");
    let is_stream = headers.get_all(ACCEPT).iter().any(accepts);
    let timeout = match text(query, "timeout").map_err(|_| DeliveryInputError::Timeout)? {
        None => 0,
        Some(seconds) => match seconds.parse() {
            Ok(seconds @ 0..=MAX_TIMEOUT) => seconds,
            _ => return Err(DeliveryInputError::Timeout),
        },
    };
    let cursor = text(query, "cursor").map_err(|_| DeliveryInputError::Cursor)?;
    let last = headers.get(LAST_EVENT_ID).filter(|_| is_stream);
    let cursor = match last {
        Some(last) => Some(last.to_str().map_err(|_| DeliveryInputError::Cursor)?),
        None => cursor,
    };
    Ok(EventsInput {
        cursor: cursor.map(Into::into),
        timeout: Duration::from_secs(timeout),
        is_stream,
    })
}

/// Why a parameter of the query has no value: it is repeated.
struct Repeated;

/// The value of `name` in the query, as it was sent.
fn parameter<'q>(query: &'q str, name: &str) -> Result<Option<&'q str>, Repeated> {
    // By bytes: searching a text for each `&` of 64 KiB of them takes five times as long.
    let pairs = query.as_bytes().split(|byte| *byte == b'&');
    let mut values = pairs.filter_map(|pair| match pair.strip_prefix(name.as_bytes())? {
        [] => Some(""),
        [b'=', value @ ..] => str::from_utf8(value).ok(),
        _ => None,
    });
    let value = values.next();
    match values.next() {
        None => Ok(value),
        Some(_) => Err(Repeated),
    }
}

/// `-?[0-9]+` within an `i64`. The groupware server casts instead of checking (it reads `1abc` as 1), so
/// only the parsed number may be sent to it.
fn webhook_id(segment: &str) -> Result<i64, Error> {
    let text = percent_decode_str(segment)
        .decode_utf8()
        .map_err(|_| Error::InvalidWebhookId)?;
    if text.starts_with('+') {
        return Err(Error::InvalidWebhookId);
    }
    text.parse().map_err(|_| Error::InvalidWebhookId)
}

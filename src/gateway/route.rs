//! Parses method, path and query of a request (docs/API.md, sections 3 to 5, 10.2 and 10.3).

use std::str::FromStr;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, HeaderMap, HeaderName};
use http::{Method, Uri};
use percent_encoding::percent_decode;

use super::input::{
    CreateWebhook, CredentialInput, DeliveryInput, EventInput, EventsInput, GroupwareInput, Input,
    InputError, LoginFlowInput, MatchEvent, PresetInput, StoreCredential, TargetInput,
    invalid_cursor, invalid_user, refused,
};
use super::path::{decode, decode_form, decode_opaque};
use super::{Endpoint, Error};
use crate::groupware::EventClasses;
use crate::names::check_user_id;

/// The maximum time to wait for events, in seconds.
const MAX_TIMEOUT: u64 = 60;

/// The last event that a client of a stream has seen.
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// A request as far as its method and path determine it.
pub(crate) enum Matched {
    /// Completely.
    Complete(Input),
    /// The rest is in the body, which is read with the id in the path.
    Body(ReadBody, Box<str>),
}

type ReadBody = fn(Box<str>, Bytes, &EventClasses) -> Result<Input, Error>;

impl Matched {
    /// The request of `method` to `uri`, whose path is one of `endpoint`.
    pub(super) fn find(
        endpoint: Endpoint,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<Self, Error> {
        use Endpoint as E;

        let id = endpoint.parameter(uri.path());
        let plain = || decode_opaque(id);
        let body = |read: ReadBody| Self::Body(read, plain());
        let query = uri.query().unwrap_or_default();
        Ok(match (endpoint, method) {
            (E::Apps, &Method::GET) => GroupwareInput::ListApps.into(),
            (E::Webhooks, &Method::GET) => GroupwareInput::ListWebhooks.into(),
            (E::Webhooks, &Method::POST) => body(|_, body, classes| {
                let create = CreateWebhook::parse(&body, classes)?;
                Ok(GroupwareInput::CreateWebhook(create.into()).into())
            }),
            (E::Webhooks, &Method::DELETE) => return Err(Error::MissingWebhookId),
            (E::Webhook, &Method::DELETE) if id.is_empty() => return Err(Error::MissingWebhookId),
            (E::Webhook, _) if id.is_empty() => return Err(Error::UnknownPath),
            (E::Webhook, &Method::DELETE) => {
                let id = number(&plain()).ok_or(Error::InvalidWebhookId)?;
                GroupwareInput::DeleteWebhook(id).into()
            }
            (E::WebhookPresets, &Method::GET) => PresetInput::List.into(),
            (E::WebhookPreset, &Method::GET) => {
                let (preset, uri) = (plain(), address(query)?);
                PresetInput::Show { preset, uri }.into()
            }
            (E::WebhookPreset, &Method::PUT) => {
                body(|preset, body, _| Ok(PresetInput::enable(preset, &body)?.into()))
            }
            (E::WebhookPreset, &Method::DELETE) => {
                let (preset, uri) = (plain(), address(query)?.ok_or(Error::MissingUri)?);
                PresetInput::Disable { preset, uri }.into()
            }
            (E::Events, &Method::GET) => EventInput::List.into(),
            (E::MatchEvent, &Method::POST) => body(|_, body, classes| {
                Ok(EventInput::Match(MatchEvent::parse(&body, classes)?).into())
            }),
            (E::Credentials, &Method::POST) => {
                body(|_, body, _| Ok(CredentialInput::Store(StoreCredential::parse(body)?).into()))
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
            (E::LoginFlow, &Method::GET) => LoginFlowInput::Poll(plain()).into(),
            (E::Me, &Method::GET) => CredentialInput::Me { ask: switch(query, "ask")? }.into(),
            (E::Users, &Method::GET) => {
                let after = cursor(query)?.map(storable).transpose();
                CredentialInput::Users { after: after.map_err(|_| invalid_cursor())? }.into()
            }
            (E::Session, &Method::GET) => CredentialInput::Session(decode_form(id)?).into(),
            (E::User, &Method::DELETE) => CredentialInput::RemoveUser {
                user_id: storable(decode_form(id)?)?,
                revoke: switch(query, "revoke")?,
            }
            .into(),
            (E::Revoke, &Method::POST) => CredentialInput::Revoke(decode_form(id)?).into(),
            (E::Targets, &Method::GET) => {
                let user = parameter(query, "user", invalid_user())?;
                let user = user.map(storable).transpose().map_err(|_| invalid_user())?;
                DeliveryInput::Targets { user, cursor: cursor(query)? }.into()
            }
            (E::Targets, &Method::POST) => body(|_, body, _| {
                let (uri, target) = TargetInput::of_new(&body)?;
                Ok(DeliveryInput::Create(uri, target.into()).into())
            }),
            (E::Target, &Method::GET) => DeliveryInput::Show(plain()).into(),
            (E::Target, &Method::PATCH) => body(|id, body, _| {
                Ok(DeliveryInput::Change(id, TargetInput::of_change(&body)?.into()).into())
            }),
            (E::Target, &Method::DELETE) => DeliveryInput::Remove(plain()).into(),
            (E::TargetSecret, &Method::POST) => {
                body(|id, body, _| Ok(DeliveryInput::replace_secret(id, &body)?.into()))
            }
            (E::TestTarget, &Method::POST) => {
                body(|id, body, _| Ok(DeliveryInput::test(id, &body)?.into()))
            }
            (E::TargetDeliveries, &Method::GET) => {
                let state =
                    parameter(query, "state", ()).map(|it| it.map(|it| it.parse()).transpose());
                let Ok(Ok(state)) = state else {
                    const STATE: &str =
                        "Invalid state in the query: must be pending, delivered, failed or expired";
                    return Err(refused(STATE).into());
                };
                DeliveryInput::Deliveries { target: plain(), state, cursor: cursor(query)? }.into()
            }
            (E::Replay, &Method::POST) => {
                body(|id, body, _| Ok(DeliveryInput::replay(id, &body)?.into()))
            }
            (E::Retry, &Method::POST) => DeliveryInput::Retry(plain()).into(),
            (E::DeliveryEvents, &Method::GET) => {
                DeliveryInput::Events(events(query, headers)?).into()
            }
            // Answered by layers above, in a stack that has them.
            _ if endpoint.area().is_empty() => return Err(Error::UnknownPath),
            _ => return Err(endpoint.method_not_allowed()),
        })
    }
}

impl<I: Into<Input>> From<I> for Matched {
    fn from(input: I) -> Self {
        Self::Complete(input.into())
    }
}

/// Whether `name` is `true` in the query; `false` if it is missing. Any other value, and a repeated
/// name, is refused: a request to revoke a password must not be misunderstood.
fn switch(query: &str, name: &'static str) -> Result<bool, Error> {
    match parameter(query, name, Error::InvalidSwitch(name))?.as_deref() {
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        _ => Err(Error::InvalidSwitch(name)),
    }
}

/// An account's id that can be stored.
fn storable(user_id: Box<str>) -> Result<Box<str>, Error> {
    check_user_id(&user_id).map_err(|_| Error::InvalidUserId)?;
    Ok(user_id)
}

/// The delivery address in the query.
fn address(query: &str) -> Result<Option<String>, Error> {
    Ok(parameter(query, "uri", Error::InvalidUri)?.map(Into::into))
}

fn cursor(query: &str) -> Result<Option<Box<str>>, InputError> {
    parameter(query, "cursor", invalid_cursor())
}

/// A request for events: as a stream for a client that names that type and not JSON before it, or as one answer.
fn events(query: &str, headers: &HeaderMap) -> Result<EventsInput, InputError> {
    let fields = headers.get_all(ACCEPT).iter().filter_map(|field| field.to_str().ok());
    let mut types = fields.flat_map(|field| field.split(',')).filter_map(|range| {
        let mut parts = range.split(';').map(str::trim);
        let name = parts.next()?;
        // With a weight of 0 it is not wanted (RFC 9110, section 12.4.2).
        let weighs = |it: &str| !it.trim_end_matches(['0', '.']).eq_ignore_ascii_case("q=");
        parts.all(weighs).then_some(name)
    });
    let first = types.find_map(|it| {
        let is_stream = it.eq_ignore_ascii_case("text/event-stream");
        (is_stream || it.eq_ignore_ascii_case("application/json")).then_some(is_stream)
    });
    let is_stream = first == Some(true);
    let timeout = parameter(query, "timeout", ()).ok();
    let timeout = timeout.and_then(|it| it.map_or(Some(0), |it| number(&it)));
    let timeout = timeout.filter(|seconds| *seconds <= MAX_TIMEOUT).ok_or(refused(
        "Invalid timeout in the query: must be a whole number of seconds from 0 to 60",
    ))?;
    let cursor = cursor(query)?;
    // Some clients send an empty one before they have seen any.
    let last = headers.get(LAST_EVENT_ID);
    let last = last.filter(|last| is_stream && !last.is_empty());
    let cursor = match last {
        Some(last) => Some(last.to_str().map_err(|_| invalid_cursor())?.into()),
        None => cursor,
    };
    Ok(EventsInput { cursor, timeout: Duration::from_secs(timeout), is_stream, presented: None })
}

/// The value of `name` in the query; `fault` if it is empty, repeated or not UTF-8.
fn parameter<E>(query: &str, name: &str, fault: E) -> Result<Option<Box<str>>, E> {
    let mut values = values(query, name);
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(Ok(value)), None) if !value.is_empty() => Ok(Some(value)),
        _ => Err(fault),
    }
}

/// The values of `name` in the query: both are percent-decoded once, with a space for a `+`.
pub(super) fn values(query: &str, name: &str) -> impl Iterator<Item = Result<Box<str>, Error>> {
    // By bytes: searching a text for each `&` of 64 KiB of them takes five times as long.
    let pairs = query.as_bytes().split(|byte| *byte == b'&').filter(|pair| !pair.is_empty());
    pairs.filter_map(move |pair| {
        let mut parts = pair.splitn(2, |byte| *byte == b'=');
        let is_it = percent_decode(parts.next()?).eq(name.bytes());
        let value = str::from_utf8(parts.next().unwrap_or_default()).unwrap_or_default();
        is_it.then(|| decode_form(value))
    })
}

/// `-?[0-9]+` that fits. The groupware server reads `1abc` as 1, so only the parsed number may be sent to it.
fn number<T: FromStr>(text: &str) -> Option<T> {
    Some(text).filter(|text| !text.starts_with('+'))?.parse().ok()
}

//! Parses method, path and query of a request (docs/API.md, sections 3 to 5, 10.2 and 10.3).

use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, HeaderMap, HeaderName};
use http::{Method, Uri};
use percent_encoding::percent_decode_str;

use super::input::{
    CreateWebhook, CredentialInput, DeliveryInput, EventInput, EventsInput, GroupwareInput, Input,
    InputError, LoginFlowInput, MatchEvent, PresetInput, StoreCredential, TargetInput,
    invalid_cursor, invalid_user, refused,
};
use super::path::{decode, decode_form};
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
    /// The request of `method` to `uri`, whose path is one of `endpoint`. Ids are percent-decoded, once.
    pub(super) fn find(
        endpoint: Endpoint,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<Self, Error> {
        use Endpoint as E;

        let id = endpoint.parameter(uri.path());
        let body = |read: ReadBody| Self::Body(read, id.into());
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
            (E::Webhook, &Method::DELETE) => GroupwareInput::DeleteWebhook(webhook_id(id)?).into(),
            (E::WebhookPresets, &Method::GET) => PresetInput::List.into(),
            (E::WebhookPreset, &Method::GET) => {
                let (preset, uri) = (id.into(), address(query)?);
                PresetInput::Show { preset, uri }.into()
            }
            (E::WebhookPreset, &Method::PUT) => {
                body(|preset, body, _| Ok(PresetInput::enable(preset, &body)?.into()))
            }
            (E::WebhookPreset, &Method::DELETE) => {
                let (preset, uri) = (id.into(), address(query)?.ok_or(Error::MissingUri)?);
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
            (E::LoginFlow, &Method::GET) => LoginFlowInput::Poll(id.into()).into(),
            (E::Me, &Method::GET) => CredentialInput::Me { ask: switch(query, "ask")? }.into(),
            (E::Users, &Method::GET) => {
                let after = cursor(query)?.map(account).transpose()?;
                CredentialInput::Users { after }.into()
            }
            (E::Session, &Method::GET) => CredentialInput::Session(decode_form(id)?).into(),
            (E::User, &Method::DELETE) => CredentialInput::RemoveUser {
                user_id: account(id)?,
                revoke: switch(query, "revoke")?,
            }
            .into(),
            (E::Revoke, &Method::POST) => CredentialInput::Revoke(decode_form(id)?).into(),
            (E::Targets, &Method::GET) => {
                let user = text(query, "user").map_err(|_| invalid_user())?;
                let user = user.map(account).transpose().map_err(|_| invalid_user())?;
                let cursor = cursor(query)?.map(Into::into);
                DeliveryInput::Targets { user, cursor }.into()
            }
            (E::Targets, &Method::POST) => body(|_, body, _| {
                let (uri, target) = TargetInput::of_new(&body)?;
                Ok(DeliveryInput::Create(uri, target.into()).into())
            }),
            (E::Target, &Method::GET) => DeliveryInput::Show(id.into()).into(),
            (E::Target, &Method::PATCH) => body(|id, body, _| {
                Ok(DeliveryInput::Change(id, TargetInput::of_change(&body)?.into()).into())
            }),
            (E::Target, &Method::DELETE) => DeliveryInput::Remove(id.into()).into(),
            (E::TargetSecret, &Method::POST) => {
                body(|id, body, _| Ok(DeliveryInput::replace_secret(id, &body)?.into()))
            }
            (E::TestTarget, &Method::POST) => {
                body(|id, body, _| Ok(DeliveryInput::test(id, &body)?.into()))
            }
            (E::TargetDeliveries, &Method::GET) => {
                let state = text(query, "state").map(|state| state.map(str::parse).transpose());
                let Ok(Ok(state)) = state else {
                    const STATE: &str =
                        "Invalid state in the query: must be pending, delivered, failed or expired";
                    return Err(refused(STATE).into());
                };
                DeliveryInput::Deliveries {
                    target: id.into(),
                    state,
                    cursor: cursor(query)?.map(Into::into),
                }
                .into()
            }
            (E::Replay, &Method::POST) => {
                body(|id, body, _| Ok(DeliveryInput::replay(id, &body)?.into()))
            }
            (E::Retry, &Method::POST) => DeliveryInput::Retry(id.into()).into(),
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
    match parameter(query, name) {
        Ok(None | Some("false")) => Ok(false),
        Ok(Some("true")) => Ok(true),
        _ => Err(Error::InvalidSwitch(name)),
    }
}

/// The id of an account, percent-decoded once, with a space for a `+`: one that can be stored.
fn account(encoded: &str) -> Result<Box<str>, Error> {
    let decoded = decode_form(encoded)?;
    check_user_id(&decoded).map_err(|_| Error::InvalidUserId)?;
    Ok(decoded)
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

fn cursor(query: &str) -> Result<Option<&str>, InputError> {
    text(query, "cursor").map_err(|_| invalid_cursor())
}

/// A request for events: as a stream for a client that names that type and not JSON before it, or as one answer.
fn events(query: &str, headers: &HeaderMap) -> Result<EventsInput, InputError> {
    let fields = headers.get_all(ACCEPT).iter();
    let ranges = fields.flat_map(|field| field.as_bytes().split(|byte| *byte == b','));
    let mut types = ranges.map(|range| {
        let end = range.iter().position(|byte| *byte == b';');
        range[..end.unwrap_or(range.len())].trim_ascii()
    });
    let first = types.find_map(|it| {
        let is_stream = it.eq_ignore_ascii_case(b"text/event-stream");
        (is_stream || it.eq_ignore_ascii_case(b"application/json")).then_some(is_stream)
    });
    let is_stream = first == Some(true);
    let timeout =
        text(query, "timeout").ok().and_then(|seconds| seconds.unwrap_or("0").parse().ok());
    let timeout = timeout.filter(|seconds| *seconds <= MAX_TIMEOUT).ok_or(refused(
        "Invalid timeout in the query: must be a whole number of seconds from 0 to 60",
    ))?;
    let cursor = cursor(query)?;
    // Some clients send an empty one before they have seen any.
    let last = headers.get(LAST_EVENT_ID);
    let last = last.filter(|last| is_stream && !last.is_empty());
    let cursor = match last {
        Some(last) => Some(last.to_str().map_err(|_| invalid_cursor())?),
        None => cursor,
    };
    Ok(EventsInput {
        cursor: cursor.map(Into::into),
        timeout: Duration::from_secs(timeout),
        is_stream,
        presented: None,
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
    let text = percent_decode_str(segment).decode_utf8();
    let digits = text.as_deref().ok().filter(|text| !text.starts_with('+'));
    digits.and_then(|digits| digits.parse().ok()).ok_or(Error::InvalidWebhookId)
}

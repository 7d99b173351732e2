//! Parses method, path and query of a request (docs/API.md, sections 3 to 5, 10.2 and 10.3).

use bytes::Bytes;
use http::Method;
use percent_encoding::percent_decode_str;

use super::input::{
    CreateWebhook, CredentialInput, EventInput, GroupwareInput, Input, LoginFlowInput, MatchEvent,
    PresetInput, StoreCredential,
};
use super::path::{decode, decode_form};
use super::{Endpoint, Error};
use crate::groupware::EventClasses;

/// A request as far as its method and path determine it.
#[derive(Debug)]
pub(super) enum Matched {
    /// Completely.
    Complete(Input),
    /// The rest is in the body.
    Body(BodyKind),
}

/// How to parse a body.
#[derive(Debug)]
pub(super) enum BodyKind {
    CreateWebhook,
    StoreCredential,
    /// The name of the preset.
    EnablePreset(Box<str>),
    MatchEvent,
}

// === impl Matched ===

impl Matched {
    /// The request of `method` to `path`, which is one of `endpoint`. Ids are percent-decoded, once.
    pub(super) fn find(
        endpoint: Endpoint,
        method: &Method,
        path: &str,
        query: Option<&str>,
    ) -> Result<Self, Error> {
        use Endpoint as E;

        let id = endpoint.parameter(path);
        let query = query.unwrap_or_default();
        Ok(match (endpoint, method) {
            (E::Apps, &Method::GET) => GroupwareInput::ListApps.into(),
            (E::Webhooks, &Method::GET) => GroupwareInput::ListWebhooks.into(),
            (E::Webhooks, &Method::POST) => Self::Body(BodyKind::CreateWebhook),
            (E::Webhooks, &Method::DELETE) => return Err(Error::MissingWebhookId),
            (E::Webhook, &Method::DELETE) if id.is_empty() => return Err(Error::MissingWebhookId),
            (E::Webhook, _) if id.is_empty() => return Err(Error::UnknownPath),
            (E::Webhook, &Method::DELETE) => GroupwareInput::DeleteWebhook(webhook_id(id)?).into(),
            (E::WebhookPresets, &Method::GET) => PresetInput::List.into(),
            (E::WebhookPreset, &Method::GET) => {
                let (preset, uri) = (id.into(), address(query)?);
                PresetInput::Show { preset, uri }.into()
            }
            (E::WebhookPreset, &Method::PUT) => Self::Body(BodyKind::EnablePreset(id.into())),
            (E::WebhookPreset, &Method::DELETE) => {
                let (preset, uri) = (id.into(), address(query)?.ok_or(Error::MissingUri)?);
                PresetInput::Disable { preset, uri }.into()
            }
            (E::Events, &Method::GET) => EventInput::List.into(),
            (E::MatchEvent, &Method::POST) => Self::Body(BodyKind::MatchEvent),
            (E::Credentials, &Method::POST) => Self::Body(BodyKind::StoreCredential),
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
            // Answered by layers above, in a stack that has them.
            (
                E::PublicStatus
                | E::AppPassword
                | E::VectorSync
                | E::VectorSearch
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

// === impl BodyKind ===

impl BodyKind {
    /// Parses the body.
    pub(super) fn read(self, body: Bytes, classes: &EventClasses) -> Result<Input, Error> {
        Ok(match self {
            Self::CreateWebhook => {
                let create = CreateWebhook::parse(&body, classes)?;
                GroupwareInput::CreateWebhook(create.into()).into()
            }
            Self::StoreCredential => CredentialInput::Store(StoreCredential::parse(body)?).into(),
            Self::EnablePreset(preset) => PresetInput::enable(preset, &body)?.into(),
            Self::MatchEvent => EventInput::Match(MatchEvent::parse(&body, classes)?).into(),
        })
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

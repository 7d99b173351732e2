//! The answers of the OCS interface: the envelope, and what a status means.

use bytes::Bytes;
use http::header::WWW_AUTHENTICATE;
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::GroupwareError;
use super::client::Answer;

/// JSON as the groupware server wrote it, byte for byte, and checked to be JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawJson(Bytes);

impl RawJson {
    /// The text, in UTF-8.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text, in UTF-8, as a part of the answer's buffer.
    pub fn into_bytes(self) -> Bytes {
        self.0
    }

    /// The same value, where it is an array.
    pub(super) fn array(self) -> Result<Self, GroupwareError> {
        self.starting_with(b'[', "its data is not an array")
    }

    /// The same value, where it is an object.
    pub(super) fn object(self) -> Result<Self, GroupwareError> {
        self.starting_with(b'{', "its data is not an object")
    }

    fn starting_with(self, first: u8, fault: &'static str) -> Result<Self, GroupwareError> {
        match self.0.first() == Some(&first) {
            true => Ok(self),
            false => Err(GroupwareError::unreadable(fault)),
        }
    }
}

/// What was asked, where that decides what a status means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    Capabilities,
    Webhooks,
    CreateWebhook,
    User,
    AppPassword,
    LoginFlow,
}

impl Answer {
    /// The `data` of a success; any other answer is an error.
    pub(super) fn data(&self, route: Route) -> Result<RawJson, GroupwareError> {
        if self.status != StatusCode::OK {
            let code = Envelope::parse(&self.body)
                .ok()
                .map(|envelope| envelope.code);
            return Err(meaning(self.status.as_u16(), code, &self.headers, route));
        }
        let envelope = Envelope::parse(&self.body)?;
        match envelope.code {
            // Version 1 of the interface, in case something in between asks for that.
            100 | 200 => Ok(envelope.data),
            code => {
                // It answers failures with status 200, too.
                let status = if code == 997 { 401 } else { code };
                Err(meaning(status, Some(code), &self.headers, route))
            }
        }
    }
}

/// What a status other than 200 means; `code` is that of the envelope, where there was one.
pub(super) fn meaning(
    status: u16,
    code: Option<u16>,
    headers: &HeaderMap,
    route: Route,
) -> GroupwareError {
    let webhooks = matches!(route, Route::Webhooks | Route::CreateWebhook);
    match (status, code) {
        (401, Some(997)) if !headers.contains_key(WWW_AUTHENTICATE) => GroupwareError::Anonymous,
        (401, _) => GroupwareError::Refused,
        (403, Some(403)) if webhooks => GroupwareError::NotPermitted,
        (403, Some(403)) if route == Route::AppPassword => GroupwareError::NotAnAppPassword,
        (404 | 998, Some(998)) if webhooks => GroupwareError::WebhooksOff,
        (400, Some(400)) if route == Route::CreateWebhook => GroupwareError::UnknownEvent,
        (400, None) => GroupwareError::UntrustedHost,
        (429, _) => GroupwareError::Throttled,
        (503, Some(503)) => GroupwareError::Maintenance,
        (503, _) if headers.contains_key("x-nextcloud-maintenance-mode") => {
            GroupwareError::Maintenance
        }
        _ => match StatusCode::from_u16(status) {
            Ok(redirect) if redirect.is_redirection() => GroupwareError::Redirected(redirect),
            _ => GroupwareError::Unexpected(status),
        },
    }
}

/// `{"ocs":{"meta":{"statuscode":…},"data":…}}`
#[derive(Debug)]
struct Envelope {
    code: u16,
    data: RawJson,
}

impl Envelope {
    fn parse(body: &Bytes) -> Result<Self, GroupwareError> {
        #[derive(Deserialize)]
        struct Document<'a> {
            #[serde(borrow)]
            ocs: Ocs<'a>,
        }
        #[derive(Deserialize)]
        struct Ocs<'a> {
            meta: Meta,
            #[serde(borrow)]
            data: &'a RawValue,
        }
        #[derive(Deserialize)]
        struct Meta {
            statuscode: u16,
        }
        let Document { ocs } =
            serde_json::from_slice(body).map_err(|error| GroupwareError::Unreadable {
                reason: "it is not the envelope of the OCS interface",
                source: Some(error.into()),
            })?;
        Ok(Self {
            code: ocs.meta.statuscode,
            data: RawJson(body.slice_ref(ocs.data.get().as_bytes())),
        })
    }
}

//! The answers of the OCS interface: the envelope, and the meaning of each status.

use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_ENCODING, SET_COOKIE, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use super::call::Answer;
use super::error::BoxError;
use super::json::{self, Cursor, DUPLICATE, name};
use super::{GroupwareError, LoginEvidence, Reply, Route};
use crate::headers::retry_after;

/// Names the account that an answer is for. Servers before 32.0.1 do not send it.
pub(super) const X_USER_ID: HeaderName = HeaderName::from_static("x-user-id");
const MAINTENANCE_MODE: &str = "x-nextcloud-maintenance-mode";

/// What the pages of nginx, Apache and servers in Go say of plain HTTP on a port for TLS.
const TLS_EXPECTED: [&str; 3] = [
    "The plain HTTP request was sent to HTTPS port",
    "speaking plain HTTP to an SSL-enabled server port",
    "Client sent an HTTP request to an HTTPS server",
];

/// The longest `Retry-After` that is believed.
const MAX_WAIT: Duration = Duration::from_secs(60 * 60);

/// JSON as the groupware server wrote it, byte for byte, and checked to be JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawJson(Bytes);

// === impl RawJson ===

impl RawJson {
    /// The text, in UTF-8.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text, in UTF-8, as a part of the answer's buffer.
    pub fn into_bytes(self) -> Bytes {
        self.0
    }

    /// The same value, if it starts with this bracket; else `fault` is what it is.
    pub(super) fn starting_with(
        self,
        first: u8,
        fault: &'static str,
    ) -> Result<Self, GroupwareError> {
        let starts = self.0.first() == Some(&first);
        (starts.then_some(self)).ok_or_else(|| GroupwareError::unreadable(fault))
    }
}

// === impl Answer ===

impl Answer {
    /// The result of `read` on the answer, together with what the answer shows about the login of the account that it
    /// [names](names_only). Only this function decides that.
    pub(super) fn reply<T>(
        &self,
        named: Option<bool>,
        read: impl FnOnce(&Self) -> Result<T, GroupwareError>,
    ) -> Reply<T> {
        // Only revoking an app password does not depend on the account.
        let is_of_other = self.route != Route::AppPassword && named == Some(false);
        let result = match read(self) {
            Err(error) if error.login_evidence() == LoginEvidence::Refused => Err(error),
            _ if is_of_other => Err(GroupwareError::OtherAccount),
            result => result,
        };
        let login = match &result {
            Ok(_) if self.route.is_public() && named.is_none() => LoginEvidence::None,
            // A proxy in between may answer like this, too.
            Err(GroupwareError::BadParameter) if named.is_none() => LoginEvidence::None,
            Ok(_) => LoginEvidence::Accepted,
            Err(error) => error.login_evidence(),
        };
        Reply { result, login }
    }

    /// The `data` of a success, as raw JSON; any other answer is an error.
    pub(super) fn data(&self) -> Result<RawJson, GroupwareError> {
        let data = self.read(None, |data| data.raw())?;
        Ok(RawJson(self.body.slice_ref(data)))
    }

    /// The same of data that is an array.
    pub(super) fn list(&self) -> Result<RawJson, GroupwareError> {
        self.data()?.starting_with(b'[', "its data is not an array")
    }

    /// The result of `read` on the `data` of a success; any other answer is an error. With something for `absent` data,
    /// an object that lacks the envelope, or a part of it, is a success, too.
    pub(super) fn read<'a, T>(
        &'a self,
        absent: Option<T>,
        read: impl FnMut(&mut Cursor<'a, '_>) -> Result<T, &'static str>,
    ) -> Result<T, GroupwareError> {
        if self.status != StatusCode::OK {
            let envelope = Envelope::parse(&self.body, None, |data| data.skip()).ok();
            let code = envelope.as_ref().map(|envelope| envelope.code);
            if envelope.is_some_and(|it| it.code == 403 && it.wants_confirmation) {
                return Err(GroupwareError::ConfirmationRequired);
            }
            return Err(self.refusal(self.status.as_u16(), code));
        }
        let envelope = Envelope::parse(&self.body, absent, read)
            .map_err(|fault| self.unreadable("it is not what the OCS interface promises", fault))?;
        match envelope.code {
            // 100 is the code of version 1 of the interface, in case a proxy in between rewrites the path.
            100 | 200 => Ok(envelope.data),
            403 if envelope.wants_confirmation => Err(GroupwareError::ConfirmationRequired),
            // It refuses a login by the status alone, in version 1, too.
            401 => Err(GroupwareError::Unexpected(401)),
            // Version 1 answers other failures with status 200.
            code => Err(self.refusal(code, Some(code))),
        }
    }

    /// The error of an answer with a status other than 200; `code` is that of the envelope, if there was one.
    ///
    /// Who answered decides, not the status: a web server or proxy in front sends pages with the same ones.
    pub(super) fn refusal(&self, status: u16, code: Option<u16>) -> GroupwareError {
        let (route, headers) = (self.route, &self.headers);
        let webhooks = route.is_of_webhooks();
        let is_own = || code.is_some() || self.has_marks_of_server();
        match (status, code) {
            (401, Some(997)) if headers.contains_key(X_USER_ID) => GroupwareError::OneTimePassword,
            (401, Some(997)) if !headers.contains_key(WWW_AUTHENTICATE) => {
                GroupwareError::Anonymous
            }
            (401, Some(_)) => GroupwareError::Refused,
            (401, None) if is_challenge_of_server(headers) => GroupwareError::Refused,
            // Without the server's challenge, something else has not even checked the password.
            (401, None) => self.in_front(status),
            (403, Some(403)) if webhooks => GroupwareError::NotPermitted,
            (403, Some(403)) if route == Route::AppPassword => GroupwareError::NotAnAppPassword,
            (404 | 998, Some(998)) if webhooks => GroupwareError::WebhooksOff,
            (400, Some(400)) if route == Route::CreateWebhook => GroupwareError::UnknownEvent,
            // The name of the setting, in a page in the visitor's language.
            (400, None) if self.shows("trusted_domains") => GroupwareError::UntrustedHost,
            (400, None) if TLS_EXPECTED.iter().any(|text| self.shows(text)) => {
                GroupwareError::TlsExpected
            }
            (400, None) if is_own() => GroupwareError::BadParameter,
            (429, _) if is_own() => GroupwareError::Throttled,
            (503, _) if headers.contains_key(MAINTENANCE_MODE) => GroupwareError::Maintenance,
            (300..=399, _) => match StatusCode::from_u16(status) {
                Ok(redirect) => GroupwareError::Redirected(redirect),
                Err(_) => GroupwareError::Unexpected(status),
            },
            (400..=499 | 501..=599, _) if !is_own() => self.in_front(status),
            _ => GroupwareError::Unexpected(status),
        }
    }

    /// The error of an answer to a forwarded request that is a 401, a 429, or leads to the login page. Beside the OCS
    /// interface, WebDAV and the web interface of each app refuse a login in forms of their own, and what they say may be
    /// compressed: it is the server's, and names nobody.
    pub(super) fn refused_forward(&self) -> GroupwareError {
        let envelope = Envelope::parse(&self.body, None, |data| data.skip()).ok();
        let is_anonymous = !self.headers.contains_key(X_USER_ID)
            && (self.has_marks_of_server() || self.shows(r"Sabre\DAV\Exception\NotAuthenticated"));
        match envelope {
            None if is_anonymous && self.status != StatusCode::TOO_MANY_REQUESTS => {
                GroupwareError::Refused
            }
            _ => self.refusal(self.status.as_u16(), envelope.map(|envelope| envelope.code)),
        }
    }

    /// The error of an answer that does not have the form of a success.
    pub(super) fn unreadable(
        &self,
        reason: &'static str,
        fault: impl Into<BoxError>,
    ) -> GroupwareError {
        match self.headers.get(CONTENT_ENCODING) {
            // `Accept-Encoding` allows no coding.
            Some(coding) if coding != "identity" => GroupwareError::unreadable_by(
                "it is compressed, although that was not allowed",
                format!("Content-Encoding: {coding:?}"),
            ),
            _ => GroupwareError::unreadable_by(reason, fault),
        }
    }

    fn in_front(&self, status: u16) -> GroupwareError {
        GroupwareError::InFront {
            status: StatusCode::from_u16(status).unwrap_or(self.status),
            retry_after: retry_after(&self.headers).map(|wait| wait.min(MAX_WAIT)),
        }
    }

    /// Whether its header has what only the server itself sends: the account, maintenance mode, or a cookie of it.
    pub(super) fn has_marks_of_server(&self) -> bool {
        let headers = &self.headers;
        let is_of_server = |cookie: &HeaderValue| {
            let cookie = cookie.as_bytes();
            let name = cookie.strip_prefix(b"__Host-").unwrap_or(cookie);
            name.starts_with(b"nc_sameSiteCookie") || name.starts_with(b"oc_sessionPassphrase=")
        };
        headers.contains_key(X_USER_ID)
            || headers.contains_key(MAINTENANCE_MODE)
            || headers.get_all(SET_COOKIE).iter().any(is_of_server)
    }

    fn shows(&self, text: &str) -> bool {
        let mut parts = self.body.windows(text.len());
        parts.any(|part| part == text.as_bytes())
    }
}

/// Whether an answer names `user_id` and nobody else; `None` if it names nobody.
pub(super) fn names_only(headers: &HeaderMap, user_id: &str) -> Option<bool> {
    let mut named = headers.get_all(X_USER_ID).iter().map(HeaderValue::as_bytes).peekable();
    named.peek()?;
    Some(named.all(|id| id == user_id.as_bytes()))
}

/// Whether the `WWW-Authenticate` is the one that the server sends when it refuses a password.
fn is_challenge_of_server(headers: &HeaderMap) -> bool {
    headers.get_all(WWW_AUTHENTICATE).iter().any(|challenge| {
        challenge.to_str().is_ok_and(|text| text.contains(r#"realm="Authorisation Required""#))
    })
}

/// The code of a success, without a wish for a confirmation.
const SUCCESS: (u16, bool) = (200, false);

/// `{"ocs":{"meta":{"statuscode":…,"message":…},"data":…}}`
struct Envelope<T> {
    code: u16,
    /// Whether the message says that the user must enter the account's password again.
    wants_confirmation: bool,
    data: T,
}

// === impl Envelope ===

impl<T> Envelope<T> {
    /// Parses the envelope, and its data with `read`. All must be there that `absent` does not stand for.
    fn parse<'a>(
        body: &'a [u8],
        absent: Option<T>,
        mut read: impl FnMut(&mut Cursor<'a, '_>) -> Result<T, &'static str>,
    ) -> Result<Self, BoxError> {
        let may_lack = absent.is_some();
        let envelope = json::parse(body, |document| {
            let (mut has_ocs, mut code, mut data) = (false, None, None);
            document.object(|ocs, key| {
                if name(key).as_deref() != Some("ocs") {
                    return ocs.skip();
                }
                if std::mem::replace(&mut has_ocs, true) {
                    return Err(DUPLICATE);
                }
                if may_lack && ocs.nothing()? {
                    return Ok(());
                }
                ocs.object(|ocs, key| match name(key).as_deref() {
                    Some("meta") if code.is_none() => {
                        code = Some(meta(ocs, may_lack)?);
                        Ok(())
                    }
                    Some("data") if data.is_none() => {
                        data = Some(read(ocs)?);
                        Ok(())
                    }
                    Some("meta" | "data") => Err(DUPLICATE),
                    _ => ocs.skip(),
                })
            })?;
            match (code.or(may_lack.then_some(SUCCESS)), data.or(absent)) {
                (Some((code, wants_confirmation)), Some(data)) => {
                    Ok(Self { code, wants_confirmation, data })
                }
                _ => Err("no meta or no data"),
            }
        })?;
        Ok(envelope)
    }
}

/// The status code, and whether the message asks for the password again; only failures may lack the code.
fn meta(cursor: &mut Cursor<'_, '_>, may_lack: bool) -> Result<(u16, bool), &'static str> {
    let (mut code, mut wants_confirmation) = (None, false);
    if may_lack && !cursor.is_at_object() {
        return cursor.skip().map(|()| SUCCESS);
    }
    cursor.object(|cursor, key| match name(key).as_deref() {
        Some("statuscode") if code.is_none() => {
            code = Some(status_code(cursor.raw()?, may_lack)?);
            Ok(())
        }
        Some("statuscode") => Err(DUPLICATE),
        Some("message") => {
            wants_confirmation = cursor.raw()? == b"\"Password confirmation is required\"";
            Ok(())
        }
        _ => cursor.skip(),
    })?;
    let code = code.or(may_lack.then_some(SUCCESS.0)).ok_or("a member is missing")?;
    Ok((code, wants_confirmation))
}

fn status_code(json: &[u8], may_lack: bool) -> Result<u16, &'static str> {
    let text = std::str::from_utf8(json).unwrap_or_default();
    // Such as `"200"` and `200.0`.
    let number = || text.trim_matches('"').parse().map_or(SUCCESS.0, |code: f64| code as u16);
    let code = text.parse().ok().or_else(|| may_lack.then(number));
    code.ok_or("an invalid status code")
}

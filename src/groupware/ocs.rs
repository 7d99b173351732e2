//! The answers of the OCS interface: the envelope, and the meaning of each status.

use bytes::Bytes;
use http::header::WWW_AUTHENTICATE;
use http::{HeaderMap, HeaderName, StatusCode};

use super::call::Answer;
use super::json::{self, Cursor, Stop};
use super::{Account, GroupwareError, LoginEvidence, Reply, Route};

/// Names the account that an answer is for. Servers before 32.0.1 do not send it.
pub(super) const X_USER_ID: HeaderName = HeaderName::from_static("x-user-id");

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

    /// The same value, if it is an array.
    pub(super) fn array(self) -> Result<Self, GroupwareError> {
        self.starting_with(b'[', "its data is not an array")
    }

    /// The same value, if it is an object.
    pub(super) fn object(self) -> Result<Self, GroupwareError> {
        self.starting_with(b'{', "its data is not an object")
    }

    fn starting_with(self, first: u8, fault: &'static str) -> Result<Self, GroupwareError> {
        if self.0.first() == Some(&first) {
            Ok(self)
        } else {
            Err(GroupwareError::unreadable(fault))
        }
    }
}

// === impl Answer ===

impl Answer {
    /// The result of `read` on the answer, together with what the answer shows about the login of
    /// `account`. Only this function decides that.
    pub(super) fn reply<T>(
        &self,
        account: &Account,
        read: impl FnOnce(&Self) -> Result<T, GroupwareError>,
    ) -> Reply<T> {
        let named = self.headers.get(X_USER_ID);
        let is_of_other = self.route.is_of_one_account()
            && named.is_some_and(|id| id.as_bytes() != account.user_id().as_bytes());
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
        let data = self.read(|data| data.raw())?;
        Ok(RawJson(self.body.slice_ref(data)))
    }

    /// The result of `read` on the `data` of a success; any other answer is an error.
    pub(super) fn read<'a, T>(
        &'a self,
        read: impl FnMut(&mut Cursor<'a, '_>) -> Result<T, Stop>,
    ) -> Result<T, GroupwareError> {
        if self.status != StatusCode::OK {
            let envelope = Envelope::parse(&self.body, |data| data.skip()).ok();
            let (code, confirmation) = match envelope {
                Some(envelope) => (Some(envelope.code), envelope.wants_confirmation),
                None => (None, false),
            };
            if code == Some(403) && confirmation {
                return Err(GroupwareError::ConfirmationRequired);
            }
            // The answer to an untrusted host name has an HTML page as its body; this one is empty.
            if self.status == StatusCode::BAD_REQUEST && self.body.is_empty() {
                return Err(GroupwareError::BadParameter);
            }
            return Err(self.meaning(self.status.as_u16(), code));
        }
        let envelope = Envelope::parse(&self.body, read)?;
        match envelope.code {
            // 100 is the code of version 1 of the interface, in case a proxy in between rewrites the path.
            100 | 200 => Ok(envelope.data),
            403 if envelope.wants_confirmation => Err(GroupwareError::ConfirmationRequired),
            code => {
                // Version 1 answers failures with status 200.
                let status = if code == 997 { 401 } else { code };
                Err(self.meaning(status, Some(code)))
            }
        }
    }

    /// The meaning of a status other than 200; `code` is that of the envelope, if there was one.
    pub(super) fn meaning(&self, status: u16, code: Option<u16>) -> GroupwareError {
        let (route, headers) = (self.route, &self.headers);
        let webhooks = route.is_of_webhooks();
        match (status, code) {
            (401, Some(997)) if headers.contains_key(X_USER_ID) => GroupwareError::OneTimePassword,
            (401, Some(997)) if !headers.contains_key(WWW_AUTHENTICATE) => {
                GroupwareError::Anonymous
            }
            (401, Some(_)) => GroupwareError::Refused,
            (401, None) if is_challenge_of_server(headers) => GroupwareError::Refused,
            // From a firewall or a proxy in between, which has not checked the password.
            (401, None) => GroupwareError::Intercepted,
            (403, Some(403)) if webhooks => GroupwareError::NotPermitted,
            (403, Some(403)) if route == Route::AppPassword => GroupwareError::NotAnAppPassword,
            (404 | 998, Some(998)) if webhooks => GroupwareError::WebhooksOff,
            (400, Some(400)) if route == Route::CreateWebhook => GroupwareError::UnknownEvent,
            // From the server itself, which names the authenticated account before it checks parameters.
            (400, None) if headers.contains_key(X_USER_ID) => GroupwareError::BadParameter,
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
}

/// Whether the `WWW-Authenticate` is the one that the server sends when it refuses a password.
fn is_challenge_of_server(headers: &HeaderMap) -> bool {
    headers.get_all(WWW_AUTHENTICATE).iter().any(|challenge| {
        challenge
            .to_str()
            .is_ok_and(|text| text.contains(r#"realm="Authorisation Required""#))
    })
}

/// `{"ocs":{"meta":{"statuscode":…,"message":…},"data":…}}`
struct Envelope<T> {
    code: u16,
    /// Whether the message says that the user must enter the account's password again.
    wants_confirmation: bool,
    data: T,
}

// === impl Envelope ===

impl<T> Envelope<T> {
    /// Parses the envelope, and its data with `read`.
    fn parse<'a>(
        body: &'a [u8],
        mut read: impl FnMut(&mut Cursor<'a, '_>) -> Result<T, Stop>,
    ) -> Result<Self, GroupwareError> {
        let parsed = json::parse(body, |document| {
            only(document, b"ocs", |ocs| {
                let (mut code, mut data) = (None, None);
                ocs.object(|ocs, key| match key {
                    b"meta" if code.is_none() => {
                        code = Some(meta(ocs)?);
                        Ok(())
                    }
                    b"data" if data.is_none() => {
                        data = Some(read(ocs)?);
                        Ok(())
                    }
                    b"meta" | b"data" => Err(Stop::Unexpected("a duplicate member")),
                    _ => ocs.skip(),
                })?;
                match (code, data) {
                    (Some((code, wants_confirmation)), Some(data)) => Ok(Self {
                        code,
                        wants_confirmation,
                        data,
                    }),
                    _ => Err(Stop::Unexpected("no meta or no data")),
                }
            })
        });
        parsed.map_err(|fault| GroupwareError::Unreadable {
            reason: "it is not what the OCS interface promises",
            source: Some(fault.into()),
        })
    }
}

/// Reads an object, and its member `name`, which must occur exactly once.
fn only<'a, T>(
    cursor: &mut Cursor<'a, '_>,
    name: &[u8],
    mut read: impl FnMut(&mut Cursor<'a, '_>) -> Result<T, Stop>,
) -> Result<T, Stop> {
    let mut found = None;
    cursor.object(|cursor, key| {
        if key != name {
            return cursor.skip();
        }
        if found.is_some() {
            return Err(Stop::Unexpected("a duplicate member"));
        }
        found = Some(read(cursor)?);
        Ok(())
    })?;
    found.ok_or(Stop::Unexpected("a member is missing"))
}

/// The status code, and whether the message asks for a confirmation of the password.
fn meta(cursor: &mut Cursor<'_, '_>) -> Result<(u16, bool), Stop> {
    let (mut code, mut wants_confirmation) = (None, false);
    cursor.object(|cursor, key| match key {
        b"statuscode" if code.is_none() => {
            code = Some(status_code(cursor)?);
            Ok(())
        }
        b"statuscode" => Err(Stop::Unexpected("a duplicate member")),
        b"message" => {
            wants_confirmation = cursor.raw()? == b"\"Password confirmation is required\"";
            Ok(())
        }
        _ => cursor.skip(),
    })?;
    let code = code.ok_or(Stop::Unexpected("a member is missing"))?;
    Ok((code, wants_confirmation))
}

fn status_code(cursor: &mut Cursor<'_, '_>) -> Result<u16, Stop> {
    let digits = std::str::from_utf8(cursor.raw()?).ok();
    let code = digits.and_then(|digits| digits.parse().ok());
    code.ok_or(Stop::Unexpected("an invalid status code"))
}

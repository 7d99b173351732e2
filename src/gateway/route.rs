//! Which endpoint a method and a path mean (docs/API.md, sections 3 to 5, 10.2 and 10.3).

use bytes::Bytes;
use http::Method;
use percent_encoding::percent_decode_str;

use super::Error;
use super::input::{
    CreateWebhook, CredentialInput, EventInput, GroupwareInput, Input, MatchEvent, PresetInput,
    StoreCredential,
};
use super::user_path::{UserPath, decode_form};
use crate::groupware::EventClasses;

/// The endpoint of a request.
#[derive(Debug)]
pub(super) enum Route {
    /// Method and path say everything.
    Complete(Input),
    /// The body says the rest.
    Body(ReadBody),
}

/// What a body is read for.
#[derive(Debug)]
pub(super) enum ReadBody {
    CreateWebhook,
    StoreCredential,
    /// The name of the preset.
    EnablePreset(Box<str>),
    MatchEvent,
}

// === impl Route ===

impl Route {
    /// Finds the endpoint. A path is matched as it was sent: only an id is percent-decoded, once.
    pub(super) fn find(method: &Method, path: &str, query: Option<&str>) -> Result<Self, Error> {
        if let Some(path) = UserPath::parse(path) {
            return Self::find_of_user(method, path);
        }
        let path = path.strip_prefix("/api/v1/").ok_or(Error::UnknownPath)?;
        if let Some(path) = path.strip_prefix("background-sync/") {
            return Self::find_credential(method, path, query.unwrap_or_default());
        }
        if let Some(path) = path.strip_prefix("webhook-presets") {
            return Self::find_preset(method, path, query.unwrap_or_default());
        }
        match path {
            "apps" => match *method {
                Method::GET => Ok(GroupwareInput::ListApps.into()),
                _ => Err(Error::MethodNotAllowed("GET")),
            },
            "events" => match *method {
                Method::GET => Ok(EventInput::List.into()),
                _ => Err(Error::MethodNotAllowed("GET")),
            },
            "events/match" => match *method {
                Method::POST => Ok(Self::Body(ReadBody::MatchEvent)),
                _ => Err(Error::MethodNotAllowed("POST")),
            },
            "webhooks" => match *method {
                Method::GET => Ok(GroupwareInput::ListWebhooks.into()),
                Method::POST => Ok(Self::Body(ReadBody::CreateWebhook)),
                Method::DELETE => Err(Error::MissingWebhookId),
                _ => Err(Error::MethodNotAllowed("GET, POST")),
            },
            _ => {
                let id = path.strip_prefix("webhooks/").ok_or(Error::UnknownPath)?;
                match *method {
                    _ if id.contains('/') => Err(Error::UnknownPath),
                    Method::DELETE if id.is_empty() => Err(Error::MissingWebhookId),
                    Method::DELETE => Ok(GroupwareInput::DeleteWebhook(webhook_id(id)?).into()),
                    _ if id.is_empty() => Err(Error::UnknownPath),
                    _ => Err(Error::MethodNotAllowed("DELETE")),
                }
            }
        }
    }

    /// The app password is not among them: [`basic`](super::layer::basic) stands above.
    fn find_of_user(method: &Method, path: UserPath<'_>) -> Result<Self, Error> {
        match (path.resource(), method) {
            ("session", &Method::GET) => {
                let user_id = path.user_id()?;
                Ok(CredentialInput::Session { user_id }.into())
            }
            ("session", _) => Err(Error::MethodNotAllowed("GET")),
            ("revoke", &Method::POST) => {
                let user_id = path.user_id()?;
                Ok(CredentialInput::Revoke { user_id }.into())
            }
            ("revoke", _) => Err(Error::MethodNotAllowed("POST")),
            _ => Err(Error::UnknownPath),
        }
    }

    fn find_preset(method: &Method, path: &str, query: &str) -> Result<Self, Error> {
        if path.is_empty() {
            return match *method {
                Method::GET => Ok(PresetInput::List.into()),
                _ => Err(Error::MethodNotAllowed("GET")),
            };
        }
        let name = path.strip_prefix('/').ok_or(Error::UnknownPath)?;
        if name.is_empty() || name.contains('/') {
            return Err(Error::UnknownPath);
        }
        let preset = name.into();
        Ok(match *method {
            Method::GET => {
                let uri = uri(query)?;
                PresetInput::Show { preset, uri }.into()
            }
            Method::PUT => Self::Body(ReadBody::EnablePreset(preset)),
            Method::DELETE => {
                let uri = uri(query)?.ok_or(Error::MissingUri)?;
                PresetInput::Disable { preset, uri }.into()
            }
            _ => return Err(Error::MethodNotAllowed("GET, PUT, DELETE")),
        })
    }

    fn find_credential(method: &Method, path: &str, query: &str) -> Result<Self, Error> {
        let input = match path {
            "credentials" => match *method {
                Method::POST => return Ok(Self::Body(ReadBody::StoreCredential)),
                Method::DELETE => CredentialInput::Delete {
                    revoke: switch(query, "revoke")?,
                },
                _ => return Err(Error::MethodNotAllowed("POST, DELETE")),
            },
            "status" => match *method {
                Method::GET => CredentialInput::Status,
                _ => return Err(Error::MethodNotAllowed("GET")),
            },
            "login-flow" => match *method {
                Method::POST => CredentialInput::StartLoginFlow,
                _ => return Err(Error::MethodNotAllowed("POST")),
            },
            _ => {
                let (collection, id) = path.split_once('/').ok_or(Error::UnknownPath)?;
                if id.is_empty() || id.contains('/') {
                    return Err(Error::UnknownPath);
                }
                match (collection, method) {
                    ("credentials", &Method::GET) => CredentialInput::Read {
                        user_id: user_id(id)?,
                        or_user_id: id.contains('+').then(|| decode_form(id)).transpose()?,
                        reveal: switch(query, "reveal")?,
                    },
                    ("login-flow", &Method::GET) => {
                        CredentialInput::PollLoginFlow { flow_id: id.into() }
                    }
                    ("credentials" | "login-flow", _) => {
                        return Err(Error::MethodNotAllowed("GET"));
                    }
                    _ => return Err(Error::UnknownPath),
                }
            }
        };
        Ok(input.into())
    }
}

impl<I: Into<Input>> From<I> for Route {
    fn from(input: I) -> Self {
        Self::Complete(input.into())
    }
}

// === impl ReadBody ===

impl ReadBody {
    /// Makes the input from the body.
    pub(super) fn read(self, body: Bytes, classes: &EventClasses) -> Result<Input, Error> {
        Ok(match self {
            Self::CreateWebhook => {
                GroupwareInput::CreateWebhook(CreateWebhook::parse(&body, classes)?).into()
            }
            Self::StoreCredential => CredentialInput::Store(StoreCredential::parse(body)?).into(),
            Self::EnablePreset(preset) => PresetInput::enable(preset, &body)?.into(),
            Self::MatchEvent => EventInput::Match(MatchEvent::parse(&body, classes)?).into(),
        })
    }
}

fn user_id(segment: &str) -> Result<Box<str>, Error> {
    let text = percent_decode_str(segment).decode_utf8();
    text.map(Into::into).map_err(|_| Error::InvalidUserId)
}

/// Whether `name` is `true` in the query; `false` if it is missing. Any other value, and a name
/// that is there twice, is refused: a request to destroy a password must not be misunderstood.
fn switch(query: &str, name: &'static str) -> Result<bool, Error> {
    let mut values = query.split('&').filter_map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (key == name).then_some(value)
    });
    match (values.next(), values.next()) {
        (None, _) | (Some("false"), None) => Ok(false),
        (Some("true"), None) => Ok(true),
        _ => Err(Error::InvalidSwitch(name)),
    }
}

/// The delivery address in the query, percent-decoded once, with a blank for a `+`.
fn uri(query: &str) -> Result<Option<String>, Error> {
    let mut values = query.split('&').filter_map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (key == "uri").then_some(value)
    });
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) if !value.is_empty() => {
            let uri = decode_form(value).map_err(|_| Error::InvalidUri)?;
            Ok(Some(uri.into()))
        }
        _ => Err(Error::InvalidUri),
    }
}

/// `-?[0-9]+` within an `i64`. The groupware server casts instead of checking (it reads `1abc` as
/// 1), so nothing but the parsed number may reach it.
fn webhook_id(segment: &str) -> Result<i64, Error> {
    let text = percent_decode_str(segment)
        .decode_utf8()
        .map_err(|_| Error::InvalidWebhookId)?;
    match text.starts_with('+') {
        true => Err(Error::InvalidWebhookId),
        false => text.parse().map_err(|_| Error::InvalidWebhookId),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a request means, as text.
    fn find(method: &str, path: &str) -> Result<String, String> {
        let (path, query) = match path.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (path, None),
        };
        Route::find(&method.parse().unwrap(), path, query)
            .map(shown)
            .map_err(|error| error.to_string())
    }

    fn shown(route: impl Into<Route>) -> String {
        format!("{:?}", route.into())
    }

    #[test]
    fn api_5_background_sync_paths() {
        let read_or = |user_id: &str, or_user_id: Option<&str>, reveal| {
            Ok(shown(CredentialInput::Read {
                user_id: user_id.into(),
                or_user_id: or_user_id.map(Into::into),
                reveal,
            }))
        };
        let read = |user_id: &str, reveal| read_or(user_id, None, reveal);
        let credentials = "/api/v1/background-sync/credentials";
        for (path, expected) in [
            ("/alice", read("alice", false)),
            ("/alice?reveal=true", read("alice", true)),
            ("/alice?x&reveal=false&y=1", read("alice", false)),
            ("/al%69ce%40example.org", read("alice@example.org", false)),
            ("/a%2Fb", read("a/b", false)),
            ("/a%2Bb", read("a+b", false)),
            ("/a+b%2Bc", read_or("a+b+c", Some("a b+c"), false)),
            ("/100%2525", read("100%25", false)),
            ("/%ff", Err(Error::InvalidUserId.to_string())),
            (
                "/a?reveal=1",
                Err(Error::InvalidSwitch("reveal").to_string()),
            ),
            ("/a?reveal", Err(Error::InvalidSwitch("reveal").to_string())),
            (
                "/a?reveal=true&reveal=false",
                Err(Error::InvalidSwitch("reveal").to_string()),
            ),
            ("/a/", Err(Error::UnknownPath.to_string())),
            ("/", Err(Error::UnknownPath.to_string())),
            ("", Err(Error::MethodNotAllowed("POST, DELETE").to_string())),
        ] {
            assert_eq!(
                find("GET", &format!("{credentials}{path}")),
                expected,
                "{path}"
            );
        }
        assert_eq!(
            find("DELETE", &format!("{credentials}?revoke=true")),
            Ok(shown(CredentialInput::Delete { revoke: true }))
        );
        assert_eq!(
            find("DELETE", &format!("{credentials}?revoke=yes")),
            Err(Error::InvalidSwitch("revoke").to_string())
        );
        assert_eq!(
            find("DELETE", &format!("{credentials}/alice")),
            Err(Error::MethodNotAllowed("GET").to_string())
        );
        for path in [
            "",
            "/",
            "/statu",
            "/status/",
            "/login-flow/",
            "/login-flow/a/b",
        ] {
            let found = find("GET", &format!("/api/v1/background-sync{path}"));
            assert_eq!(found, Err(Error::UnknownPath.to_string()), "{path}");
        }
    }

    #[test]
    fn api_10_paths_of_a_user() {
        let user_id = || "Ana Maria".into();
        let session = || Ok(shown(CredentialInput::Session { user_id: user_id() }));
        let revoke = || Ok(shown(CredentialInput::Revoke { user_id: user_id() }));
        let not_allowed = |allowed| Err(Error::MethodNotAllowed(allowed).to_string());
        for (method, path, expected) in [
            ("GET", "Ana+Maria/session", session()),
            ("GET", "Ana%20Maria/session?reveal=x", session()),
            ("HEAD", "Ana+Maria/session", not_allowed("GET")),
            ("POST", "Ana+Maria/session", not_allowed("GET")),
            ("POST", "Ana+Maria/revoke", revoke()),
            ("DELETE", "Ana+Maria/revoke", not_allowed("POST")),
            ("GET", "a%ff/session", Err(Error::InvalidUserId.to_string())),
            ("GET", "alice/sessions", Err(Error::UnknownPath.to_string())),
            ("GET", "alice/session/", Err(Error::UnknownPath.to_string())),
            ("GET", "alice", Err(Error::UnknownPath.to_string())),
            ("GET", "", Err(Error::UnknownPath.to_string())),
        ] {
            let found = find(method, &format!("/api/v1/users/{path}"));
            assert_eq!(found, expected, "{method} {path}");
        }
    }

    #[test]
    fn api_4_3_webhook_id_is_an_integer_sent_on_in_canonical_form() {
        for (segment, id) in [
            ("1", 1),
            ("-1", -1),
            ("007", 7),
            ("%31%32", 12),
            ("9223372036854775807", i64::MAX),
            ("-9223372036854775808", i64::MIN),
        ] {
            assert_eq!(
                find("DELETE", &format!("/api/v1/webhooks/{segment}")),
                Ok(shown(GroupwareInput::DeleteWebhook(id)))
            );
        }
        for segment in [
            "1abc",
            "abc",
            "+1",
            "%2B1",
            "1.0",
            "1e3",
            "0x1",
            " 1",
            "%201",
            "--1",
            "-",
            "9223372036854775808",
            "1%2F2",
            "%2531",
            "%ff",
            "%",
            "\u{661}",
            "..",
            "%2e%2e",
            "1;x",
        ] {
            let found = find("DELETE", &format!("/api/v1/webhooks/{segment}"));
            assert_eq!(found, Err(Error::InvalidWebhookId.to_string()), "{segment}");
        }
    }

    #[test]
    fn api_1_1_paths_are_matched_exactly() {
        for path in [
            "",
            "/",
            "*",
            "/api/v1",
            "/api/v1/",
            "/api/v1/apps/",
            "/api/v2/apps",
            "/api/v1//apps",
            "/API/v1/apps",
            "/api/v1/%61pps",
            "/api/v1/webhooks/1/",
            "/api/v1/webhooks/1/2",
            "/api/v1/webhooks//",
            "/api/v1/webhooksx",
        ] {
            assert_eq!(
                find("GET", path),
                Err(Error::UnknownPath.to_string()),
                "{path}"
            );
        }
        assert_eq!(
            find("GET", "/api/v1/webhooks/"),
            Err(Error::UnknownPath.to_string())
        );
    }

    #[test]
    fn api_1_1_a_405_lists_the_methods_of_the_path() {
        for (method, path, allowed) in [
            ("HEAD", "/api/v1/apps", "GET"),
            ("PUT", "/api/v1/webhooks", "GET, POST"),
            ("GET", "/api/v1/webhooks/abc", "DELETE"),
        ] {
            let expected = Error::MethodNotAllowed(allowed).to_string();
            assert_eq!(find(method, path), Err(expected));
        }
    }
}

//! Which endpoint a method and a path mean (specification, section 4).

use http::Method;
use percent_encoding::percent_decode_str;

use super::Error;

/// An endpoint, with what its path says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// `GET /api/v1/apps`
    ListApps,
    /// `GET /api/v1/webhooks`
    ListWebhooks,
    /// `POST /api/v1/webhooks`
    CreateWebhook,
    /// `DELETE /api/v1/webhooks/{webhook_id}`
    DeleteWebhook(i64),
}

impl Route {
    /// Finds the endpoint. A path is matched as it was sent: only an id is percent-decoded, once.
    pub(super) fn find(method: &Method, path: &str) -> Result<Self, Error> {
        let path = path.strip_prefix("/api/v1/").ok_or(Error::UnknownPath)?;
        match path {
            "apps" => match *method {
                Method::GET => Ok(Self::ListApps),
                _ => Err(Error::MethodNotAllowed("GET")),
            },
            "webhooks" => match *method {
                Method::GET => Ok(Self::ListWebhooks),
                Method::POST => Ok(Self::CreateWebhook),
                Method::DELETE => Err(Error::MissingWebhookId),
                _ => Err(Error::MethodNotAllowed("GET, POST")),
            },
            _ => {
                let id = path.strip_prefix("webhooks/").ok_or(Error::UnknownPath)?;
                match *method {
                    _ if id.contains('/') => Err(Error::UnknownPath),
                    Method::DELETE if id.is_empty() => Err(Error::MissingWebhookId),
                    Method::DELETE => webhook_id(id).map(Self::DeleteWebhook),
                    _ if id.is_empty() => Err(Error::UnknownPath),
                    _ => Err(Error::MethodNotAllowed("DELETE")),
                }
            }
        }
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

    fn find(method: &str, path: &str) -> Result<Route, String> {
        Route::find(&method.parse().unwrap(), path).map_err(|error| error.to_string())
    }

    #[test]
    fn section_4_1_webhook_id_is_an_integer_sent_on_in_canonical_form() {
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
                Ok(Route::DeleteWebhook(id))
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
    fn design_paths_are_matched_exactly() {
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
    fn design_405_lists_what_the_path_takes() {
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

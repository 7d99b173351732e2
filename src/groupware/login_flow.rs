//! Login Flow v2: the server's own page on which a user grants an app password.

use std::net::IpAddr;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, StatusCode, Uri};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use zeroize::{Zeroize as _, Zeroizing};

use super::call::{Answer, Call};
use super::{Groupware, GroupwareError, LOST_GRANT, Reply, Route, WriteError};
use crate::opaque::opaque_debug;
use crate::outbound::HttpUrl;

/// Maximum length of the name and of the subject of a person, in characters. Together they stay below the 120
/// characters at which the server truncates the name of an app password.
const MAX_NAME: usize = 48;

const FORM: HeaderValue = HeaderValue::from_static("application/x-www-form-urlencoded");

// === impl Groupware ===

impl Groupware {
    /// Starts a login flow. The server forgets it after 20 minutes.
    ///
    /// For a `person` whose account is not known yet, the page names them, so that nobody grants access to a stranger
    /// by mistake: by their name at the identity provider, if they have one, and by their identifier there, which they
    /// cannot change. With `public_url`, only the path of the page below the server's own prefix is taken from the
    /// answer, since the server may not know how browsers reach it.
    ///
    /// # Errors
    /// Any [`GroupwareError`].
    pub async fn start_login_flow(
        &self,
        person: Option<(Option<&str>, &str)>,
        public_url: Option<&HttpUrl>,
        forwarded: Option<IpAddr>,
    ) -> Result<PendingLoginFlow, GroupwareError> {
        let call = Call {
            agent: person.map(|(name, subject)| agent_naming(name, subject)),
            forwarded,
            ..self.call_of(Route::StartLoginFlow)
        };
        let started = self.call(&call, |answer| Reply::without_login(read(answer)));
        let Started { poll, login } = started.await.result?;
        let login: Uri = login.parse().map_err(|_| UNUSABLE())?;
        let endpoint: Uri = poll.endpoint.parse().map_err(|_| UNUSABLE())?;
        let page = below_prefix(login.path()).ok_or_else(UNUSABLE)?;
        let poll_path = below_prefix(endpoint.path()).ok_or_else(UNUSABLE)?;
        let login_url = match (public_url, login.scheme_str()) {
            (Some(public_url), _) => public_url.join(page).map_err(|_| UNUSABLE())?,
            (None, Some("http" | "https")) => login,
            (None, _) => return Err(UNUSABLE()),
        };
        Ok(PendingLoginFlow {
            login_url: login_url.to_string(),
            poll_path: poll_path.to_owned(),
            poll_token: poll.token.into(),
        })
    }

    /// Polls the flow once; `None` if it is not granted, or is gone. The server returns the app password only once.
    ///
    /// # Errors
    /// Any [`GroupwareError`]; if its effect is not known, the password may have been handed out.
    pub async fn poll_login_flow(
        &self,
        flow: &PendingLoginFlow,
        forwarded: Option<IpAddr>,
    ) -> Result<Option<Grant>, WriteError> {
        let token = flow.poll_token.expose_secret();
        let mut form = Zeroizing::new(String::with_capacity(6 + 3 * token.len()));
        form.push_str("token=");
        form.extend(utf8_percent_encode(token, NON_ALPHANUMERIC));
        let path = below_prefix(&flow.poll_path).ok_or_else(UNUSABLE)?;
        let uri = self.url().join(path).map_err(|_| UNUSABLE())?;
        let call = Call {
            forwarded,
            body: Some((FORM, Bytes::from_owner(form))),
            ..Call::new(Route::PollLoginFlow, uri)
        };
        let polled = self.call(&call, |answer| Reply::without_login(polled(answer)));
        let lost = |cause| WriteError::new(cause, LOST_GRANT);
        polled.await.result.map_err(lost)
    }
}

/// A login flow that was started. Its fields are public so that it can be stored and restored.
#[derive(Clone)]
pub struct PendingLoginFlow {
    /// The page on which the user grants access.
    pub login_url: String,
    /// The path to poll, below the prefix of the server.
    pub poll_path: String,
    /// The token to send with the poll.
    pub poll_token: SecretString,
}

// Not even with the URL: whoever grants on that page chooses the account.
opaque_debug!(PendingLoginFlow);

/// The result of a granted login flow.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Grant {
    /// The login name that the password works with; it may differ from the account id.
    pub login_name: String,
    /// The app password.
    pub app_password: SecretString,
}

#[derive(Deserialize)]
struct Started {
    poll: PollAt,
    login: String,
}

#[derive(Deserialize)]
struct PollAt {
    token: String,
    endpoint: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Granted {
    login_name: String,
    app_password: String,
}

const UNUSABLE: fn() -> GroupwareError =
    || GroupwareError::unreadable("an address of its login flow cannot be used");

/// The part of a path that the server announced from its route on. The prefix before it need not be the one under which
/// the gateway reaches the server: a proxy in between may strip one or add one.
fn below_prefix(path: &str) -> Option<&str> {
    let at = path.rfind("/login/v2")?;
    let front = path[..at].strip_suffix("/index.php");
    Some(&path[front.map_or(at, str::len)..])
}

fn polled(answer: Answer) -> Result<Option<Grant>, GroupwareError> {
    // Also the answer to an unknown, expired or used token; a wrong path is answered with a page.
    if answer.status == StatusCode::NOT_FOUND && answer.body.trim_ascii() == b"[]" {
        return Ok(None);
    }
    let Granted { login_name, app_password } = read(answer)?;
    Ok(Some(Grant { login_name, app_password: app_password.into() }))
}

/// Parses an answer without an envelope, and wipes it.
fn read<T: serde::de::DeserializeOwned>(mut answer: Answer) -> Result<T, GroupwareError> {
    if answer.status != StatusCode::OK {
        return Err(match answer.refusal(answer.status.as_u16(), None) {
            // No password was sent.
            GroupwareError::Refused => GroupwareError::Unexpected(401),
            error => error,
        });
    }
    let body = std::mem::take(&mut answer.body);
    let value = serde_json::from_slice(&body);
    if let Ok(mut body) = body.try_into_mut() {
        body.zeroize();
    }
    value.map_err(|_| {
        let content_type = answer.headers.get(CONTENT_TYPE);
        let is_page = content_type.is_some_and(|value| value.as_bytes().starts_with(b"text/html"));
        // To everything but its OCS interface, the server answers its page for the upgrade.
        if is_page && answer.has_marks_of_server() {
            return GroupwareError::Maintenance;
        }
        // serde_json's error may quote the text, and so the password.
        answer.unreadable("it is not a login flow", "it is not its JSON")
    })
}

/// The `User-Agent`, which the page shows: `Portreeve for <name> (<subject>)`, or without a name `… <subject>`.
///
/// At many providers users can change their name, and might choose a misleading one. So the subject is
/// shown beside it, and nothing in the name can imitate it, hide it or push it out of sight.
fn agent_naming(name: Option<&str>, subject: &str) -> HeaderValue {
    let name = name.map(|name| sanitize(name).replace(['(', ')'], "?"));
    let subject = sanitize(subject);
    let agent = match name {
        Some(name) if !name.is_empty() && name != subject => {
            format!("Portreeve for {name} ({subject})")
        }
        _ => format!("Portreeve for {subject}"),
    };
    HeaderValue::from_bytes(agent.as_bytes()).expect("it has no control character")
}

/// Replaces characters of `text` that could mislead or are not allowed in a header: letters and digits of any script
/// stay, and visible ASCII except angle brackets. White space is collapsed, and the text truncated if it is too long.
fn sanitize(text: &str) -> String {
    let plain = |c: char| match c {
        '<' | '>' => '?',
        _ if c.is_alphanumeric() || c.is_ascii_graphic() => c,
        _ => '?',
    };
    let word = |word: &str| word.chars().map(plain).collect::<String>();
    let text = text.split_whitespace().map(word).collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(MAX_NAME) {
        Some((end, _)) => format!("{}...", text[..end].trim_end()),
        None => text,
    }
}

//! What the stand-in does on a connection: it answers as recorded, or breaks as it was told to.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::header::IF_NONE_MATCH;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::BodyExt as _;
use http_body_util::combinators::BoxBody;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

use super::accounts::{Login, login_name};
use super::fault::Fault;
use super::recording::{RecordedResponse, Recording, key};
use super::webhooks::{Break, Outcome};
use super::{Seen, State, fault};

/// Another handle of the socket.
pub(super) fn other_handle(stream: &TcpStream) -> TcpStream {
    use std::os::fd::AsFd as _;
    let other = stream.as_fd().try_clone_to_owned().unwrap();
    TcpStream::from_std(other.into()).unwrap()
}

/// Ends a connection that nothing is sent on any more. The other end knows at its next use, if it does not close it now.
pub(super) async fn until_closed(mut stream: TcpStream) {
    let _ = stream.shutdown().await;
    let mut rest = [0; 1024];
    let read = async { while matches!(stream.read(&mut rest).await, Ok(1..)) {} };
    let _ = tokio::time::timeout(Duration::from_millis(20), read).await;
}

pub(super) async fn connection(
    stream: TcpStream,
    tls: Option<TlsAcceptor>,
    state: Arc<Mutex<State>>,
    held: watch::Receiver<bool>,
) {
    stream.set_nodelay(true).unwrap();
    let (fault, keeps_webhooks) = {
        let state = state.lock().unwrap();
        (state.fault, state.webhooks.is_some())
    };
    if keeps_webhooks {
        fault::socket_linger_zero(&stream);
    }
    if let (Some(Fault::Reset), None) = (fault, &tls) {
        fault::reset(stream).await;
        return;
    }
    match tls {
        None => speak(stream, fault, state, held).await,
        // The client reports a failed handshake.
        Some(tls) => {
            if let Ok(stream) = tls.accept(stream).await {
                speak(stream, fault, state, held).await;
            }
        }
    }
}

async fn speak<S>(
    stream: S,
    fault: Option<Fault>,
    state: Arc<Mutex<State>>,
    held: watch::Receiver<bool>,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    match fault {
        Some(fault) => fault::misbehave(stream, fault).await,
        None => {
            let service = service_fn(move |request| answer(request, state.clone(), held.clone()));
            let builder = auto::Builder::new(TokioExecutor::new());
            // In some tests, the client disconnects in the middle.
            let _ = builder.serve_connection(TokioIo::new(stream), service).await;
        }
    }
}

async fn answer(
    request: Request<Incoming>,
    state: Arc<Mutex<State>>,
    mut held: watch::Receiver<bool>,
) -> Result<Response<BoxBody<Bytes, hyper::Error>>, Gone> {
    let (head, body) = request.into_parts();
    let body =
        body.collect().await.map_or_else(|_| Bytes::new(), http_body_util::Collected::to_bytes);
    let (outcome, user_id, delay) = {
        let mut state = state.lock().unwrap();
        let target = head.uri.path_and_query().unwrap().to_string();
        state.seen.push(Seen {
            version: head.version,
            method: head.method.clone(),
            target,
            headers: head.headers.clone(),
            body: body.clone(),
        });
        let key = key(head.method.as_str(), head.uri.path());
        let is_bearer = |field: &HeaderValue| field.as_bytes().starts_with(b"Bearer ");
        if state.intercepts_bearer && head.headers.get("authorization").is_some_and(is_bearer) {
            let mut page = state.recording("ocs-unknown-route");
            page.response.status = 401;
            page.response.headers = vec![("Content-Type".into(), "text/html".into())];
            page.response.body = Some("<html>Sign in</html>".into());
            return Ok(replay(page.response, None));
        }
        let login = match &mut state.accounts {
            Some(accounts) => accounts.login(&head.headers),
            None => Login::Anonymous,
        };
        let (recording, user_id) = match &login {
            Login::Refused => (state.recording("webhooks-list-wrong-password"), None),
            Login::Throttled => (state.recording("throttle-webhooks-list-admin"), None),
            Login::NotLoggedIn if key.ends_with("/cloud/capabilities") => {
                (state.recording("capabilities-bearer-unknown"), None)
            }
            Login::NotLoggedIn => (state.recording("user-bearer-unknown"), None),
            Login::Anonymous => (choose(&mut state, &key, &head.headers), None),
            Login::As(user_id) => {
                let user_id = user_id.clone();
                let recording = choose(&mut state, &key, &head.headers);
                // This call revokes the app password that it is made with.
                if head.method == Method::DELETE
                    && key.ends_with("/core/apppassword")
                    && recording.response.status == 200
                    && let Some(accounts) = &mut state.accounts
                {
                    accounts.forbid(head.headers["authorization"].to_str().unwrap());
                }
                (recording, Some(user_id))
            }
        };
        let version = state.version;
        let flow = state.flows.as_mut();
        let flow = flow.and_then(|flows| flows.serve(version, &head.uri, &body));
        let recording = flow.unwrap_or(recording);
        let kept = match (&mut state.webhooks, &user_id) {
            (Some(webhooks), Some(user_id)) => {
                webhooks.serve(version, user_id, &head.method, &head.uri, &body)
            }
            _ => None,
        };
        if let Some(Outcome::Broken(Break::Revoked)) = kept
            && let Some(accounts) = &mut state.accounts
        {
            // As if it had been revoked just before: this login fails, too.
            accounts.forbid(head.headers["authorization"].to_str().unwrap());
            accounts.login(&head.headers);
        }
        let outcome = kept.unwrap_or(Outcome::Answered(recording));
        (outcome, user_id, state.delay)
    };
    tokio::time::sleep(delay).await;
    // It fails once the stand-in has ended.
    let _ = held.wait_for(|holds| !holds).await;
    let recording = match outcome {
        Outcome::Answered(recording) => recording,
        Outcome::Broken(what) => match what {
            Break::Page(status) => {
                let mut page = Recording::load("ocs-unknown-route");
                page.response.status = status;
                page.response.headers = vec![("Content-Type".into(), "text/html".into())];
                page.response.body = Some("<html>Bad gateway</html>".into());
                page
            }
            Break::Internal => Recording::load("webhooks-list-app-just-disabled-admin"),
            Break::Hang => return std::future::pending().await,
            Break::Reset => return Err(Gone),
            Break::Revoked => Recording::load("webhooks-list-wrong-password"),
            Break::Maintenance => Recording::load("maintenance-webhooks-create"),
        },
    };
    let asked = head.headers.get(IF_NONE_MATCH);
    Ok(replay(unless_known(recording.response, asked), user_id))
}

/// The connection breaks instead of an answer.
#[derive(Debug)]
struct Gone;

impl std::fmt::Display for Gone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the connection breaks")
    }
}

impl std::error::Error for Gone {}

/// Not modified if the caller already has this answer, as shown by its tag.
fn unless_known(mut recorded: RecordedResponse, asked: Option<&HeaderValue>) -> RecordedResponse {
    let is_named = |(name, value): &(String, String)| {
        name.eq_ignore_ascii_case("etag") && asked.is_some_and(|asked| asked == value)
    };
    if recorded.status == 200 && recorded.headers.iter().any(is_named) {
        recorded.status = 304;
        recorded.body = None;
        recorded.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
    }
    recorded
}

fn choose(state: &mut State, key: &str, headers: &HeaderMap) -> Recording {
    if let Some(at) = state.once.iter().position(|recording| recording.key() == key) {
        return state.once.remove(at);
    }
    if let Some(login_name) = login_name(headers)
        && let Some(recording) = state.for_login.get(&(login_name, key.to_owned()))
    {
        return recording.clone();
    }
    match state.always.get(key) {
        Some(recording) => recording.clone(),
        None => state.recording("ocs-unknown-route"),
    }
}

fn replay(
    recorded: RecordedResponse,
    user_id: Option<String>,
) -> Response<BoxBody<Bytes, hyper::Error>> {
    let mut body = recorded.body.unwrap_or_default();
    let recorded_id =
        recorded.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("x-user-id"));
    if let (Some(user_id), Some((_, recorded_id))) = (&user_id, recorded_id) {
        let (from, to) = (format!(r#""id":"{recorded_id}""#), format!(r#""id":"{user_id}""#));
        body = body.replace(&from, &to);
    }
    let body = http_body_util::Full::new(Bytes::from(body));
    let mut response = Response::new(body.map_err(|never| match never {}).boxed());
    *response.status_mut() = StatusCode::from_u16(recorded.status).unwrap();
    for (name, value) in recorded.headers {
        let name: HeaderName = name.parse().unwrap();
        let value = match (&user_id, name.as_str()) {
            (Some(user_id), "x-user-id") => user_id,
            _ => &value,
        };
        response.headers_mut().append(name, HeaderValue::from_str(value).unwrap());
    }
    response
}

//! A stand-in for a Nextcloud on loopback: an HTTP server that gives the answers of a real one, as
//! recorded in `tests/recordings/nextcloud*/`.
//!
//! ```ignore
//! let nextcloud = Nextcloud::start().await;
//! nextcloud.answer("webhooks-list-admin");           // for GET …/webhooks, from now on
//! nextcloud.answer_once("throttle-webhooks-list-admin");     // before that, one time
//! nextcloud.answer_for("bob", "webhooks-list-user"); // for one login name, before the others
//! nextcloud.fault(Fault::GarbageStatusLine).await;   // instead of any answer, from now on
//! assert_eq!(nextcloud.seen().len(), 0);
//! ```
//!
//! A request without such an answer is answered as an unknown route.

mod accounts;
mod fault;
mod flows;
mod recording;
mod tls;
mod webhooks;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use bytes::Bytes;
use http::header::IF_NONE_MATCH;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, Version};
use http_body_util::BodyExt as _;
use http_body_util::combinators::BoxBody;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

use accounts::{Accounts, Login, login_name};
pub use accounts::{basic, bearer};
pub use fault::Fault;
use flows::Flows;
use recording::key;
pub use recording::{RecordedDelivery, RecordedResponse, Recording, Release};
pub use tls::acceptor as tls_acceptor;
pub use webhooks::{Break, Slip};
use webhooks::{Outcome, Registrations};

/// How long a test waits for what must happen.
const LONGEST: Duration = Duration::from_secs(60);

/// The stand-in. It ends when it is dropped.
pub struct Nextcloud {
    url: String,
    ca_pem: Option<String>,
    state: Arc<Mutex<State>>,
    /// A change closes the open connections; dropping the sender also closes the listener.
    connections: watch::Sender<()>,
    /// Whether answers wait.
    holds: watch::Sender<bool>,
    listening: JoinHandle<()>,
}

#[derive(Default)]
struct State {
    version: Release,
    once: Vec<Recording>,
    for_login: HashMap<(String, String), Recording>,
    always: HashMap<String, Recording>,
    accounts: Option<Accounts>,
    webhooks: Option<Registrations>,
    flows: Option<Flows>,
    fault: Option<Fault>,
    delay: Duration,
    intercepts_bearer: bool,
    seen: Vec<Seen>,
}

impl Nextcloud {
    /// Starts one that is reached by plain HTTP.
    pub async fn start() -> Self {
        Self::listen("http", None, None).await
    }

    /// Starts one that answers as `version` does, as far as that was recorded.
    pub async fn of(version: Release) -> Self {
        let nextcloud = Self::start().await;
        nextcloud.state().version = version;
        nextcloud
    }

    /// The recording with this name, of its version.
    pub fn recording(&self, name: &str) -> Recording {
        Recording::of(self.state().version, name)
    }

    /// Starts one that is reached by TLS, with a certificate of an authority of its own, and
    /// offers HTTP/2 if `http2` says so.
    pub async fn start_tls(http2: bool) -> Self {
        let (acceptor, ca_pem) = tls::acceptor(http2);
        Self::listen("https", Some(acceptor), Some(ca_pem)).await
    }

    async fn listen(scheme: &str, tls: Option<TlsAcceptor>, ca_pem: Option<String>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("{scheme}://{}", listener.local_addr().unwrap());
        let state = Arc::<Mutex<State>>::default();
        let (connections, mut changes) = watch::channel(());
        let (holds, held) = watch::channel(false);
        let served = state.clone();
        let listening = tokio::spawn(async move {
            loop {
                let stream = tokio::select! {
                    stream = listener.accept() => stream.unwrap().0,
                    change = changes.changed() => match change {
                        Ok(()) => continue,
                        Err(_) => return,
                    },
                };
                let mut changes = changes.clone();
                let other = other_handle(&stream);
                let connection = connection(stream, tls.clone(), served.clone(), held.clone());
                tokio::spawn(async move {
                    tokio::select! {
                        () = connection => {}
                        _ = changes.changed() => until_closed(other).await,
                    }
                });
            }
        });
        Self { url, ca_pem, state, connections, holds, listening }
    }

    /// `http://127.0.0.1:<port>`, or the same with `https`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The certificate of its authority, in PEM.
    pub fn ca_pem(&self) -> &str {
        self.ca_pem.as_deref().expect("started with TLS")
    }

    /// Answers requests of the recording's method and path with it, from now on.
    pub fn answer(&self, name: &str) {
        let recording = self.recording(name);
        self.state().always.insert(recording.key(), recording);
    }

    /// Answers the next request of the recording's method and path with it. Several are used in
    /// the order in which they were given.
    pub fn answer_once(&self, name: &str) {
        let recording = self.recording(name);
        self.state().once.push(recording);
    }

    /// Answers requests of the recording's method and path with it if `login_name` makes them.
    pub fn answer_for(&self, login_name: &str, name: &str) {
        let recording = self.recording(name);
        let key = (login_name.to_owned(), recording.key());
        self.state().for_login.insert(key, recording);
    }

    /// Answers requests of the recording's method and path with its headers, but another status
    /// and body.
    pub fn answer_with(&self, name: &str, status: u16, body: impl Into<String>) {
        let mut recording = self.recording(name);
        recording.response.status = status;
        recording.response.body = Some(body.into());
        // A digest of what was recorded.
        let headers = &mut recording.response.headers;
        headers.retain(|(name, _)| !name.eq_ignore_ascii_case("etag"));
        self.state().always.insert(recording.key(), recording);
    }

    /// Answers `login_name` with the recording's status and headers, but another tag and body.
    pub fn answer_tagged_for(&self, login_name: &str, name: &str, tag: &str, body: String) {
        let mut recording = self.recording(name);
        for (field, value) in &mut recording.response.headers {
            match field.as_str() {
                "ETag" => tag.clone_into(value),
                "X-User-Id" => login_name.clone_into(value),
                _ => {}
            }
        }
        recording.response.body = Some(body);
        let key = (login_name.to_owned(), recording.key());
        self.state().for_login.insert(key, recording);
    }

    /// Checks Basic logins as the real server does: 401 for one that does not fit, and 429 for
    /// every login of anybody from the twelfth failure on. Takes account id, login name and password
    /// of each; answers then name the account that logged in.
    pub fn accounts<'a>(&self, accounts: impl IntoIterator<Item = (&'a str, &'a str, &'a str)>) {
        self.state().accounts = Some(Accounts::new(accounts));
    }

    /// Adds a valid app password of an account.
    pub fn allow(&self, user_id: &str, login_name: &str, password: &str) {
        let mut state = self.state();
        let accounts = state.accounts.get_or_insert_default();
        accounts.allow(user_id, login_name, password);
    }

    /// Ignores bearer tokens from now on, as if a proxy in between dropped them.
    pub fn refuse_bearer(&self) {
        self.state().accounts.get_or_insert_default().refuse_bearer();
    }

    /// From now on, answers bearer tokens with a page, like a proxy in between.
    pub fn intercept_bearer(&self) {
        self.state().intercepts_bearer = true;
    }

    /// Lets another client behind the gateway's address cause so many failures that it is throttled.
    pub fn block(&self) {
        self.state().accounts.get_or_insert_default().block();
    }

    /// Forgets the failed logins, as after half an hour.
    pub fn forget_failures(&self) {
        self.state().accounts.get_or_insert_default().forget_failures();
    }

    /// Also accepts the account password of `user_id`.
    pub fn allow_account_password(&self, user_id: &str, password: &str) {
        let mut state = self.state();
        let accounts = state.accounts.get_or_insert_default();
        accounts.allow_account_password(user_id, password);
    }

    /// Revokes an app password.
    pub fn revoke(&self, login_name: &str, password: &str) {
        if let Some(accounts) = &mut self.state().accounts {
            accounts.forbid(&basic(login_name, password));
        }
    }

    /// The number of throttled logins since [`accounts`](Self::accounts).
    pub fn throttled_logins(&self) -> usize {
        let state = self.state();
        state.accounts.as_ref().map_or(0, Accounts::throttled)
    }

    /// The number of logins counted as failed since [`accounts`](Self::accounts).
    pub fn failed_logins(&self) -> usize {
        let state = self.state();
        state.accounts.as_ref().map_or(0, Accounts::failures)
    }

    /// Keeps registrations of webhooks from now on, for those who log in ([`accounts`](Self::accounts)). A
    /// connection that breaks is then reset.
    pub fn keep_webhooks(&self) {
        self.state().webhooks = Some(Registrations::default());
    }

    /// The current registrations.
    pub fn webhooks(&self) -> Vec<Value> {
        let mut state = self.state();
        state.registrations().records().to_vec()
    }

    /// Adds a registration of another user; returns its id.
    pub fn add_webhook(&self, record: Value) -> i64 {
        self.state().registrations().add(record)
    }

    /// Lets the next requests about webhooks fail one by one, and each later one as `then` says.
    pub fn slip(&self, slips: impl IntoIterator<Item = Option<Slip>>, then: Option<Slip>) {
        self.state().registrations().slip(slips, then);
    }

    /// Carries out the requests about webhooks that were held ([`Slip::Held`]).
    pub fn release(&self) {
        let mut state = self.state();
        let version = state.version;
        state.registrations().release(version);
    }

    /// Keeps login flows of several users from now on.
    pub fn keep_login_flows(&self) {
        self.state().flows = Some(Flows::default());
    }

    /// The user grants access on the page at `login_url`: the next poll returns a valid app password.
    pub fn grant(&self, login_url: &str, user_id: &str) {
        let mut state = self.state();
        let flows = state.flows.as_mut();
        let flows = flows.expect("`keep_login_flows` comes before");
        let password = flows.grant(login_url, user_id);
        let accounts = state.accounts.get_or_insert_default();
        accounts.allow(user_id, user_id, &password);
    }

    /// Delays each answer by this time.
    pub fn delay(&self, delay: Duration) {
        self.state().delay = delay;
    }

    /// Answers nothing until [`goes_on`](Self::goes_on).
    pub fn holds(&self) {
        self.holds.send_replace(true);
    }

    /// Answers what it has held, and what comes.
    pub fn goes_on(&self) {
        self.holds.send_replace(false);
    }

    /// Waits until it has received this many requests.
    pub async fn until_seen(&self, count: usize) {
        let seen = async {
            while self.seen().len() < count {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let seen = tokio::time::timeout(LONGEST, seen).await;
        seen.unwrap_or_else(|_| panic!("not {count}: {:#?}", self.seen()));
    }

    /// Does `fault` instead of answering from now on; closes the open connections.
    pub async fn fault(&self, fault: Fault) {
        self.state().fault = Some(fault);
        self.close_connections().await;
    }

    /// Answers again.
    pub async fn heal(&self) {
        self.state().fault = None;
        self.close_connections().await;
    }

    /// Closes the open connections, and waits until the other end has noticed.
    pub async fn close_connections(&self) {
        self.connections.send_replace(());
        // One is that of the listener.
        while self.connections.receiver_count() > 1 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// Stops listening; connections are refused from then on.
    pub async fn stop(self) -> String {
        drop(self.connections);
        self.listening.await.unwrap();
        self.url
    }

    /// The requests received, in order, except those for the server's version.
    pub fn seen(&self) -> Vec<Seen> {
        let mut seen = self.all_seen();
        seen.retain(|seen| !seen.is_question_of_version());
        seen
    }

    /// All requests received, in order.
    pub fn all_seen(&self) -> Vec<Seen> {
        self.state().seen.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}

impl State {
    fn recording(&self, name: &str) -> Recording {
        Recording::of(self.version, name)
    }

    fn registrations(&mut self) -> &mut Registrations {
        let webhooks = self.webhooks.as_mut();
        webhooks.expect("`keep_webhooks` comes before")
    }
}

/// A received request.
#[derive(Clone, Debug)]
pub struct Seen {
    pub version: Version,
    pub method: Method,
    /// The path and the query, as sent.
    pub target: String,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Seen {
    fn is_question_of_version(&self) -> bool {
        self.target.contains("/cloud/capabilities") && !self.headers.contains_key("authorization")
    }
}

/// Another handle of the socket.
fn other_handle(stream: &TcpStream) -> TcpStream {
    use std::os::fd::AsFd as _;
    let other = stream.as_fd().try_clone_to_owned().unwrap();
    TcpStream::from_std(other.into()).unwrap()
}

/// Ends a connection that nothing is sent on any more. The other end knows at its next use, if it does not close it now.
async fn until_closed(mut stream: TcpStream) {
    let _ = stream.shutdown().await;
    let mut rest = [0; 1024];
    let read = async { while matches!(stream.read(&mut rest).await, Ok(1..)) {} };
    let _ = tokio::time::timeout(Duration::from_millis(20), read).await;
}

async fn connection(
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

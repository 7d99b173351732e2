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
mod serving;
mod tls;
mod webhooks;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, Version};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

use accounts::Accounts;
pub use accounts::{basic, bearer};
pub use fault::Fault;
use flows::Flows;
pub use recording::{RecordedDelivery, RecordedResponse, Recording, Release};
use serving::{connection, other_handle, until_closed};
pub use tls::acceptor as tls_acceptor;
use webhooks::Registrations;
pub use webhooks::{Break, Slip};

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

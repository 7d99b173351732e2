//! Every fault of the groupware server, during every request that calls it: the caller gets the cause
//! in one fixed sentence and nothing else (docs/API.md, section 6.2), nothing that was stored is lost,
//! and the same request works once the fault is over.
//!
//! A test is one fault. It makes all of the requests while the fault lasts, and all of them again
//! afterwards.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use portreeve::audit::{AuditObserver, Outcome, Record};
use portreeve::groupware::{ClientSettings, Groupware};
use portreeve::outbound::{HttpUrl, PlainHttp, certificates};
use portreeve::server::Bounds;
use portreeve::vault::FlowState;
use serde_json::{Value, json};

use crate::support::gateway::{Answer, PASSWORD, TestGateway, Unstarted};
use crate::support::nextcloud::{Fault, Nextcloud, Recording};

/// A password for a user who has none stored.
const NEW: &str = "NEWaa-bbbbb-ccccc-ddddd-eeeee";
/// A password that replaces a stored one.
const OTHER: &str = "OTHER-bbbbb-ccccc-ddddd-eeeee";
const GRANT: &str = "login-flow-v2-poll-after-grant";

const CREDENTIALS: &str = "/api/v1/background-sync/credentials";
const REVOKE: &str = "/api/v1/background-sync/credentials?revoke=true";
const STATUS: &str = "/api/v1/background-sync/status";
const FLOW: &str = "/api/v1/background-sync/login-flow";

const UNREACHABLE: &str = "The groupware server could not be reached.";
const TOO_LATE: &str = "The groupware server did not answer in time.";
const UNREADABLE: &str = "The groupware server sent an answer that could not be read.";
const TOO_LARGE: &str = "The groupware server sent more than the gateway accepts in one answer.";
const CLOSED: &str = "The connection to the groupware server was closed before its answer.";
const NO_GATEWAY: &str = "Something in front of the groupware server got no answer from it.";
const TOO_LATE_GATEWAY: &str =
    "Something in front of the groupware server got no answer from it in time.";
const OTHER_LOGIN: &str = "Something in front of the groupware server wants a login of its own.";
const NOT_NEXTCLOUD: &str = "There is no Nextcloud at the configured address.";
const LIMITED: &str =
    "Something in front of the groupware server accepts no more requests at the moment.";
const UNAVAILABLE: &str = "The groupware server is not available at the moment.";
const FAILED: &str = "The groupware server answered with an internal error.";
const REDIRECTED: &str = "The groupware server answered with a redirect.";

/// What is known of a request that was to change something.
const LOST_GRANT: &str = "It is not known whether the groupware server has handed out the app password: if you have \
    granted access and the status stays pending, remove the newest app password whose name begins with portreeve in \
    the groupware server's settings, Security, and start another login flow.";
const NOT_KNOWN: &str =
    "It is not known whether the request was carried out: look before you repeat it.";
const STILL_STORED: &str = "The app password was not destroyed and is still stored.";
const MAYBE_DESTROYED: &str = "The app password is still stored, and it is not known whether the \
    groupware server destroyed it: look before you repeat it.";

/// The timeout for calls that are meant to time out.
const SHORT: Duration = Duration::from_millis(400);
/// The timeout for all others, so that a slow machine does not change an answer.
const LONG: Duration = Duration::from_secs(20);

/// The most that is read of an answer, in bytes.
const MAX_BODY: usize = 100_000;

#[tokio::test]
async fn api_6_2_an_error_page_of_a_proxy_is_500() {
    all_requests_during(Fault::Page(502), LONG, NO_GATEWAY).await;
}

#[tokio::test]
async fn api_6_2_a_proxy_that_gives_up_waiting_is_500() {
    all_requests_during(Fault::Page(504), LONG, TOO_LATE_GATEWAY).await;
}

#[tokio::test]
async fn api_6_2_a_proxy_without_a_server_is_500() {
    all_requests_during(Fault::Page(503), LONG, UNAVAILABLE).await;
}

#[tokio::test]
async fn api_6_2_a_proxy_that_limits_requests_is_500() {
    all_requests_during(Fault::Page(429), LONG, LIMITED).await;
}

#[tokio::test]
async fn api_6_2_an_address_without_a_nextcloud_is_500() {
    all_requests_during(Fault::Page(404), LONG, NOT_NEXTCLOUD).await;
}

#[tokio::test]
async fn api_6_2_an_internal_error_of_the_server_is_500() {
    all_requests_during(Fault::Page(500), LONG, FAILED).await;
}

#[tokio::test]
async fn api_6_2_an_answer_without_a_head_in_time_is_500() {
    all_requests_during(Fault::SlowHeaders, SHORT, TOO_LATE).await;
}

#[tokio::test]
async fn api_6_2_a_body_that_stops_is_500() {
    all_requests_during(Fault::SlowBody, SHORT, TOO_LATE).await;
}

#[tokio::test]
async fn api_6_2_a_body_that_drips_past_the_deadline_is_500() {
    all_requests_during(Fault::DrippingBody, SHORT, TOO_LATE).await;
}

#[tokio::test]
async fn api_6_2_a_reset_connection_is_500() {
    all_requests_during(Fault::Reset, LONG, CLOSED).await;
}

#[tokio::test]
async fn api_6_2_a_connection_that_ends_without_an_answer_is_500() {
    all_requests_during(Fault::Close, LONG, CLOSED).await;
}

#[tokio::test]
async fn api_6_2_a_body_shorter_than_announced_is_500() {
    all_requests_during(Fault::ShortBody, LONG, UNREADABLE).await;
}

#[tokio::test]
async fn api_6_2_an_answer_that_is_not_http_is_500() {
    all_requests_during(Fault::GarbageStatusLine, LONG, UNREADABLE).await;
}

#[tokio::test]
async fn api_6_2_a_body_with_two_lengths_is_500() {
    all_requests_during(Fault::TwoLengths, LONG, UNREADABLE).await;
}

#[tokio::test]
async fn api_6_2_a_head_without_end_is_500() {
    all_requests_during(Fault::EndlessHeaders, LONG, UNREADABLE).await;
}

#[tokio::test]
async fn api_6_2_interim_answers_without_end_are_500() {
    all_requests_during(Fault::EndlessInterim, LONG, UNREADABLE).await;
}

#[tokio::test]
async fn api_6_2_an_endless_body_is_500() {
    all_requests_during(Fault::EndlessBody, LONG, TOO_LARGE).await;
}

#[tokio::test]
async fn api_6_2_a_body_announced_as_huge_is_500() {
    all_requests_during(Fault::HugeLength, LONG, TOO_LARGE).await;
}

#[tokio::test]
async fn api_6_2_a_redirect_is_500() {
    all_requests_during(Fault::Redirect, LONG, REDIRECTED).await;
}

#[tokio::test]
async fn api_6_2_a_401_of_a_proxy_is_500() {
    all_requests_during(Fault::Page(401), LONG, OTHER_LOGIN).await;
}

#[tokio::test]
async fn api_6_2_goaway_at_each_request_is_500() {
    let matrix = Matrix::start(Nextcloud::start_tls(true).await).await;
    matrix.nextcloud.fault(Fault::GoAway).await;
    matrix.all_fail(&matrix.gateway, UNREACHABLE).await;
    matrix.nextcloud.heal().await;
    matrix.all_work().await;
}

#[tokio::test]
async fn api_6_2_a_certificate_of_an_unknown_authority_is_500() {
    let matrix = Matrix::start(Nextcloud::start_tls(false).await).await;
    // A gateway that trusts only the authorities of the system; the other one has the right setting.
    let wary = matrix.gateway.beside(matrix.nextcloud.url(), |it| it).await;
    matrix.all_fail(&wary, UNREACHABLE).await;
    matrix.all_work().await;
}

#[tokio::test]
async fn api_6_2_a_name_that_cannot_be_resolved_is_500() {
    // The first label is longer than DNS allows, so that no name server is asked.
    all_requests_to(&format!("http://{}.invalid", "no-such-host-".repeat(6))).await;
}

#[tokio::test]
async fn api_6_2_a_server_that_is_down_is_500() {
    all_requests_to(&Nextcloud::start().await.stop().await).await;
}

#[tokio::test]
async fn api_6_3_the_audit_log_says_what_is_known_of_a_revocation() {
    #[derive(Debug, Default)]
    struct Kept(Mutex<Vec<Outcome>>);
    impl AuditObserver for Kept {
        fn recorded(&self, record: &Record) {
            self.0.lock().unwrap().push(record.outcome);
        }
    }

    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("apppassword-delete");
    let kept = Arc::new(Kept::default());
    let observer = kept.clone();
    let gateway = TestGateway::with(nextcloud.url(), |it| it.audit(observer));
    let gateway = gateway.await;
    for (fault, outcome) in [
        (Some(Fault::Page(504)), Outcome::Unknown),
        (Some(Fault::Reset), Outcome::Unknown),
        (Some(Fault::Redirect), Outcome::Unknown),
        (Some(Fault::Page(308)), Outcome::Failed),
        (None, Outcome::Done),
    ] {
        match fault {
            Some(fault) => nextcloud.fault(fault).await,
            None => nextcloud.heal().await,
        }
        gateway.call("bob", "DELETE", REVOKE, "").await;
        let found = kept.0.lock().unwrap().drain(..).collect::<Vec<_>>();
        assert_eq!(found, [outcome], "{fault:?}");
    }
}

/// A client of this server, with this timeout for each call.
fn client(nextcloud: &Nextcloud, timeout: Duration) -> Groupware {
    let mut settings = ClientSettings::default();
    (settings.timeout, settings.max_body) = (timeout, MAX_BODY);
    if nextcloud.url().starts_with("https") {
        settings.extra_ca = certificates(nextcloud.ca_pem().as_bytes()).unwrap();
    }
    Groupware::new(nextcloud.url().parse().unwrap(), settings).unwrap()
}

/// Makes all requests during this fault of the server and after it, with this timeout for each call.
async fn all_requests_during(fault: Fault, timeout: Duration, message: &str) {
    let matrix = Matrix::start(Nextcloud::start().await).await;
    // Another gateway, since calls that are to work have more time.
    let groupware = client(&matrix.nextcloud, timeout);
    let change = |gateway: Unstarted| gateway.groupware(groupware);
    let gateway = matrix.gateway.beside(matrix.nextcloud.url(), change).await;
    matrix.nextcloud.fault(fault).await;
    matrix.all_fail(&gateway, message).await;
    matrix.nextcloud.heal().await;
    // With time enough for all of them.
    let url = matrix.nextcloud.url();
    let gateway = matrix.gateway.again(url, |it| it).await;
    Matrix { gateway, ..matrix }.all_work().await;
}

/// Makes all requests with the server at `url`, where none is.
async fn all_requests_to(url: &str) {
    let matrix = Matrix::start(Nextcloud::start().await).await;
    let url = HttpUrl::base(url, PlainHttp::Anywhere).unwrap();
    let lost = Groupware::new(url, Default::default()).unwrap();
    let change = |gateway: Unstarted| gateway.groupware(lost);
    let lost = matrix.gateway.beside(matrix.nextcloud.url(), change).await;
    matrix.all_fail(&lost, UNREACHABLE).await;
    matrix.all_work().await;
}

/// A server, a gateway before it, and the login flow of `alice` that nobody granted yet.
///
/// `admin`, `alice` and `bob` have a stored password; `carol` has none.
struct Matrix {
    nextcloud: Nextcloud,
    gateway: TestGateway,
    flow_id: String,
}

/// A request that calls the server.
struct Call {
    user: &'static str,
    method: &'static str,
    path: String,
    body: Value,
    /// What is said if it may have changed something at the server that outlasts it.
    unknown: Option<&'static str>,
}

// === impl Matrix ===

impl Matrix {
    async fn start(nextcloud: Nextcloud) -> Self {
        for name in [
            "capabilities-admin-app-password",
            "webhooks-list-admin",
            "webhooks-create-minimal-admin",
            "webhooks-delete-admin",
            "user-admin",
            "apppassword-delete",
            "login-flow-v2-init",
            "login-flow-v2-poll-before-grant",
        ] {
            nextcloud.answer(name);
        }
        nextcloud.accounts([
            ("admin", "admin", PASSWORD),
            ("alice", "alice", PASSWORD),
            ("alice", "alice", &granted_password()),
            ("bob", "bob", PASSWORD),
            ("bob", "bob", OTHER),
            ("carol", "carol", NEW),
        ]);
        let groupware = client(&nextcloud, LONG);
        let gateway = TestGateway::start(Bounds::default(), |it| it.groupware(groupware)).await;
        let started = gateway.call("alice", "POST", FLOW, "").await;
        assert_eq!(started.status, 200, "{started:?}");
        let flow_id = started.json()["flow_id"].as_str().unwrap().to_owned();
        Self { nextcloud, gateway, flow_id }
    }

    /// Every request that calls the server, in an order in which all of them can work.
    fn calls(&self) -> Vec<Call> {
        let webhook = json!({"event": r"OCP\Files\Events\Node\NodeCreatedEvent", "uri": "https://a.example/"});
        let store = |password| json!({"appPassword": password});
        let poll = format!("{FLOW}/{}", self.flow_id);
        [
            ("admin", "GET", "/api/v1/apps", Value::Null),
            ("admin", "GET", "/api/v1/webhooks", Value::Null),
            ("admin", "POST", "/api/v1/webhooks", webhook),
            ("admin", "DELETE", "/api/v1/webhooks/7", Value::Null),
            // Members of the group `admin` are administrators, and the server knows them.
            ("admin", "GET", &format!("{CREDENTIALS}/bob"), Value::Null),
            ("alice", "POST", FLOW, Value::Null),
            ("alice", "GET", &poll, Value::Null),
            ("carol", "POST", CREDENTIALS, store(NEW)),
            ("bob", "POST", CREDENTIALS, store(OTHER)),
            ("bob", "DELETE", REVOKE, Value::Null),
        ]
        .map(|(user, method, path, body)| Call {
            unknown: match (method, path) {
                ("POST" | "DELETE", path) if path.starts_with("/api/v1/webhooks") => {
                    Some(NOT_KNOWN)
                }
                ("GET", path) if path == poll => Some(LOST_GRANT),
                _ => None,
            },
            user,
            method,
            path: path.to_owned(),
            body,
        })
        .into()
    }

    /// Makes every request to `gateway` while the fault lasts.
    async fn all_fail(&self, gateway: &TestGateway, message: &str) {
        let seen = self.nextcloud.seen().len();
        for call in self.calls() {
            let name = call.name();
            let answer = call.make(gateway).await;
            let found = answer.assert_error(500, "Internal error");
            // Nothing of the request arrived.
            let is_known = message == UNREACHABLE;
            let expected = match (call.path == REVOKE, call.unknown) {
                (true, _) if is_known => format!("{STILL_STORED} {message}"),
                (true, _) => format!("{MAYBE_DESTROYED} {message}"),
                (false, Some(unknown)) if !is_known => format!("{message} {unknown}"),
                (false, _) => message.to_owned(),
            };
            assert_eq!(found, expected, "{name}");
            let waits = message == LIMITED || message == UNAVAILABLE;
            assert_eq!(answer.header("retry-after").is_some(), waits, "{name}");
            self.assert_nothing_internal(&answer, &name);
            self.assert_nothing_lost(gateway, &name).await;
        }
        assert_eq!(self.nextcloud.seen().len(), seen, "the fault was met");
    }

    fn assert_nothing_internal(&self, answer: &Answer, name: &str) {
        let shown = format!("{answer:?}").to_lowercase();
        let (host, port) = self.nextcloud.url().rsplit_once(':').unwrap();
        let passwords = [PASSWORD, NEW, OTHER].map(str::to_lowercase);
        for inside in [
            host.rsplit('/').next().unwrap(),
            port,
            "no-such-host",
            "10.1.2.3",
            "proxy",
            "html",
            "elsewhere",
            "ocs",
            "/login",
            "index.php",
            "hyper",
            "rustls",
            "certificate",
            "http",
            "dns",
            "os error",
            "cookie",
            "basic",
        ]
        .into_iter()
        .chain(passwords.iter().map(String::as_str))
        {
            assert!(!shown.contains(inside), "{name}: {answer:?} has {inside:?}");
        }
    }

    /// Each password that was stored is still there and in use, none was added, and the login flow
    /// can still be granted.
    async fn assert_nothing_lost(&self, gateway: &TestGateway, name: &str) {
        for user in ["admin", "alice", "bob"] {
            let stored = gateway.vault.credential(user).await.unwrap();
            let stored = stored.unwrap_or_else(|| panic!("{name}: nothing stored for {user}"));
            assert_eq!(stored.password.expose(), PASSWORD, "{name}: {user}");
            assert_eq!(stored.suspended_at, None, "{name}: {user}");
            let status = gateway.call(user, "GET", STATUS, "").await;
            assert_eq!(status.json()["has_background_access"], true, "{name}");
        }
        let stored = gateway.vault.credential("carol").await.unwrap();
        assert!(stored.is_none(), "{name}: {stored:?}");
        let flow = gateway.vault.flow("alice", &self.flow_id).await.unwrap();
        let flow = flow.unwrap_or_else(|| panic!("{name}: the login flow is gone"));
        assert!(matches!(flow.state, FlowState::Pending { .. }), "{name}: {flow:?}");
    }

    /// Makes every request again after the fault.
    async fn all_work(&self) {
        let seen = self.nextcloud.seen().len();
        self.nextcloud.answer_once(GRANT);
        for call in self.calls() {
            let answer = call.make(&self.gateway).await;
            assert_eq!(answer.status, 200, "{}: {answer:?}", call.name());
        }
        for (user, password) in [
            ("admin", Some(PASSWORD)),
            ("alice", Some(&*granted_password())),
            ("bob", None),
            ("carol", Some(NEW)),
        ] {
            let stored = self.gateway.vault.credential(user).await.unwrap();
            let stored = stored.as_ref().map(|it| it.password.expose());
            assert_eq!(stored, password, "{user}");
        }
        // Failed requests were not repeated in the background, and caused no failed login.
        let seen = self.nextcloud.seen().split_off(seen);
        for (method, path) in [
            ("POST", "/webhooks"),
            ("DELETE", "/webhooks/7"),
            ("DELETE", "/apppassword"),
            ("POST", "/login/v2"),
        ] {
            let is_same = |path_seen: &str| path_seen.split('?').next().unwrap().ends_with(path);
            let made = seen.iter().filter(|it| it.method == method && is_same(&it.target));
            assert_eq!(made.count(), 1, "{method} {path}");
        }
        assert_eq!(self.nextcloud.failed_logins(), 0);
    }
}

// === impl Call ===

impl Call {
    async fn make(&self, gateway: &TestGateway) -> Answer {
        let body = match &self.body {
            Value::Null => String::new(),
            body => body.to_string(),
        };
        let (method, path, token) = (self.method, &self.path, gateway.token(self.user));
        // With an id of its own, so that the answer contains nothing random.
        let head = format!(
            "{method} {path} HTTP/1.1\r\nAuthorization: Bearer {token}\r\nX-Request-Id: fault\r\n"
        );
        gateway.send(&head, &body).await
    }

    fn name(&self) -> String {
        format!("{} {} by {}", self.method, self.path, self.user)
    }
}

/// The password that the recorded grant hands out.
fn granted_password() -> String {
    let body = Recording::load(GRANT).response.body.unwrap();
    let body: Value = serde_json::from_str(&body).unwrap();
    body["appPassword"].as_str().unwrap().to_owned()
}

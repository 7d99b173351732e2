//! Persons bound to accounts, by the operator or by a granted login flow (docs/API.md, section 2.7).

use std::net::SocketAddr;

use bytes::Bytes;
use futures_util::future::join_all;
use http::Request;
use http::request::Parts;
use http_body_util::Empty;
use portreeve::gateway::layer::account::Authenticated;
use portreeve::gateway::{AccountPolicy, Binding, Gateway, Settings};
use portreeve::groupware::Groupware;
use portreeve::identity::{BearerToken, Caller, Person, TokenVerifier, VerifyError};
use portreeve::server::{self, Bounds};
use portreeve::vault::{
    AppPassword, BindOutcome, Change, FlowState, Keyring, MemoryStore, PersonId, Table, Vault,
};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tower::ServiceExt as _;
use tower::util::MapRequestLayer;

use crate::support::gateway::{Answer, PASSWORD};
use crate::support::log::Log;
use crate::support::nextcloud::{Nextcloud, Recording, bearer};
use crate::support::own_process;

const ISSUER: &str = "https://id.example.org";
const FLOW: &str = "/api/v1/background-sync/login-flow";
const STATUS: &str = "/api/v1/background-sync/status";
const APPS: &str = "/api/v1/apps";
const GRANT: &str = "login-flow-v2-poll-after-grant";
/// The password of alice that this recording grants.
const ALICES_PASSWORD: &str =
    "FAKEAppPasswordFromLoginFlow00000000000000000000000000000000000000000000";
const CAROLS_PASSWORD: &str =
    "FAKEAppPasswordFromLoginFlowOfCarol0000000000000000000000000000000000000";

/// A token is the subject of a person, `subject~name` if the person has a name, `account=` for a
/// caller who names an account, or `nobody` for a person without a subject.
struct People;

impl TokenVerifier for People {
    async fn verify(&self, token: &BearerToken, _: &Parts) -> Result<Caller, VerifyError> {
        let token = token.expose();
        if let Some(account) = token.strip_suffix('=') {
            return Ok(Caller::new(account));
        }
        let (subject, name) = token.split_once('~').unwrap_or((token, ""));
        let mut person = Person::new(ISSUER, subject);
        person.subject = (subject != "nobody").then(|| subject.into());
        person.preferred_name = (!name.is_empty()).then(|| name.replace('_', " ").into());
        Ok(Caller::of_person(person))
    }
}

/// A gateway where accounts are bound.
struct Bound {
    address: SocketAddr,
    vault: Vault,
    server: JoinHandle<()>,
}

impl Bound {
    async fn start(nextcloud: &Nextcloud, binding: Binding) -> Self {
        let keyring = Keyring::generate().unwrap();
        let vault = Vault::new(keyring, MemoryStore::new());
        Self::on(vault, nextcloud, binding).await
    }

    async fn on(vault: Vault, nextcloud: &Nextcloud, binding: Binding) -> Self {
        let url = nextcloud.url().parse().unwrap();
        let mut settings = Settings::default();
        settings.account = AccountPolicy::Bound(binding);
        settings.max_in_flight_per_caller = 8;
        let gateway = Gateway::new(People, vault.clone())
            .settings(settings)
            .groupware(Groupware::new(url, Default::default()).unwrap());
        let service = gateway.into_service();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let never = std::future::pending();
        let server = tokio::spawn(async move {
            server::serve(listener, service, Bounds::default(), never).await;
        });
        Self {
            address,
            vault,
            server,
        }
    }

    async fn call(&self, token: &str, method: &str, path: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: g\r\nConnection: close\r\nContent-Length: 0\r\n\
             X-Request-Id: of-{method}\r\nAuthorization: Bearer {token}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        Answer::read(&mut stream).await
    }

    /// Starts a flow and returns its path.
    async fn flow(&self, token: &str) -> String {
        let started = self.call(token, "POST", FLOW).await;
        assert_eq!(started.status, 200, "{started:?}");
        format!("{FLOW}/{}", started.json()["flow_id"].as_str().unwrap())
    }

    async fn account(&self, subject: &str) -> Option<String> {
        let binding = self.vault.binding(ISSUER, subject).await.unwrap();
        binding.map(|it| it.user_id().to_string())
    }

    async fn stored(&self, user: &str) -> Option<String> {
        let credential = self.vault.credential(user).await.unwrap();
        credential.map(|it| it.password().expose().to_owned())
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn server() -> Nextcloud {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("login-flow-v2-init");
    nextcloud.answer("login-flow-v2-poll-after-pickup");
    nextcloud.answer("capabilities-user-app-password");
    nextcloud.answer("user-alice");
    nextcloud.answer_for("carol", "user-carol");
    nextcloud.answer("apppassword-delete");
    nextcloud.accounts([
        ("alice", "alice", ALICES_PASSWORD),
        ("carol", "carol", CAROLS_PASSWORD),
    ]);
    nextcloud
}

/// From now on, polls are answered with a grant by carol.
fn carol_grants(nextcloud: &Nextcloud) {
    let body = json!({"server": "x", "loginName": "carol", "appPassword": CAROLS_PASSWORD});
    nextcloud.answer_with(GRANT, 200, body.to_string());
}

/// The passwords that were destroyed, by the value of their `Authorization` field.
fn destroyed(nextcloud: &Nextcloud) -> Vec<String> {
    let deletions = nextcloud.seen().into_iter();
    deletions
        .filter(|seen| seen.method == "DELETE")
        .map(|seen| seen.headers["authorization"].to_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn a_layer_of_your_own_sees_persons_without_an_account_only_in_their_login_flows() {
    let nextcloud = server().await;
    let vault = Vault::new(Keyring::generate().unwrap(), MemoryStore::new());
    let url = nextcloud.url().parse().unwrap();
    let (sender, mut seen) = tokio::sync::mpsc::unbounded_channel();
    let mut settings = Settings::default();
    settings.account = AccountPolicy::Bound(Binding::LoginFlow);
    let service = Gateway::new(People, vault)
        .settings(settings)
        .groupware(Groupware::new(url, Default::default()).unwrap())
        .layer(MapRequestLayer::new(move |request: Authenticated<_>| {
            let user = request.principal().user();
            let user = user.map(|user| user.user_id().to_owned());
            sender
                .send((user, request.principal().key().to_owned()))
                .unwrap();
            request
        }))
        .into_service();
    for (method, path, token, status) in [
        ("POST", FLOW, "mallory", 200),
        ("GET", APPS, "mallory", 428),
        ("GET", FLOW, "mallory", 428),
        ("GET", STATUS, "alice=", 200),
    ] {
        let request = Request::builder().method(method).uri(path);
        let request = request.header("authorization", format!("Bearer {token}"));
        let request = request.body(Empty::<Bytes>::new()).unwrap();
        let answer = service.clone().oneshot(request).await.unwrap();
        assert_eq!(answer.status(), status, "{method} {path} {token}");
    }
    let mallory = PersonId::of(ISSUER, "mallory");
    assert_eq!(
        seen.recv().await.unwrap(),
        (None, mallory.as_owner().to_owned())
    );
    let alice = "alice".to_owned();
    assert_eq!(seen.recv().await.unwrap(), (Some(alice.clone()), alice));
    assert!(seen.try_recv().is_err());
}

#[tokio::test]
async fn api_2_7_with_binding_off_no_flow_starts_and_nobody_is_bound() {
    let nextcloud = server().await;
    nextcloud.answer(GRANT);
    let gateway = Bound::start(&nextcloud, Binding::Operator).await;
    let password = AppPassword::new(PASSWORD).unwrap();
    gateway
        .vault
        .put("alice", "alice", &password)
        .await
        .unwrap();
    // As a flow that was started while binding was on.
    let owner = PersonId::of(ISSUER, "mallory");
    let soon = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    let state = FlowState::Collected {
        login_name: "alice".into(),
        password: AppPassword::new(ALICES_PASSWORD).unwrap(),
    };
    let old = gateway.vault.put_flow(owner.as_owner(), soon, state).await;
    let old = format!("{FLOW}/{}", old.unwrap().flow_id());
    let mut messages = Vec::new();
    // The answers are the same whether or not an account of that name exists.
    for token in ["mallory", "alice", "mallory~alice"] {
        for (method, path) in [
            ("POST", FLOW),
            ("GET", &*old),
            ("GET", &format!("{FLOW}/x")),
            ("GET", APPS),
            ("GET", STATUS),
            ("GET", "/api/v1/webhooks"),
            ("DELETE", "/api/v1/background-sync/credentials"),
            ("GET", "/api/v1/background-sync/credentials/alice"),
            ("GET", "/nowhere"),
        ] {
            let answer = gateway.call(token, method, path).await;
            messages.push(answer.assert_error(428, "Provisioning required"));
            assert!(!answer.body.contains("alice"), "{answer:?}");
        }
    }
    messages.dedup();
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(messages[0].contains("administrator"), "{messages:?}");
    assert_eq!(nextcloud.seen().len(), 0, "the server was not asked");
    assert_eq!(gateway.account("mallory").await, None);
    assert_eq!(gateway.account("alice").await, None);
    assert_eq!(gateway.stored("alice").await.unwrap(), PASSWORD);
}

#[tokio::test]
async fn api_2_7_binding_and_unbinding_take_effect_at_the_next_request() {
    let nextcloud = server().await;
    let gateway = Bound::start(&nextcloud, Binding::Operator).await;
    let password = AppPassword::new(ALICES_PASSWORD).unwrap();
    gateway
        .vault
        .put("alice", "alice", &password)
        .await
        .unwrap();
    for _ in 0..5 {
        gateway
            .call("f3a1", "GET", APPS)
            .await
            .assert_error(428, "Provisioning required");
        let bound = gateway.vault.bind(ISSUER, "f3a1", "alice").await.unwrap();
        assert_eq!(bound, BindOutcome::Bound);
        assert_eq!(gateway.call("f3a1", "GET", APPS).await.status, 200);
        // The subject identifies the person, not the name.
        assert_eq!(gateway.call("f3a1~Mallory", "GET", APPS).await.status, 200);
        gateway
            .call("alice", "GET", APPS)
            .await
            .assert_error(428, "Provisioning required");
        assert!(gateway.vault.unbind(ISSUER, "f3a1").await.unwrap());
    }
    // A person without a subject is refused, and a caller who names an account gets that account.
    gateway
        .call("nobody", "GET", APPS)
        .await
        .assert_error(401, "Unauthorized");
    assert_eq!(gateway.call("alice=", "GET", APPS).await.status, 200);
}

#[tokio::test]
async fn api_2_7_a_row_that_cannot_be_decrypted_is_500_for_its_person_only() {
    let nextcloud = server().await;
    let gateway = Bound::start(&nextcloud, Binding::LoginFlow).await;
    let password = AppPassword::new(ALICES_PASSWORD).unwrap();
    gateway
        .vault
        .put("alice", "alice", &password)
        .await
        .unwrap();
    for subject in ["alice", "mallory"] {
        gateway.vault.bind(ISSUER, subject, subject).await.unwrap();
    }
    // Mallory's row is given Alice's account.
    let store = gateway.vault.store();
    let mallory = PersonId::of(ISSUER, "mallory");
    let mut row = (*store
        .get(Table::Binding, mallory.as_str())
        .await
        .unwrap()
        .unwrap())
    .clone();
    let vault = &gateway.vault;
    assert!(vault.unbind(ISSUER, "mallory").await.unwrap());
    let alice = PersonId::of(ISSUER, "alice");
    let of_alice = store
        .get(Table::Binding, alice.as_str())
        .await
        .unwrap()
        .unwrap();
    assert!(vault.unbind(ISSUER, "alice").await.unwrap());
    row.owner = "alice".into();
    let forged = vec![Change::put(Table::Binding, row)];
    store.commit("forge a binding", forged).await.unwrap();
    for (method, path) in [("GET", APPS), ("GET", STATUS), ("POST", FLOW)] {
        let answer = gateway.call("mallory", method, path).await;
        answer.assert_error(500, "Internal error");
        assert!(!answer.body.contains("alice"), "{answer:?}");
    }
    assert_eq!(nextcloud.seen().len(), 0);
    assert!(vault.unbind(ISSUER, "mallory").await.unwrap());
    let own = vec![Change::put(Table::Binding, (*of_alice).clone())];
    store.commit("bind alice", own).await.unwrap();
    assert_eq!(gateway.call("alice", "GET", APPS).await.status, 200);
}

#[test]
fn api_2_7_the_first_granted_flow_binds_and_writes_one_audit_line() {
    own_process::run_async(
        "bound::api_2_7_the_first_granted_flow_binds_and_writes_one_audit_line",
        binds(),
    );
}

async fn binds() {
    let log = Log::default();
    tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_max_level(tracing::Level::TRACE)
        .with_writer(log.clone())
        .init();
    let nextcloud = server().await;
    let gateway = Bound::start(&nextcloud, Binding::LoginFlow).await;
    // 428 says what to do; only the login flow is served.
    for path in [APPS, STATUS, "/nowhere"] {
        let answer = gateway.call("f3a1", "GET", path).await;
        let message = answer.assert_error(428, "Provisioning required");
        assert!(message.contains("login flow"), "{message}");
    }
    let flow = gateway.flow("f3a1~Ana_Maria").await;
    let started = &nextcloud.seen()[0];
    assert_eq!(started.target, "/index.php/login/v2");
    assert_eq!(
        started.headers["user-agent"],
        "Portreeve for Ana Maria (f3a1)"
    );
    assert!(!started.headers.contains_key("authorization"));
    for _ in 0..2 {
        let polled = gateway.call("f3a1", "GET", &flow).await;
        assert_eq!(polled.json(), json!({"status": "pending"}));
    }
    // Nobody else can poll it.
    gateway
        .call("b5d2", "GET", &flow)
        .await
        .assert_error(404, "Not found");
    gateway
        .call("alice=", "GET", &flow)
        .await
        .assert_error(404, "Not found");
    nextcloud.answer_once(GRANT);
    for _ in 0..3 {
        let polled = gateway.call("f3a1", "GET", &flow).await;
        assert_eq!(polled.json(), json!({"status": "granted"}));
    }
    assert_eq!(gateway.account("f3a1").await.as_deref(), Some("alice"));
    assert_eq!(
        gateway.stored("alice").await.as_deref(),
        Some(ALICES_PASSWORD)
    );
    assert_eq!(gateway.call("f3a1", "GET", APPS).await.status, 200);
    let status = gateway.call("f3a1", "GET", STATUS).await.json();
    assert_eq!(status["has_background_access"], true);
    assert!(destroyed(&nextcloud).is_empty());

    let logged = log.text();
    let audit: Vec<Value> = logged
        .lines()
        .filter(|line| line.contains("portreeve::audit"))
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|line: &Value| line["target"] == "portreeve::audit" && line["subject"].is_string())
        .collect();
    assert_eq!(audit.len(), 1, "{audit:#?}");
    assert_eq!(audit[0]["issuer"], ISSUER);
    assert_eq!(audit[0]["subject"], "f3a1");
    assert_eq!(audit[0]["user"], "alice");
    assert_eq!(audit[0]["request_id"], "of-GET");
    assert!(audit[0]["message"].as_str().unwrap().starts_with("audit: "));
    for secret in [ALICES_PASSWORD, "FAKEpolltoken", "FAKElogintoken"] {
        assert!(!logged.contains(secret), "{secret}");
    }
}

#[tokio::test]
async fn api_2_7_a_grant_never_moves_a_bound_person_to_another_account() {
    let nextcloud = server().await;
    let gateway = Bound::start(&nextcloud, Binding::LoginFlow).await;
    // Started before the person is bound, and granted by another account afterwards.
    let early = gateway.flow("f3a1").await;
    let first = gateway.flow("f3a1").await;
    nextcloud.answer_once(GRANT);
    let polled = gateway.call("f3a1", "GET", &first).await;
    assert_eq!(polled.json(), json!({"status": "granted"}));
    // Started when the person is bound.
    let late = gateway.flow("f3a1~Mallory").await;
    let agent = &nextcloud.seen().last().unwrap().headers["user-agent"].clone();
    assert!(
        agent.to_str().unwrap().starts_with("portreeve/"),
        "{agent:?}"
    );
    for (flow, count) in [(&early, 1), (&late, 2)] {
        nextcloud.allow("carol", "carol", CAROLS_PASSWORD);
        carol_grants(&nextcloud);
        for _ in 0..2 {
            let answer = gateway.call("f3a1", "GET", flow).await;
            answer.assert_error(403, "Forbidden");
        }
        nextcloud.answer("login-flow-v2-poll-after-pickup");
        assert_eq!(destroyed(&nextcloud), vec![bearer(CAROLS_PASSWORD); count]);
    }
    assert_eq!(gateway.account("f3a1").await.as_deref(), Some("alice"));
    assert_eq!(
        gateway.stored("alice").await.as_deref(),
        Some(ALICES_PASSWORD)
    );
    assert_eq!(gateway.stored("carol").await, None);
    assert_eq!(gateway.call("f3a1", "GET", APPS).await.status, 200);

    // Another grant of the same account is accepted.
    let again = gateway.flow("f3a1").await;
    nextcloud.answer_once(GRANT);
    let polled = gateway.call("f3a1", "GET", &again).await;
    assert_eq!(polled.json(), json!({"status": "granted"}));
}

#[tokio::test]
async fn api_2_7_an_account_of_another_person_is_refused_and_its_password_destroyed() {
    let nextcloud = server().await;
    let gateway = Bound::start(&nextcloud, Binding::LoginFlow).await;
    let password = AppPassword::new(PASSWORD).unwrap();
    gateway
        .vault
        .put("alice", "alice", &password)
        .await
        .unwrap();
    gateway.vault.bind(ISSUER, "alice", "alice").await.unwrap();
    // Mallory's token, Alice's grant.
    let flow = gateway.flow("mallory").await;
    nextcloud.answer_once(GRANT);
    let calls = async || {
        let answer = gateway.call("mallory", "GET", &flow).await;
        answer.assert_error(403, "Forbidden")
    };
    let message = calls().await;
    assert!(!message.contains("alice"), "{message}");
    let seen = nextcloud.seen().len();
    assert_eq!(calls().await, message);
    assert_eq!(
        nextcloud.seen().len(),
        seen,
        "the server is not asked again"
    );
    assert_eq!(destroyed(&nextcloud), [bearer(ALICES_PASSWORD)]);
    assert_eq!(gateway.account("mallory").await, None);
    assert_eq!(gateway.stored("alice").await.unwrap(), PASSWORD);
    gateway
        .call("mallory", "GET", APPS)
        .await
        .assert_error(428, "Provisioning required");
}

#[tokio::test(flavor = "multi_thread")]
async fn api_2_7_only_one_of_several_people_who_poll_at_once_gets_the_account() {
    let nextcloud = server().await;
    let gateway = Bound::start(&nextcloud, Binding::LoginFlow).await;
    let people = ["a1", "b2", "c3", "d4", "e5", "f6"];
    let mut flows = Vec::new();
    for person in people {
        flows.push((person, gateway.flow(person).await));
    }
    let body = json!({"server": "x", "loginName": "alice", "appPassword": ALICES_PASSWORD});
    nextcloud.answer_with(GRANT, 200, body.to_string());
    // All flows are granted the same password here, so the server must not destroy it.
    nextcloud.answer_with(
        "apppassword-delete",
        200,
        r#"{"ocs":{"meta":{"status":"ok","statuscode":200,"message":"OK"},"data":[]}}"#,
    );
    let polls = flows
        .iter()
        .flat_map(|(person, flow)| (0..3).map(|_| gateway.call(person, "GET", flow)));
    let answers = join_all(polls).await;
    let granted: Vec<_> = answers
        .chunks(3)
        .map(|of_one| {
            let statuses: Vec<_> = of_one.iter().map(|answer| answer.status).collect();
            assert!(
                statuses.windows(2).all(|pair| pair[0] == pair[1]),
                "{of_one:?}"
            );
            assert!([200, 403, 422].contains(&statuses[0]), "{of_one:?}");
            statuses[0] == 200
        })
        .collect();
    assert_eq!(granted.iter().filter(|it| **it).count(), 1, "{answers:?}");
    for (person, granted) in people.iter().zip(granted) {
        let account = gateway.account(person).await;
        assert_eq!(account.as_deref(), granted.then_some("alice"), "{person}");
    }
}

#[tokio::test]
async fn api_2_7_a_failure_between_grant_and_binding_leaves_no_partial_state() {
    let nextcloud = server().await;
    let gateway = Bound::start(&nextcloud, Binding::LoginFlow).await;
    let flow = gateway.flow("f3a1").await;
    nextcloud.answer_once(GRANT);
    for status in [503, 500, 429] {
        nextcloud.answer_with("user-alice", status, "nonsense");
        let answer = gateway.call("f3a1", "GET", &flow).await;
        answer.assert_error(500, "Internal error");
        assert_eq!(gateway.account("f3a1").await, None);
        assert_eq!(gateway.stored("alice").await, None);
    }
    // The header and the body of the answer name different accounts.
    let body = Recording::load("user-carol").response.body.unwrap();
    nextcloud.answer_with("user-alice", 200, body);
    gateway
        .call("f3a1", "GET", &flow)
        .await
        .assert_error(500, "Internal error");
    assert_eq!(gateway.account("f3a1").await, None);
    nextcloud.answer("user-alice");
    // Another gateway continues where this one stopped.
    let second = Bound::on(gateway.vault.clone(), &nextcloud, Binding::LoginFlow).await;
    drop(gateway);
    let polled = second.call("f3a1", "GET", &flow).await;
    assert_eq!(polled.json(), json!({"status": "granted"}));
    assert_eq!(second.account("f3a1").await.as_deref(), Some("alice"));
    assert_eq!(
        second.stored("alice").await.as_deref(),
        Some(ALICES_PASSWORD)
    );
    assert!(destroyed(&nextcloud).is_empty());
}

#[tokio::test]
async fn api_2_7_a_granted_password_that_is_refused_binds_nobody() {
    let nextcloud = server().await;
    nextcloud.accounts([]);
    let gateway = Bound::start(&nextcloud, Binding::LoginFlow).await;
    let flow = gateway.flow("f3a1").await;
    nextcloud.answer_once(GRANT);
    for _ in 0..3 {
        let answer = gateway.call("f3a1", "GET", &flow).await;
        answer.assert_error(422, "Rejected credential");
    }
    assert_eq!(nextcloud.failed_logins(), 1);
    assert_eq!(gateway.account("f3a1").await, None);
}

#[tokio::test]
async fn api_2_7_the_in_flight_limit_applies_to_a_person_without_an_account() {
    let nextcloud = server().await;
    nextcloud.delay(std::time::Duration::from_millis(500));
    let gateway = Bound::start(&nextcloud, Binding::LoginFlow).await;
    let calls = (0..12).map(|_| gateway.call("mallory", "POST", FLOW));
    let answers = join_all(calls).await;
    let refused = answers.iter().filter(|answer| answer.status == 429).count();
    assert_eq!(refused, 4, "{answers:?}");
    assert!(
        answers
            .iter()
            .all(|answer| [200, 429].contains(&answer.status))
    );
}

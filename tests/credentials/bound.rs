//! Persons bound to accounts (docs/API.md, section 2.7): what an embedder's layer sees, and rows that cannot be decrypted.
//! How persons are bound is in `transcripts/bound.txt`.

use bytes::Bytes;
use http::Request;
use http::request::Parts;
use http_body_util::{BodyExt as _, Empty};
use portreeve::gateway::layer::account::Authenticated;
use portreeve::gateway::{AccountPolicy, BindingPolicy, Gateway, Settings};
use portreeve::groupware::Groupware;
use portreeve::identity::{BearerToken, Caller, Person, TokenVerifier, VerifyError};
use portreeve::vault::{AppPassword, Change, Keyring, MemoryStore, PersonId, Table, Vault};
use tower::ServiceExt as _;
use tower::util::MapRequestLayer;

use crate::support::gateway::PASSWORD;
use crate::support::nextcloud::Nextcloud;

const ISSUER: &str = "https://id.example.org";
const FLOW: &str = "/api/v1/background-sync/login-flow";
const STATUS: &str = "/api/v1/background-sync/status";
const APPS: &str = "/api/v1/apps";

/// A token is the subject of a person, or `account=` for a caller who names an account.
struct People;

impl TokenVerifier for People {
    async fn verify(&self, token: &BearerToken, _: &Parts) -> Result<Caller, VerifyError> {
        let token = token.expose();
        if let Some(account) = token.strip_suffix('=') {
            return Ok(Caller::new(account));
        }
        let mut person = Person::new(ISSUER, token);
        person.subject = Some(token.into());
        Ok(Caller::of_person(person))
    }
}

/// A gateway where accounts are bound by login flows.
fn gateway(nextcloud: &Nextcloud) -> (Gateway<People>, Vault) {
    let vault = Vault::new(Keyring::generate().unwrap(), MemoryStore::new());
    let url = nextcloud.url().parse().unwrap();
    let mut settings = Settings::default();
    settings.account = AccountPolicy::Bound(BindingPolicy::LoginFlow);
    let gateway = Gateway::new(People, vault.clone())
        .settings(settings)
        .groupware(Groupware::new(url, Default::default()).unwrap());
    (gateway, vault)
}

fn request(method: &str, path: &str, token: &str) -> Request<Empty<Bytes>> {
    let request = Request::builder().method(method).uri(path);
    let request = request.header("authorization", format!("Bearer {token}"));
    request.body(Empty::new()).unwrap()
}

#[tokio::test]
async fn a_layer_of_your_own_sees_persons_without_an_account_only_in_their_login_flows() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("login-flow-v2-init");
    let (sender, mut seen) = tokio::sync::mpsc::unbounded_channel();
    let (gateway, _) = gateway(&nextcloud);
    let service = gateway
        .layer(MapRequestLayer::new(move |request: Authenticated<_>| {
            let user = request.principal().user();
            let user = user.map(|user| user.user_id().to_owned());
            sender.send((user, request.principal().key().to_owned())).unwrap();
            request
        }))
        .into_service()
        .unwrap();
    for (method, path, token, status) in [
        ("POST", FLOW, "mallory", 200),
        ("GET", APPS, "mallory", 428),
        ("GET", FLOW, "mallory", 428),
        ("GET", STATUS, "alice=", 200),
    ] {
        let answer = service.clone().oneshot(request(method, path, token));
        let answer = answer.await.unwrap();
        assert_eq!(answer.status(), status, "{method} {path} {token}");
    }
    let mallory = PersonId::new(ISSUER, "mallory");
    assert_eq!(seen.recv().await.unwrap(), (None, mallory.as_owner().to_owned()));
    let alice = "alice".to_owned();
    assert_eq!(seen.recv().await.unwrap(), (Some(alice.clone()), alice));
    assert!(seen.try_recv().is_err());
}

#[tokio::test]
async fn api_1_1_the_id_of_a_persons_login_flow_is_percent_decoded_once() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("login-flow-v2-init");
    nextcloud.answer("login-flow-v2-poll-after-pickup");
    let service = gateway(&nextcloud).0.into_service().unwrap();
    let begun = service.clone().oneshot(request("POST", FLOW, "mallory")).await.unwrap();
    let begun = begun.into_body().collect().await.unwrap().to_bytes();
    let begun: serde_json::Value = serde_json::from_slice(&begun).unwrap();
    let id = begun["flow_id"].as_str().unwrap();
    let encoded: String = id.bytes().map(|byte| format!("%{byte:02x}")).collect();
    for (id, status) in [(id, 200), (&encoded, 200), (&encoded.replace('%', "%25"), 404)] {
        let poll = request("GET", &format!("{FLOW}/{id}"), "mallory");
        let answer = service.clone().oneshot(poll).await.unwrap();
        assert_eq!(answer.status(), status, "{id}");
    }
}

#[tokio::test]
async fn api_2_7_a_row_that_cannot_be_decrypted_is_500_for_its_person_only() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("capabilities-user-app-password");
    nextcloud.accounts([("alice", "alice", PASSWORD)]);
    let (gateway, vault) = gateway(&nextcloud);
    let service = gateway.into_service().unwrap();
    let password = AppPassword::new(PASSWORD).unwrap();
    vault.put("alice", "alice", &password).await.unwrap();
    for subject in ["alice", "mallory"] {
        vault.bind(ISSUER, subject, subject).await.unwrap();
    }
    // Mallory's row is given Alice's account.
    let store = vault.store();
    let mallory = PersonId::new(ISSUER, "mallory");
    let mut row = (*store.get(Table::Binding, mallory.as_str()).await.unwrap().unwrap()).clone();
    assert!(vault.unbind(ISSUER, "mallory").await.unwrap());
    let alice = PersonId::new(ISSUER, "alice");
    let of_alice = store.get(Table::Binding, alice.as_str()).await.unwrap().unwrap();
    assert!(vault.unbind(ISSUER, "alice").await.unwrap());
    row.owner = "alice".into();
    let forged = vec![Change::put(Table::Binding, row)];
    store.commit("forge a binding", forged).await.unwrap();
    for (method, path) in [("GET", APPS), ("GET", STATUS), ("POST", FLOW)] {
        let answer = service.clone().oneshot(request(method, path, "mallory"));
        let answer = answer.await.unwrap();
        assert_eq!(answer.status(), 500);
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        assert!(!String::from_utf8_lossy(&body).contains("alice"), "{body:?}");
    }
    assert_eq!(nextcloud.seen().len(), 0);
    assert!(vault.unbind(ISSUER, "mallory").await.unwrap());
    let own = vec![Change::put(Table::Binding, (*of_alice).clone())];
    store.commit("bind alice", own).await.unwrap();
    let answer = service.oneshot(request("GET", APPS, "alice")).await;
    assert_eq!(answer.unwrap().status(), 200);
}

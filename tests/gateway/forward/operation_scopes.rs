//! The scopes of the gateway's own operations (docs/API.md, section 13.5).

use portreeve::gateway::{Endpoint, Settings};

use super::recorder::Recorder;
use super::{call, start_for};
use crate::support::gateway::TestGateway;

/// Requests, and the scope that each needs.
const OPERATIONS: &[(&str, &str)] = &[
    ("GET /api/v1/apps", "apps.read"),
    ("GET /api/v1/webhooks", "webhooks.read"),
    ("POST /api/v1/webhooks", "webhooks.write"),
    ("DELETE /api/v1/webhooks/7", "webhooks.write"),
    ("GET /api/v1/webhook-presets", "webhooks.read"),
    ("GET /api/v1/webhook-presets/tags", "webhooks.read"),
    ("PUT /api/v1/webhook-presets/tags", "webhooks.write"),
    ("DELETE /api/v1/webhook-presets/tags?uri=https://a.example/", "webhooks.write"),
    ("GET /api/v1/events", "webhooks.read"),
    ("POST /api/v1/events/match", "webhooks.read"),
    ("POST /api/v1/background-sync/credentials", "credentials.write"),
    ("GET /api/v1/background-sync/credentials/bob", "credentials.read"),
    ("GET /api/v1/background-sync/credentials/bob?reveal=true", "credentials.read"),
    ("GET /api/v1/background-sync/status", "credentials.read"),
    ("POST /api/v1/background-sync/login-flow", "credentials.write"),
    ("GET /api/v1/background-sync/login-flow/abc", "credentials.write"),
    ("GET /api/v1/me", "credentials.read"),
    ("GET /api/v1/users", "credentials.read"),
    ("GET /api/v1/users/alice/session", "credentials.read"),
    ("POST /api/v1/users/alice/revoke", "credentials.write"),
    ("DELETE /api/v1/users/bob", "credentials.write"),
    ("DELETE /api/v1/background-sync/credentials", "credentials.write"),
    ("DELETE /api/v1/background-sync/credentials?revoke=true", "credentials.write"),
];

/// Those of deliveries.
const DELIVERIES: &[(&str, &str)] = &[
    ("GET /api/v1/deliveries/targets", "deliveries.read"),
    ("POST /api/v1/deliveries/targets", "deliveries.write"),
    ("GET /api/v1/deliveries/targets/abc", "deliveries.read"),
    ("PATCH /api/v1/deliveries/targets/abc", "deliveries.write"),
    ("DELETE /api/v1/deliveries/targets/abc", "deliveries.write"),
    ("POST /api/v1/deliveries/targets/abc/secret", "deliveries.write"),
    ("POST /api/v1/deliveries/targets/abc/test", "deliveries.write"),
    ("GET /api/v1/deliveries/targets/abc/deliveries", "deliveries.read"),
    ("POST /api/v1/deliveries/targets/abc/replay", "deliveries.write"),
    ("POST /api/v1/deliveries/abc/retry", "deliveries.write"),
    ("GET /api/v1/deliveries/events", "deliveries.read"),
];

/// Those that need no token, or only who it is of.
const WITHOUT: &[&str] = &[
    "GET /api/v1/status",
    "GET /api/v1/vector-sync/status",
    "POST /api/v1/vector-viz/search",
    "POST /api/v1/users/alice/app-password",
    "GET /api/v1/users/alice/access",
    "PATCH /api/v1/users/alice/scopes",
    "GET /api/v1/scopes",
    "GET /.well-known/oauth-protected-resource",
    "GET /ui/",
    "GET /healthz",
    "GET /readyz",
    "GET /nothing",
    "PATCH /api/v1/apps",
];

const SCOPES: [&str; 8] = [
    "apps.read",
    "apps.write",
    "webhooks.read",
    "webhooks.write",
    "credentials.read",
    "credentials.write",
    "deliveries.read",
    "deliveries.write",
];

/// One token for each scope, one without, one with all; of an administrator, too.
fn tokens() -> Vec<(String, String, Vec<String>)> {
    let token = |name: &str, scopes: &[&str]| {
        let scopes = scopes.iter().map(|it| (*it).to_owned()).collect();
        (name.to_owned(), "alice".to_owned(), scopes)
    };
    let each = SCOPES.iter().map(|scope| token(scope, &[*scope]));
    let mut tokens: Vec<_> = each.collect();
    tokens.push(token("none", &[]));
    tokens.push(token("all", &SCOPES));
    tokens.push(token("prefixed", &SCOPES.map(|it| &*format!("https://host/{it}").leak())));
    tokens.push(token("administrator", &["administrator"]));
    tokens
}

fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.operation_scopes = true;
    settings.scope_prefix = Some("https://host/".into());
    settings.administrators.scope = Some("administrator".into());
    settings.public_url = Some("https://gate.example".parse().unwrap());
    settings
}

/// Asks with a token; the scope that it lacks, as the answer says.
async fn lacks(gateway: &TestGateway, token: &str, what: &str) -> Option<String> {
    let token = gateway.token(token);
    // Each answer is compared with the API description.
    let head = format!("{what} HTTP/1.1\r\nAuthorization: Bearer {token}\r\n");
    let answer = gateway.send(&head, "").await;
    let challenge = answer.header("www-authenticate").unwrap_or_default();
    let scope = challenge.strip_prefix("Bearer error=\"insufficient_scope\", scope=\"")?;
    // As the provider calls it.
    let scope = scope.split('"').next().unwrap().strip_prefix("https://host/").unwrap();
    let message = answer.assert_error(403, "Forbidden");
    assert!(message.contains(scope), "{what}: {message}");
    Some(scope.to_owned())
}

async fn assert_needed(gateway: &TestGateway, operations: &[(&str, &str)]) {
    for &(what, scope) in operations {
        for token in SCOPES.into_iter().chain(["none", "all", "prefixed", "administrator"]) {
            let has_it = token == scope || matches!(token, "all" | "prefixed");
            let lacking = lacks(gateway, token, what).await;
            assert_eq!(lacking.as_deref(), (!has_it).then_some(scope), "{token}: {what}");
        }
    }
}

#[tokio::test]
async fn api_13_5_operations_need_their_scopes() {
    let recorder = Recorder::start().await;
    let gateway = start_for(&recorder.url, &tokens(), settings()).await;
    assert_needed(&gateway, OPERATIONS).await;
    for what in WITHOUT {
        assert_eq!(lacks(&gateway, "none", what).await, None, "{what}");
    }
    let mut named = OPERATIONS.iter().chain(DELIVERIES).map(|(what, _)| *what);
    let known: Vec<_> = named.by_ref().chain(WITHOUT.iter().copied()).collect();
    for &endpoint in Endpoint::ALL {
        let is_at = |what: &&&str| {
            let target = what.split(' ').nth(1).unwrap();
            Endpoint::at(target.split('?').next().unwrap()) == endpoint
        };
        let receives =
            endpoint.as_str().contains("nextcloud") || endpoint.as_str().ends_with("callback");
        let is_tested = known.iter().any(|what| is_at(&what));
        assert!(is_tested || receives || endpoint.is_forwarded(), "{endpoint:?} is not tested");
    }
}

#[tokio::test]
async fn api_13_5_nothing_happens_without_the_scope() {
    let recorder = Recorder::start().await;
    let gateway = start_for(&recorder.url, &tokens(), settings()).await;
    for &(what, _) in OPERATIONS {
        assert!(lacks(&gateway, "none", what).await.is_some(), "{what}");
    }
    recorder.assert_nothing_arrived("operations without scopes");
    assert!(gateway.vault.metadata("alice").await.unwrap().is_some());
    assert!(gateway.vault.metadata("bob").await.unwrap().is_some());
}

#[tokio::test]
async fn api_13_5_an_administrator_needs_both_scopes() {
    let recorder = Recorder::start().await;
    let mut tokens = tokens();
    let both = ["administrator", "credentials.read"].map(str::to_owned).to_vec();
    tokens.push(("both".into(), "alice".into(), both));
    let gateway = start_for(&recorder.url, &tokens, settings()).await;
    let what = "GET /api/v1/background-sync/credentials/bob";
    for (token, status, scope) in [
        ("both", 200, None),
        ("administrator", 403, Some("credentials.read")),
        ("credentials.read", 403, None),
    ] {
        assert_eq!(lacks(&gateway, token, what).await.as_deref(), scope, "{token}");
        assert_eq!(call(&gateway, token, what, "", "").await.status, status, "{token}");
    }
}

#[tokio::test]
async fn api_13_5_without_the_setting_no_operation_needs_a_scope() {
    let recorder = Recorder::start().await;
    let mut settings = settings();
    settings.operation_scopes = false;
    let gateway = start_for(&recorder.url, &tokens(), settings).await;
    for &(what, _) in OPERATIONS {
        assert_eq!(lacks(&gateway, "none", what).await, None, "{what}");
    }
}

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn api_13_5_deliveries_need_their_scopes() {
    use portreeve::deliveries::{Deliveries, Limits, Networks, Queue, Worker};
    use portreeve::groupware::DeliveryAuth;
    use portreeve::vault::{Keyring, SqliteStore, Vault};

    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(dir.path().join("db")).await.unwrap();
    let queue = Queue::in_sqlite(&store);
    let vault = Vault::new(Keyring::generate().unwrap(), store);
    let deliveries = Deliveries::new(vault, queue, Limits::default());
    let worker = Worker::new(deliveries, Networks::default());
    let mut settings = settings();
    settings.delivery = Some(DeliveryAuth::derived("a secret".into()).unwrap());
    let bounds = portreeve::server::Bounds::default();
    let gateway = TestGateway::for_users(bounds, &tokens(), |gateway| {
        gateway.settings(settings).deliveries(worker)
    })
    .await;
    assert_needed(&gateway, DELIVERIES).await;
}

//! Recorded answers of a real server to the calls of the endpoints, replayed through the whole stack
//! (docs/API.md, section 6; docs/ARCHITECTURE.md, "Whose answer proves a login").

use portreeve::gateway::OPENAPI;
use portreeve::vault::AppPassword;
use serde_json::Value;

use crate::support::gateway::{PASSWORD, TestGateway};
use crate::support::nextcloud::{Nextcloud, Recording, Release, Seen};

const CREATE: &str =
    r#"{"event":"OCP\\Files\\Events\\Node\\NodeCreatedEvent","uri":"http://127.0.0.1:8190/hook"}"#;

/// Calls the endpoint that makes the recorded call; returns the status, and the message of an
/// error or the body of a success.
async fn replay(nextcloud: &Nextcloud, gateway: &TestGateway, name: &str) -> (u16, String) {
    replayed(None, nextcloud, gateway, name).await
}

/// As [`replay`], as `user` instead of the account that the answer was recorded for.
async fn replay_as(
    user: &str,
    nextcloud: &Nextcloud,
    gateway: &TestGateway,
    name: &str,
) -> (u16, String) {
    replayed(Some(user), nextcloud, gateway, name).await
}

async fn replayed(
    user: Option<&str>,
    nextcloud: &Nextcloud,
    gateway: &TestGateway,
    name: &str,
) -> (u16, String) {
    nextcloud.answer(name);
    let Recording { request, response } = nextcloud.recording(name);
    let mut headers = response.headers.iter();
    let named = headers.find(|(name, _)| name == "X-User-Id");
    let user = user.unwrap_or(named.map_or("admin", |(_, id)| id));
    // A password that was refused is not tried again.
    let password = AppPassword::new(PASSWORD).unwrap();
    gateway.vault.put(user, user, &password).await.unwrap();
    let id = request.path.rsplit('/').next().unwrap();
    let (path, body) = match (request.method.as_str(), request.path.ends_with("capabilities")) {
        ("GET", true) => ("/api/v1/apps".to_owned(), ""),
        ("GET", false) => ("/api/v1/webhooks".to_owned(), ""),
        ("POST", _) => ("/api/v1/webhooks".to_owned(), CREATE),
        ("DELETE", _) => (format!("/api/v1/webhooks/{id}"), ""),
        _ => panic!("no endpoint makes this call: {name}"),
    };
    let before = nextcloud.seen().len();
    let answer = gateway.call(user, &request.method, &path, body).await;
    let seen = nextcloud.seen().split_off(before);
    let asks_for_account = |seen: &&Seen| seen.target.contains("/cloud/user");
    let asked = seen.iter().filter(asks_for_account).count();
    let names_nobody = answer.status == 200 && named.is_none();
    assert_eq!(asked, usize::from(names_nobody), "{name}: whose answer it is");
    // A login that the server throttled or refused is repeated with a bearer token.
    let is_throttled = name.starts_with("throttle-");
    let is_refused = answer.body.contains("did not accept the stored app password");
    let calls = 1 + usize::from(is_throttled || is_refused);
    assert_eq!(seen.len(), asked + calls, "{name}: exactly one call");
    match answer.status {
        200 => (200, answer.body),
        status => {
            let error = if status == 404 { "Not found" } else { "Internal error" };
            (status, answer.assert_error(status, error))
        }
    }
}

#[tokio::test]
async fn api_6_2_recorded_refusals_are_500_with_one_sentence_per_cause() {
    for version in Release::ALL {
        recorded_refusals(version).await;
    }
}

async fn recorded_refusals(version: Release) {
    let nextcloud = Nextcloud::of(version).await;
    // Missing parameters and invalid JSON are 500 in the older version and an empty 400 in the newer one.
    let (failed, parameters) = match version {
        Release::V32 => (&["webhooks-create-malformed-json"][..], &[][..]),
        Release::V34 => (
            &[][..],
            &[
                "webhooks-create-malformed-json",
                "webhooks-create-missing-event",
                "webhooks-create-filter-malformed-string",
            ][..],
        ),
    };
    for (names, part) in [
        (
            &[
                "webhooks-list-wrong-password",
                "webhooks-list-anonymous",
                "capabilities-wrong-password",
                "capabilities-disabled-account",
                "capabilities-app-password-revoked",
                "webhooks-create-minimal-anonymous",
                "webhooks-delete-missing-anonymous",
            ][..],
            "did not accept",
        ),
        (
            &[
                "webhooks-list-user",
                "webhooks-list-delegated-before",
                "webhooks-list-admin-address-not-allowed",
                "webhooks-list-delegated-address-not-allowed",
                "webhooks-create-minimal-user",
                "webhooks-create-minimal-delegated-before",
                "webhooks-delete-user",
                "webhooks-delete-missing-user",
            ],
            "may not manage webhooks",
        ),
        (&["webhooks-list-app-disabled-admin", "webhooks-list-app-disabled-user"], "switched off"),
        (
            &[
                "webhooks-create-event-unknown-class",
                "webhooks-create-event-not-compatible",
                "webhooks-create-event-case",
            ],
            "event class",
        ),
        (
            &["throttle-webhooks-list-admin", "throttle-capabilities-valid-app-password"],
            "throttling",
        ),
        (
            &[
                "maintenance-webhooks-list",
                "maintenance-webhooks-create",
                "maintenance-capabilities",
                "maintenance-capabilities-wrong-password",
            ],
            "maintenance",
        ),
        (
            &["webhooks-create-xml-answer", "capabilities-accept-any-without-format"],
            "could not be read",
        ),
        (
            &["webhooks-list-no-ocs-header-admin", "webhooks-delete-no-ocs-header"],
            "did not carry out",
        ),
        (&["webhooks-list-app-just-disabled-admin"], "internal error"),
        (failed, "internal error"),
        (parameters, "did not accept the parameters"),
    ] {
        for name in names {
            // A new gateway each, since a user has two refused logins at most.
            let gateway = TestGateway::before(nextcloud.url()).await;
            let (status, message) = replay(&nextcloud, &gateway, name).await;
            assert_eq!(status, 500, "{version:?} {name}");
            assert!(message.contains(part), "{version:?} {name}: {message}");
            let recorded = nextcloud.recording(name).response.body.unwrap_or_default();
            assert!(!recorded.contains(&message), "{name}: the text of the server");
        }
    }
}

#[tokio::test]
async fn api_4_recorded_successes_are_passed_on() {
    for version in Release::ALL {
        recorded_successes(version).await;
    }
}

async fn recorded_successes(version: Release) {
    let nextcloud = Nextcloud::of(version).await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    for name in [
        "webhooks-list-admin",
        "webhooks-list-empty-admin",
        "webhooks-list-delegated",
        "webhooks-create-minimal-admin",
        "webhooks-create-auth-header",
        "webhooks-create-event-filter",
        "webhooks-create-token-needed",
        "webhooks-create-everything",
        "webhooks-create-minimal-delegated",
        "webhooks-create-minimal-limited-app-password",
        "webhooks-create-leading-backslash-event",
        "webhooks-delete-admin",
        "webhooks-delete-delegated-foreign",
    ] {
        let (status, body) = replay(&nextcloud, &gateway, name).await;
        assert_eq!(status, 200, "{version:?} {name}: {body}");
        // Passed on to the last byte, whatever members a version adds.
        if let Some(records) = body.strip_prefix(r#"{"webhook"#) {
            let recorded = nextcloud.recording(name).response.body.unwrap();
            let records = records.split_once(':').unwrap().1;
            // Webhooks without a bounding filter come with warnings.
            let records = match records.split_once(r#","warnings":["#) {
                Some((records, _)) => records,
                None => records.strip_suffix('}').unwrap(),
            };
            assert!(
                recorded.ends_with(&format!(r#""data":{records}}}}}"#)),
                "{version:?} {name}: {body}"
            );
            let is_new = version.has(name) && name != "webhooks-list-empty-admin";
            let has_member = body.contains(r#""tokenNeeded":"#);
            assert!(has_member || !is_new || version == Release::V32, "{name}");
        }
    }
    for name in ["webhooks-delete-again-admin", "webhooks-delete-missing-admin"] {
        assert_eq!(replay(&nextcloud, &gateway, name).await.0, 404, "{name}");
    }
}

#[tokio::test]
async fn a_200_for_another_account_is_500() {
    for version in Release::ALL {
        answers_for_others(version).await;
    }
}

async fn answers_for_others(version: Release) {
    let nextcloud = Nextcloud::of(version).await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    // Answers that were recorded for another account.
    for name in [
        "capabilities-user-app-password",
        "webhooks-list-delegated",
        "webhooks-create-minimal-delegated",
        "webhooks-delete-delegated-foreign",
        "webhooks-list-user",
    ] {
        let (status, message) = replay_as("admin", &nextcloud, &gateway, name).await;
        assert_eq!(status, 500, "{name}");
        assert!(message.contains("another account"), "{name}: {message}");
    }
    // The route is public: an anonymous answer is passed on.
    let (status, body) = replay(&nextcloud, &gateway, "capabilities-anonymous").await;
    assert_eq!((status, body.as_str()), (200, r#"{"apps":["app_api","bruteforce","theming"]}"#));
}

#[tokio::test]
async fn api_3_the_printed_examples_are_a_recorded_answer() {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    let (status, body) = replay(&nextcloud, &gateway, "capabilities-user-app-password").await;
    assert_eq!(status, 200);
    let recorded: Value = serde_json::from_str(&body).unwrap();
    let page = include_str!("../../docs/API.md");
    let (_, section) = page.split_once("\n## 3 Apps\n").unwrap();
    let example = section.split("```json").nth(1).unwrap();
    let (example, _) = example.split_once("```").unwrap();
    assert_eq!(serde_json::from_str::<Value>(example).unwrap(), recorded);
    let description: Value = serde_json::from_str(OPENAPI).unwrap();
    let answer = &description["paths"]["/api/v1/apps"]["get"]["responses"]["200"];
    assert_eq!(answer["content"]["application/json"]["example"], recorded);
}

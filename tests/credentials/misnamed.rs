//! App passwords that only one way of logging in takes: HTTP Basic refuses those stored under another login name than
//! they were made under (docs/API.md, section 5.6).

use std::time::Duration;

use futures_util::future::join_all;
use portreeve::gateway::{BearerLogins, LoginPolicy};
use portreeve::vault::AppPassword;
use serde_json::json;

use crate::support::gateway::TestGateway;
use crate::support::nextcloud::Nextcloud;
use crate::users::{
    APPS, CREDENTIALS, OTHER, STATUS, User, WEBHOOKS, call, count, revoke, store, with_users,
};

/// A user whose stored password was made under an e-mail address, and stored without it.
async fn with_misnamed(policy: LoginPolicy) -> (Nextcloud, TestGateway, Vec<User>) {
    let (nextcloud, gateway, users) = with_users(8, policy).await;
    let user = &users[0];
    nextcloud.allow(&user.name, "user1@example.org", OTHER);
    let password = AppPassword::new(OTHER).unwrap();
    let stored = gateway.vault.put(&user.name, &user.name, &password);
    stored.await.unwrap();
    (nextcloud, gateway, users)
}

#[tokio::test(flavor = "multi_thread")]
async fn api_5_6_a_wrong_login_name_costs_one_permit_and_no_call() {
    let (nextcloud, gateway, users) = with_misnamed(LoginPolicy::default()).await;
    let user = &users[0];
    nextcloud.delay(Duration::from_millis(20));
    let at_once = [APPS, WEBHOOKS]
        .iter()
        .cycle()
        .take(12)
        .map(|path| call(&gateway, user, "GET", path, ""));
    let answers = join_all(at_once).await;
    assert_eq!(count(&answers, 200), 12, "{answers:?}");
    for path in [APPS, WEBHOOKS] {
        let answer = call(&gateway, user, "GET", path, "").await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    assert_eq!(nextcloud.failed_logins(), 1);
    let status = call(&gateway, user, "GET", STATUS, "").await.json();
    assert_eq!(status["has_background_access"], true);
    let warning = status["warnings"][0].as_str().unwrap();
    assert!(warning.contains("loginName"), "{warning}");

    // A restart does not try HTTP Basic again.
    let gateway = gateway.again(nextcloud.url(), |gateway| gateway).await;
    let seen = nextcloud.seen().len();
    assert_eq!(call(&gateway, user, "GET", WEBHOOKS, "").await.status, 200);
    assert_eq!(nextcloud.seen().len(), seen + 1);
    assert_eq!(nextcloud.failed_logins(), 1);

    // Stored again with its name, it is used by HTTP Basic.
    let named = json!({"appPassword": OTHER, "loginName": "user1@example.org"}).to_string();
    let stored = call(&gateway, user, "POST", CREDENTIALS, &named).await;
    assert_eq!(stored.status, 200, "{stored:?}");
    assert_eq!(call(&gateway, user, "GET", WEBHOOKS, "").await.status, 200);
    let last = nextcloud.seen().pop().unwrap();
    let field = last.headers["authorization"].to_str().unwrap();
    assert!(field.starts_with("Basic "), "{field}");
    let status = call(&gateway, user, "GET", STATUS, "").await.json();
    assert_eq!(status.get("warnings"), None);
    assert_eq!(nextcloud.failed_logins(), 1);
}

#[tokio::test]
async fn api_5_6_the_password_of_a_wrong_login_name_is_suspended_once_it_is_revoked() {
    let mut policy = LoginPolicy::default();
    policy.refused_retry = Duration::from_millis(100);
    let (nextcloud, gateway, users) = with_misnamed(policy).await;
    let user = &users[0];
    assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 200);
    nextcloud.revoke("user1@example.org", OTHER);
    let first = call(&gateway, user, "GET", WEBHOOKS, "").await;
    first.assert_error(500, "Internal error");
    let later = call(&gateway, user, "GET", WEBHOOKS, "").await;
    let message = later.assert_error(428, "Provisioning required");
    assert!(message.contains("loginName"), "{message}");
    // A retry that succeeds does not return to HTTP Basic.
    nextcloud.allow(&user.name, "user1@example.org", OTHER);
    tokio::time::sleep(Duration::from_millis(110)).await;
    for _ in 0..2 {
        let answer = call(&gateway, user, "GET", WEBHOOKS, "").await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    assert_eq!(nextcloud.failed_logins(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn api_5_6_calls_at_once_with_a_password_that_has_died_cost_one_permit() {
    let mut policy = LoginPolicy::default();
    policy.bearer = BearerLogins::Off;
    let (nextcloud, gateway, users) = with_users(2, policy).await;
    let (dead, good) = (&users[0], &users[1]);
    nextcloud.delay(Duration::from_millis(50));
    revoke(&nextcloud, dead);
    let answers = join_all((0..12).map(|_| call(&gateway, dead, "GET", APPS, ""))).await;
    assert_eq!(
        (count(&answers, 500), count(&answers, 428)),
        (1, 11),
        "{answers:?}"
    );
    assert_eq!(nextcloud.failed_logins(), 1);
    let answers = join_all((0..4).map(|_| call(&gateway, good, "GET", APPS, ""))).await;
    assert_eq!(count(&answers, 200), 4, "{answers:?}");
}

#[tokio::test]
async fn api_5_1_a_password_that_the_server_was_not_shown_is_not_a_refused_one() {
    let mut policy = LoginPolicy::default();
    policy.bearer = BearerLogins::Off;
    let (nextcloud, gateway, users) = with_users(7, policy).await;
    let (dead, good) = users.split_at(5);
    for user in dead {
        revoke(&nextcloud, user);
        assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 500);
    }
    assert_eq!(nextcloud.failed_logins(), 5);
    nextcloud.allow(&good[0].name, &good[0].name, OTHER);
    let seen = nextcloud.seen().len();
    for _ in 0..4 {
        let answer = store(&gateway, &good[0], OTHER).await;
        let message = answer.assert_error(429, "Too many requests");
        assert!(!message.contains("of this user"), "{message}");
    }
    assert_eq!(nextcloud.seen().len(), seen, "the server was not asked");
}

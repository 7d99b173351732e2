//! Passwords that the groupware server refuses (docs/API.md, section 5.6; docs/ARCHITECTURE.md,
//! "Refused logins"): it counts them by address and refuses every login after 11, as recorded.

use std::time::Duration;

use futures_util::future::join_all;
use portreeve::gateway::LoginPolicy;
use portreeve::vault::{AppPassword, Store as _};

use crate::support::gateway::PASSWORD;
use crate::support::nextcloud::{Fault, basic};
use crate::users::{APPS, CREDENTIALS, OTHER, STATUS, WEBHOOKS, call, count, store, with_users};

#[tokio::test]
async fn api_5_6_many_passwords_that_went_bad_together_shut_nobody_out() {
    let (nextcloud, gateway, users) = with_users(30, LoginPolicy::default()).await;
    let (good, revoked) = users.split_first().unwrap();
    assert_eq!(call(&gateway, good, "GET", APPS, "").await.status, 200);
    for user in revoked {
        nextcloud.revoke(&user.name, PASSWORD);
    }
    let answers = join_all(
        revoked
            .iter()
            .map(|user| call(&gateway, user, "GET", APPS, "")),
    )
    .await;
    // None of them was ever seen to work: a third of the places.
    assert_eq!(nextcloud.failed_logins(), 3);
    assert_eq!(
        (count(&answers, 500), count(&answers, 429)),
        (3, 26),
        "{answers:?}"
    );
    assert_eq!(call(&gateway, good, "GET", APPS, "").await.status, 200);
}

#[tokio::test]
async fn api_5_6_a_refused_password_is_428_until_another_is_stored() {
    let (nextcloud, gateway, users) = with_users(1, LoginPolicy::default()).await;
    let user = &users[0];
    assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 200);
    nextcloud.revoke(&user.name, PASSWORD);
    let first = call(&gateway, user, "GET", WEBHOOKS, "").await;
    assert!(
        first
            .assert_error(500, "Internal error")
            .contains("did not accept")
    );
    let calls = nextcloud.seen().len();
    for path in [APPS, WEBHOOKS] {
        let answer = call(&gateway, user, "GET", path, "").await;
        let message = answer.assert_error(428, "Provisioning required");
        assert!(message.contains("provision a new one"), "{message}");
    }
    let status = call(&gateway, user, "GET", STATUS, "").await.json();
    assert_eq!(status["has_background_access"], false);
    assert_eq!(status["credential_type"], "app_password");
    assert_eq!(nextcloud.seen().len(), calls, "nobody was asked");
    let revoke = format!("{CREDENTIALS}?revoke=true");
    nextcloud.allow(&user.name, &user.name, OTHER);
    assert_eq!(store(&gateway, user, OTHER).await.status, 200);
    assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 200);

    nextcloud.revoke(&user.name, OTHER);
    assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 500);
    let calls = nextcloud.seen().len();
    assert_eq!(
        call(&gateway, user, "DELETE", &revoke, "").await.status,
        200
    );
    // A suspended password may be good all the same: only the server knows, and it is asked once.
    assert_eq!(nextcloud.seen().len(), calls + 1);
    assert_eq!(nextcloud.failed_logins(), 3);
}

#[tokio::test]
async fn api_5_6_a_password_revoked_after_it_worked_costs_one_refusal() {
    let (nextcloud, gateway, users) = with_users(1, LoginPolicy::default()).await;
    let user = &users[0];
    assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 200);
    nextcloud.revoke(&user.name, PASSWORD);
    // What worked within a quarter of a second is not looked at again.
    tokio::time::sleep(Duration::from_millis(300)).await;
    join_all((0..20).map(|_| call(&gateway, user, "GET", APPS, ""))).await;
    assert_eq!(nextcloud.failed_logins(), 1);
}

#[tokio::test]
async fn api_5_3_a_suspended_password_is_kept_if_it_cannot_be_destroyed() {
    let (nextcloud, gateway, users) = with_users(1, LoginPolicy::default()).await;
    let user = &users[0];
    let credential = gateway.vault.credential(&user.name).await.unwrap().unwrap();
    let suspended = gateway
        .vault
        .suspend(&user.name, credential.revision())
        .await;
    assert!(suspended.unwrap(), "as an order that was cut off leaves it");
    let revoke = format!("{CREDENTIALS}?revoke=true");
    nextcloud.fault(Fault::Close).await;
    let failed = call(&gateway, user, "DELETE", &revoke, "").await;
    failed.assert_error(500, "Internal error");
    let kept = gateway.vault.credential(&user.name).await.unwrap().unwrap();
    assert!(kept.suspended_at().is_some(), "as it was");
    nextcloud.heal().await;
    nextcloud.answer("apppassword-delete");
    let done = call(&gateway, user, "DELETE", &revoke, "").await;
    assert_eq!(done.status, 200, "{done:?}");
    assert!(done.body.contains("destroyed"), "{done:?}");
    assert!(
        gateway
            .vault
            .credential(&user.name)
            .await
            .unwrap()
            .is_none()
    );
}

#[tokio::test]
async fn api_5_6_a_slow_single_probe_brings_a_password_back() {
    let policy = LoginPolicy::default().refused_retry(Duration::from_millis(300));
    let (nextcloud, gateway, users) = with_users(1, policy).await;
    let user = &users[0];
    nextcloud.revoke(&user.name, PASSWORD);
    assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 500);
    nextcloud.allow(&user.name, &user.name, PASSWORD);
    assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 428);
    tokio::time::sleep(Duration::from_millis(310)).await;
    let answers = join_all((0..10).map(|_| call(&gateway, user, "GET", APPS, ""))).await;
    assert_eq!(count(&answers, 200), 10);
    let credential = gateway.vault.credential(&user.name).await.unwrap().unwrap();
    assert_eq!(credential.suspended_at(), None);
    assert_eq!(credential.metadata().refusals(), 0);
    assert_eq!(nextcloud.failed_logins(), 1);
}

#[tokio::test]
async fn api_5_6_retries_become_rarer() {
    let retry = Duration::from_millis(300);
    let policy = LoginPolicy::default().refused_retry(retry);
    let (nextcloud, gateway, users) = with_users(1, policy).await;
    let user = &users[0];
    nextcloud.revoke(&user.name, PASSWORD);
    assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 500);
    tokio::time::sleep(retry).await;
    // Refused again: the others do not try.
    let answers = join_all((0..10).map(|_| call(&gateway, user, "GET", APPS, ""))).await;
    assert_eq!(count(&answers, 428), 10);
    assert_eq!(nextcloud.failed_logins(), 2);
    // The next retry is four times as far off, also for a gateway that has just started.
    let credential = gateway.vault.credential(&user.name).await.unwrap().unwrap();
    assert_eq!(credential.metadata().refusals(), 2);
    nextcloud.allow(&user.name, &user.name, PASSWORD);
    let gateway = gateway
        .again(nextcloud.url(), |gateway| gateway.logins(policy))
        .await;
    let store = gateway.vault.store();
    let long_ago = std::time::UNIX_EPOCH;
    let refused = store.refused_logins(long_ago).await.unwrap();
    let ids = refused.iter().map(|it| it.id).collect();
    store.remove_refused_logins(ids).await.unwrap();
    tokio::time::sleep(retry).await;
    assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 428);
    tokio::time::sleep(3 * retry).await;
    assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 200);
}

#[tokio::test]
async fn api_5_6_other_faults_are_no_refusal() {
    let (nextcloud, gateway, users) = with_users(1, LoginPolicy::default()).await;
    let user = &users[0];
    for name in ["throttle-webhooks-list-admin", "webhooks-list-user"] {
        nextcloud.answer(name);
        assert_eq!(call(&gateway, user, "GET", WEBHOOKS, "").await.status, 500);
    }
    for status in [429, 500, 502, 503, 404, 403] {
        nextcloud.answer_with("webhooks-list-admin", status, "nonsense");
        assert_eq!(call(&gateway, user, "GET", WEBHOOKS, "").await.status, 500);
    }
    for fault in [Fault::Close, Fault::GarbageStatusLine, Fault::Redirect] {
        nextcloud.fault(fault).await;
        assert_eq!(call(&gateway, user, "GET", WEBHOOKS, "").await.status, 500);
    }
    nextcloud.heal().await;
    nextcloud.answer("webhooks-list-admin");
    assert_eq!(call(&gateway, user, "GET", WEBHOOKS, "").await.status, 200);
}

#[tokio::test]
async fn api_5_6_a_401_of_something_in_between_suspends_nobody() {
    let (nextcloud, gateway, users) = with_users(1, LoginPolicy::default()).await;
    let user = &users[0];
    let pages = [
        "<html>Sign in to the firewall</html>",
        "",
        r#"{"error":"login"}"#,
    ];
    for page in pages {
        nextcloud.answer_with("webhooks-list-admin", 401, page);
        for _ in 0..3 {
            let answer = call(&gateway, user, "GET", WEBHOOKS, "").await;
            let message = answer.assert_error(500, "Internal error");
            assert!(message.contains("could not be read"), "{message}");
        }
        nextcloud.answer_with("user-alice", 401, page);
        let answer = store(&gateway, user, PASSWORD).await;
        answer.assert_error(500, "Internal error");
    }
    nextcloud.answer("webhooks-list-admin");
    assert_eq!(call(&gateway, user, "GET", WEBHOOKS, "").await.status, 200);

    // A page with the challenge of the server is the server's own.
    nextcloud.answer_with("webhooks-list-wrong-password", 401, "<html>");
    assert_eq!(call(&gateway, user, "GET", WEBHOOKS, "").await.status, 500);
    assert_eq!(call(&gateway, user, "GET", WEBHOOKS, "").await.status, 428);
}

#[tokio::test]
async fn api_6_2_a_wanted_confirmation_has_a_sentence_of_its_own() {
    let (nextcloud, gateway, users) = with_users(1, LoginPolicy::default()).await;
    let user = &users[0];
    let meta =
        r#"{"status":"failure","statuscode":403,"message":"Password confirmation is required"}"#;
    let body = format!(r#"{{"ocs":{{"meta":{meta},"data":[]}}}}"#);
    for status in [403, 200] {
        nextcloud.answer_with("webhooks-list-admin", status, &*body);
        let answer = call(&gateway, user, "GET", WEBHOOKS, "").await;
        let message = answer.assert_error(500, "Internal error");
        assert!(
            message.contains("password of the account confirmed"),
            "{message}"
        );
    }
    let credential = gateway.vault.credential(&user.name).await.unwrap().unwrap();
    assert_eq!(credential.suspended_at(), None);
}

#[tokio::test]
async fn a_200_without_a_login_is_no_proof() {
    let policy = LoginPolicy::default().refused_retry(Duration::from_millis(1));
    let (nextcloud, gateway, users) = with_users(1, policy).await;
    let user = &users[0];
    nextcloud.revoke(&user.name, PASSWORD);
    assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 500);
    // Two-factor authentication applies from now on: the route answers as it does to anybody.
    nextcloud.allow(&user.name, &user.name, PASSWORD);
    nextcloud.answer("capabilities-wrong-password-two-factor-enforced");
    nextcloud.answer("user-wrong-password-two-factor-enforced");
    tokio::time::sleep(Duration::from_millis(10)).await;
    assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 428);
    let credential = gateway.vault.credential(&user.name).await.unwrap().unwrap();
    assert!(credential.suspended_at().is_some(), "it is still suspended");
}

#[tokio::test]
async fn api_5_6_a_password_stored_meanwhile_is_not_hit_by_a_refusal() {
    let (nextcloud, gateway, users) = with_users(1, LoginPolicy::default()).await;
    let user = &users[0];
    nextcloud.revoke(&user.name, PASSWORD);
    nextcloud.delay(Duration::from_millis(200));
    let refused = call(&gateway, user, "GET", APPS, "");
    let stored = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let password = AppPassword::new(OTHER).unwrap();
        gateway
            .vault
            .put(&user.name, &user.name, &password)
            .await
            .unwrap();
    };
    let (refused, ()) = tokio::join!(refused, stored);
    assert_eq!(refused.status, 500);
    nextcloud.allow(&user.name, &user.name, OTHER);
    assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 200);
}

#[tokio::test]
async fn api_5_6_a_caller_that_goes_away_hides_no_refusal() {
    let (nextcloud, gateway, users) = with_users(1, LoginPolicy::default()).await;
    let user = &users[0];
    nextcloud.revoke(&user.name, PASSWORD);
    nextcloud.delay(Duration::from_millis(100));
    let impatient = call(&gateway, user, "GET", APPS, "");
    assert!(
        tokio::time::timeout(Duration::from_millis(50), impatient)
            .await
            .is_err()
    );
    tokio::time::sleep(Duration::from_millis(250)).await;
    assert_eq!(nextcloud.failed_logins(), 1);
    assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 428);
    let sent = nextcloud
        .seen()
        .iter()
        .filter(|it| it.headers["authorization"] == basic(&user.name, PASSWORD))
        .count();
    assert_eq!(sent, 1);
}

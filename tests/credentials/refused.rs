//! Passwords that the groupware server refuses (docs/API.md, section 5.6; docs/ARCHITECTURE.md,
//! "Logins"): it counts them by address and refuses every login after 11, as recorded.

use std::time::Duration;

use futures_util::future::join_all;
use portreeve::gateway::{BearerLogins, LoginPolicy};
use portreeve::vault::AppPassword;

use crate::support::gateway::set;
use crate::support::nextcloud::{Fault, basic, bearer};
use crate::users::{APPS, CREDENTIALS, OTHER, call, count, revoke, store, with_users};

#[tokio::test]
async fn api_5_3_a_suspended_password_is_kept_if_it_cannot_be_destroyed() {
    let (nextcloud, gateway, users) = with_users(1, LoginPolicy::default()).await;
    let user = &users[0];
    let credential = gateway.vault.credential(&user.name).await.unwrap().unwrap();
    let suspended = gateway
        .vault
        .suspend(&user.name, credential.revision())
        .await;
    assert!(suspended.unwrap(), "as an interrupted revocation leaves it");
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
async fn api_5_6_one_successful_retry_ends_the_suspension() {
    let mut policy = LoginPolicy::default();
    policy.refused_retry = Duration::from_millis(300);
    let (nextcloud, gateway, users) = with_users(1, policy).await;
    let user = &users[0];
    revoke(&nextcloud, user);
    assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 500);
    nextcloud.allow(&user.name, &user.name, &user.password);
    assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 428);
    tokio::time::sleep(Duration::from_millis(310)).await;
    nextcloud.delay(Duration::from_millis(50));
    let calls = nextcloud.seen().len();
    let answers = join_all((0..10).map(|_| call(&gateway, user, "GET", APPS, ""))).await;
    // One call retries, and the others do not wait for it.
    assert_eq!((count(&answers, 200), count(&answers, 428)), (1, 9));
    let retries = nextcloud.seen().split_off(calls);
    assert_eq!(retries.len(), 1);
    assert_eq!(retries[0].headers["authorization"], bearer(&user.password));
    assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 200);
    let credential = gateway.vault.credential(&user.name).await.unwrap().unwrap();
    assert_eq!(credential.suspended_at(), None);
    assert_eq!(credential.metadata().refusals(), 0);
    assert_eq!(nextcloud.failed_logins(), 1);
}

#[tokio::test]
async fn api_5_6_retries_of_a_revoked_password_cause_no_failed_logins() {
    let retry = Duration::from_millis(200);
    let mut policy = LoginPolicy::default();
    policy.refused_retry = retry;
    let (nextcloud, gateway, users) = with_users(2, policy).await;
    let (dead, good) = (&users[0], &users[1]);
    // The gateway learns that the server takes bearer tokens.
    nextcloud.allow(&good.name, &good.name, OTHER);
    assert_eq!(store(&gateway, good, OTHER).await.status, 200);
    revoke(&nextcloud, dead);
    assert_eq!(call(&gateway, dead, "GET", APPS, "").await.status, 500);
    for retries in 1..=5 {
        tokio::time::sleep(retry + Duration::from_millis(20)).await;
        let calls = nextcloud.seen().len();
        let answers = join_all((0..10).map(|_| call(&gateway, dead, "GET", APPS, ""))).await;
        assert_eq!(count(&answers, 428), 10);
        // The retry, and a request for the account, which the answer of this route does not name.
        assert_eq!(nextcloud.seen().len(), calls + 2);
        let credential = gateway.vault.credential(&dead.name).await.unwrap().unwrap();
        assert_eq!(credential.metadata().refusals(), 1 + retries);
    }
    assert_eq!(nextcloud.failed_logins(), 1);
}

#[tokio::test]
async fn api_5_6_without_bearer_logins_retries_become_less_frequent() {
    let retry = Duration::from_millis(300);
    let mut policy = LoginPolicy::default();
    policy.refused_retry = retry;
    policy.bearer = BearerLogins::Off;
    let (nextcloud, gateway, users) = with_users(1, policy).await;
    let user = &users[0];
    revoke(&nextcloud, user);
    assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 500);
    tokio::time::sleep(retry).await;
    // Refused again; the other calls do not retry.
    let answers = join_all((0..10).map(|_| call(&gateway, user, "GET", APPS, ""))).await;
    assert_eq!(count(&answers, 428), 10);
    assert_eq!(nextcloud.failed_logins(), 2);
    // The next retry is four times as far off, also for a gateway that has just started.
    let gateway = gateway
        .again(nextcloud.url(), set(|settings| settings.logins = policy))
        .await;
    nextcloud.allow(&user.name, &user.name, &user.password);
    tokio::time::sleep(retry).await;
    assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 428);
    tokio::time::sleep(3 * retry).await;
    assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 200);
}

#[tokio::test]
async fn a_200_without_a_login_does_not_end_the_suspension() {
    let mut policy = LoginPolicy::default();
    policy.refused_retry = Duration::from_millis(1);
    let (nextcloud, gateway, users) = with_users(1, policy).await;
    let user = &users[0];
    revoke(&nextcloud, user);
    assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 500);
    // Two-factor authentication applies from now on: the route answers as it does without a login.
    nextcloud.allow(&user.name, &user.name, &user.password);
    nextcloud.answer("capabilities-wrong-password-two-factor-enforced");
    nextcloud.answer("user-wrong-password-two-factor-enforced");
    tokio::time::sleep(Duration::from_millis(10)).await;
    assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 428);
    let credential = gateway.vault.credential(&user.name).await.unwrap().unwrap();
    assert!(credential.suspended_at().is_some(), "it is still suspended");
}

#[tokio::test]
async fn api_5_6_a_refusal_does_not_suspend_a_password_stored_in_the_meantime() {
    let (nextcloud, gateway, users) = with_users(1, LoginPolicy::default()).await;
    let user = &users[0];
    revoke(&nextcloud, user);
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
async fn api_5_6_a_refusal_takes_effect_even_if_the_caller_disconnects() {
    let (nextcloud, gateway, users) = with_users(1, LoginPolicy::default()).await;
    let user = &users[0];
    revoke(&nextcloud, user);
    nextcloud.delay(Duration::from_millis(100));
    let impatient = call(&gateway, user, "GET", APPS, "");
    assert!(
        tokio::time::timeout(Duration::from_millis(50), impatient)
            .await
            .is_err()
    );
    tokio::time::sleep(Duration::from_millis(250)).await;
    assert_eq!(nextcloud.failed_logins(), 1);
    // It is asked about as a bearer token, which nobody has waited for yet.
    for status in [500, 428] {
        let answer = call(&gateway, user, "GET", APPS, "").await;
        assert_eq!(answer.status, status, "{answer:?}");
    }
    assert_eq!(nextcloud.failed_logins(), 1);
    let sent = nextcloud
        .seen()
        .iter()
        .filter(|it| it.headers["authorization"] == basic(&user.name, &user.password))
        .count();
    assert_eq!(sent, 1);
}

//! The places for refused logins (docs/API.md, section 5.6): never more refusals than places,
//! users whose password works are served, and nobody spends what belongs to all.

use std::time::Duration;

use futures_util::future::join_all;
use portreeve::gateway::LoginPolicy;

use crate::support::gateway::{Answer, PASSWORD};
use crate::support::nextcloud::Seen;
use crate::users::{APPS, OTHER, User, WEBHOOKS, call, count, store, with_users};

/// Longer than a password counts as having worked a moment ago, and than the store is told of it.
const A_MOMENT: Duration = Duration::from_millis(600);

fn retry_after(answer: &Answer) -> u64 {
    answer.header("retry-after").unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn api_5_6_20_revoked_passwords_that_worked_cost_9_refused_logins() {
    let (nextcloud, gateway, users) = with_users(20, LoginPolicy::default()).await;
    for user in &users {
        assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 200);
    }
    tokio::time::sleep(A_MOMENT).await;
    for user in &users {
        nextcloud.revoke(&user.name, PASSWORD);
    }
    nextcloud.delay(Duration::from_millis(20));
    let all = |users| join_all(users);
    let answers = all(users
        .iter()
        .map(|user| call(&gateway, user, "GET", APPS, "")))
    .await;
    assert_eq!(nextcloud.failed_logins(), 9);
    assert_eq!((count(&answers, 500), count(&answers, 429)), (9, 11));
    for answer in answers.iter().filter(|answer| answer.status == 429) {
        assert!((1795..=1800).contains(&retry_after(answer)), "{answer:?}");
    }
    // No route leads to a tenth one.
    for user in &users {
        call(&gateway, user, "GET", WEBHOOKS, "").await;
        store(&gateway, user, OTHER).await;
    }
    assert_eq!(nextcloud.failed_logins(), 9);
}

#[tokio::test]
async fn api_5_6_passwords_revoked_one_after_the_other_within_a_moment_are_noticed() {
    let (nextcloud, gateway, users) = with_users(20, LoginPolicy::default()).await;
    for user in &users {
        assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 200);
    }
    for user in &users {
        nextcloud.revoke(&user.name, PASSWORD);
    }
    // All of them may be fresh. The first refusal ends that.
    for user in &users {
        call(&gateway, user, "GET", APPS, "").await;
    }
    assert_eq!(nextcloud.failed_logins(), 9);
}

#[tokio::test]
async fn api_5_6_the_count_survives_a_restart() {
    let (nextcloud, gateway, users) = with_users(12, LoginPolicy::default()).await;
    for user in &users {
        assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 200);
    }
    tokio::time::sleep(A_MOMENT).await;
    let (dead, last) = users.split_at(9);
    for user in dead {
        nextcloud.revoke(&user.name, PASSWORD);
        assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 500);
    }
    let gateway = gateway.again(nextcloud.url(), |gateway| gateway).await;
    for user in last {
        nextcloud.revoke(&user.name, PASSWORD);
        let answer = call(&gateway, user, "GET", APPS, "").await;
        answer.assert_error(429, "Too many requests");
        assert!((1700..=1800).contains(&retry_after(&answer)), "{answer:?}");
    }
    assert_eq!(nextcloud.failed_logins(), 9);
}

#[tokio::test]
async fn api_5_6_a_user_who_destroys_good_passwords_spends_two_places() {
    let (nextcloud, gateway, users) = with_users(2, LoginPolicy::default()).await;
    let [hostile, good] = &users[..] else {
        panic!("two users")
    };
    // Under another login name than the account id, so that the server forgets nothing.
    let alias = "user1@example.org";
    for round in 0..12 {
        let password = format!("{round:05}-aaaaa-bbbbb-ccccc-ddddd");
        nextcloud.allow(&hostile.name, alias, &password);
        let body = serde_json::json!({ "appPassword": password, "loginName": alias });
        let path = crate::users::CREDENTIALS;
        call(&gateway, hostile, "POST", path, &body.to_string()).await;
        nextcloud.revoke(alias, &password);
        tokio::time::sleep(Duration::from_millis(260)).await;
        call(&gateway, hostile, "GET", APPS, "").await;
    }
    assert_eq!(nextcloud.failed_logins(), 2);
    nextcloud.allow(&good.name, &good.name, OTHER);
    assert_eq!(store(&gateway, good, OTHER).await.status, 200);
}

#[tokio::test]
async fn api_5_6_dead_passwords_that_are_polled_leave_room_for_provisioning() {
    let policy = LoginPolicy::default().refused_retry(Duration::from_millis(100));
    let (nextcloud, gateway, users) = with_users(13, policy).await;
    let (good, dead) = users.split_last().unwrap();
    for user in dead {
        nextcloud.revoke(&user.name, PASSWORD);
    }
    for round in 0..10 {
        join_all(
            dead.iter()
                .map(|user| call(&gateway, user, "GET", APPS, "")),
        )
        .await;
        tokio::time::sleep(Duration::from_millis(110)).await;
        let password = format!("{round:05}-aaaaa-bbbbb-ccccc-ddddd");
        nextcloud.allow(&good.name, &good.name, &password);
        assert_eq!(store(&gateway, good, &password).await.status, 200);
        assert_eq!(call(&gateway, good, "GET", APPS, "").await.status, 200);
    }
    assert_eq!(nextcloud.failed_logins(), 3);
}

#[tokio::test]
async fn api_5_6_users_whose_password_worked_before_a_restart_are_served() {
    let (nextcloud, gateway, users) = with_users(12, LoginPolicy::default()).await;
    let (good, dead) = users.split_first().unwrap();
    assert_eq!(call(&gateway, good, "GET", APPS, "").await.status, 200);
    tokio::time::sleep(A_MOMENT).await;
    let gateway = gateway.again(nextcloud.url(), |gateway| gateway).await;
    let mut refused = 0;
    for user in dead {
        nextcloud.revoke(&user.name, PASSWORD);
        call(&gateway, user, "GET", APPS, "").await;
        refused += usize::from(store(&gateway, user, OTHER).await.status == 422);
    }
    // Neither first uses nor new passwords spend what is left to passwords that work.
    assert_eq!((nextcloud.failed_logins(), refused), (6, 3));
    assert_eq!(call(&gateway, good, "GET", APPS, "").await.status, 200);
}

#[tokio::test]
async fn api_5_6_who_mistypes_a_password_keeps_the_one_that_works() {
    let (nextcloud, gateway, users) = with_users(1, LoginPolicy::default()).await;
    let user: &User = &users[0];
    assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 200);
    tokio::time::sleep(A_MOMENT).await;
    assert_eq!(store(&gateway, user, OTHER).await.status, 422);
    assert_eq!(store(&gateway, user, OTHER).await.status, 422);
    let third = store(&gateway, user, OTHER).await;
    let message = third.assert_error(429, "Too many requests");
    assert!(message.contains("of this user"), "{message}");
    assert!((1700..=1800).contains(&retry_after(&third)), "{third:?}");
    assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 200);
    // The server has forgotten the two.
    assert_eq!(store(&gateway, user, OTHER).await.status, 422);
    assert_eq!(nextcloud.failed_logins(), 3);
}

#[tokio::test]
async fn api_5_6_a_call_waits_for_a_place_that_is_only_in_flight() {
    let (nextcloud, gateway, users) = with_users(20, LoginPolicy::default()).await;
    for user in &users {
        assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 200);
    }
    tokio::time::sleep(A_MOMENT).await;
    nextcloud.delay(Duration::from_millis(100));
    let answers = join_all(
        users
            .iter()
            .map(|user| call(&gateway, user, "GET", APPS, "")),
    )
    .await;
    assert_eq!(count(&answers, 200), 20);
}

#[tokio::test]
async fn api_5_6_on_the_allow_list_only_the_share_of_each_user_is_left() {
    let (nextcloud, gateway, users) = with_users(20, LoginPolicy::default()).await;
    for user in &users {
        assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 200);
    }
    tokio::time::sleep(A_MOMENT).await;
    nextcloud.allow_list();
    for user in &users {
        nextcloud.revoke(&user.name, PASSWORD);
        let answer = call(&gateway, user, "GET", APPS, "").await;
        assert_eq!(answer.status, 500, "{}: {answer:?}", user.name);
    }
    assert_eq!(nextcloud.failed_logins(), 20);
    // A user still has two.
    let user = &users[0];
    for status in [422, 429, 429] {
        let answer = store(&gateway, user, OTHER).await;
        assert_eq!(answer.status, status, "{answer:?}");
    }
    // The server was asked once, without credentials.
    let anonymous = |seen: &&Seen| !seen.headers.contains_key("authorization");
    assert_eq!(nextcloud.all_seen().iter().filter(anonymous).count(), 1);
}

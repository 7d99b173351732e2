//! Logins (docs/API.md, section 5.6; docs/ARCHITECTURE.md, "Logins"): revoked passwords and guesses do not
//! make other users fail, wait, or retry later.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use portreeve::gateway::{BearerLogins, LoginPolicy};
use serde_json::json;

use crate::support::gateway::{Answer, TestGateway};
use crate::support::nextcloud::{Nextcloud, basic, bearer};
use crate::users::{
    APPS, CREDENTIALS, OTHER, User, WEBHOOKS, call, count, revoke, store, with_users,
};

/// The default of `refused_login_budget`.
const PERMITS: usize = 5;

fn retry_after(answer: &Answer) -> u64 {
    answer.header("retry-after").unwrap().parse().unwrap()
}

/// Lets the gateway learn that the server accepts bearer tokens.
async fn prove_bearer(nextcloud: &Nextcloud, gateway: &TestGateway, user: &User) {
    nextcloud.allow(&user.name, &user.name, OTHER);
    assert_eq!(store(gateway, user, OTHER).await.status, 200);
}

/// Each user makes three calls, on both routes, all at once.
async fn storm(gateway: &TestGateway, users: &[User]) -> Vec<Answer> {
    let calls = users
        .iter()
        .flat_map(|user| [APPS, WEBHOOKS, APPS].map(|path| call(gateway, user, "GET", path, "")));
    join_all(calls).await
}

#[tokio::test(flavor = "multi_thread")]
async fn api_5_6_revoking_25_users_at_once_does_not_affect_others() {
    let (nextcloud, gateway, users) = with_users(30, LoginPolicy::default()).await;
    let (good, dead) = users.split_at(5);
    assert_eq!(count(&storm(&gateway, good).await, 200), 15);
    for user in dead {
        revoke(&nextcloud, user);
    }
    nextcloud.delay(Duration::from_millis(20));
    let (of_dead, of_good) = tokio::join!(storm(&gateway, dead), storm(&gateway, good));
    assert_eq!(count(&of_good, 200), 15, "{of_good:?}");
    assert_eq!(
        count(&of_dead, 500) + count(&of_dead, 428),
        75,
        "{of_dead:?}"
    );
    assert!(nextcloud.failed_logins() <= PERMITS);

    // After a restart, the passwords are still suspended.
    let gateway = gateway.again(nextcloud.url(), |gateway| gateway).await;
    let (of_dead, of_good) = tokio::join!(storm(&gateway, dead), storm(&gateway, good));
    assert_eq!(count(&of_good, 200), 15, "{of_good:?}");
    assert_eq!(count(&of_dead, 428), 75, "{of_dead:?}");
    assert!(nextcloud.failed_logins() <= PERMITS);
    assert_eq!(nextcloud.throttled_logins(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn api_5_6_users_revoked_before_a_start_do_not_affect_others() {
    let (nextcloud, gateway, users) = with_users(30, LoginPolicy::default()).await;
    let (good, dead) = users.split_at(5);
    prove_bearer(&nextcloud, &gateway, &good[0]).await;
    for user in dead {
        revoke(&nextcloud, user);
    }
    // It has to know from its store that refusals of bearer tokens can be trusted.
    let gateway = gateway.again(nextcloud.url(), |gateway| gateway).await;
    let of_dead = storm(&gateway, dead).await;
    assert_eq!(
        count(&of_dead, 500) + count(&of_dead, 428),
        75,
        "{of_dead:?}"
    );
    assert_eq!(count(&storm(&gateway, good).await, 200), 15);
    assert!(nextcloud.failed_logins() <= PERMITS);
}

#[tokio::test(flavor = "multi_thread")]
async fn api_5_6_64_calls_of_a_revoked_user_stay_within_the_permits() {
    let (nextcloud, gateway, users) = with_users(2, LoginPolicy::default()).await;
    let (dead, good) = (&users[0], &users[1]);
    nextcloud.delay(Duration::from_millis(50));
    let calls = (0..64).map(|_| call(&gateway, dead, "GET", APPS, ""));
    revoke(&nextcloud, dead);
    let answers = join_all(calls).await;
    assert_eq!(
        count(&answers, 500) + count(&answers, 428),
        64,
        "{answers:?}"
    );
    assert!(nextcloud.failed_logins() <= PERMITS);
    assert_eq!(call(&gateway, good, "GET", APPS, "").await.status, 200);
    assert_eq!(call(&gateway, dead, "GET", APPS, "").await.status, 428);
}

#[tokio::test(flavor = "multi_thread")]
async fn api_5_6_no_call_waits_for_a_permit() {
    let (nextcloud, gateway, users) = with_users(40, LoginPolicy::default()).await;
    let delay = Duration::from_millis(200);
    nextcloud.delay(delay);
    let began = Instant::now();
    let answers = join_all(
        users
            .iter()
            .map(|user| call(&gateway, user, "GET", APPS, "")),
    )
    .await;
    let took = began.elapsed();
    assert_eq!(count(&answers, 200), 40);
    // With five permits, one call after the other, it would take 1.6 s.
    assert!(took < 4 * delay, "{took:?}");
    let seen = nextcloud.seen();
    assert_eq!(seen.len(), 40, "one call each");
    let by_basic = |seen: &&_| is_basic(seen);
    assert_eq!(seen.iter().filter(by_basic).count(), PERMITS);
    assert_eq!(nextcloud.failed_logins(), 0);
}

fn is_basic(seen: &crate::support::nextcloud::Seen) -> bool {
    let field = seen.headers["authorization"].to_str().unwrap();
    field.starts_with("Basic ")
}

#[tokio::test(flavor = "multi_thread")]
async fn api_5_6_all_users_are_served_if_others_got_the_address_blocked() {
    let (nextcloud, gateway, users) = with_users(10, LoginPolicy::default()).await;
    nextcloud.block();
    for _ in 0..3 {
        let answers = join_all(
            users
                .iter()
                .map(|user| call(&gateway, user, "GET", APPS, "")),
        )
        .await;
        assert_eq!(count(&answers, 200), 10, "{answers:?}");
    }
    // Only the first calls with permits were throttled.
    assert!((1..=PERMITS).contains(&nextcloud.throttled_logins()));
    assert_eq!(nextcloud.seen().len(), 30 + nextcloud.throttled_logins());
    // New passwords are checked as well.
    prove_bearer(&nextcloud, &gateway, &users[0]).await;
    assert_eq!(
        store(&gateway, &users[1], "WRONG-bbbbb-ccccc-ddddd-eeeee")
            .await
            .status,
        422
    );
    assert_eq!(nextcloud.failed_logins(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn api_5_6_a_refused_bearer_token_never_gets_the_anonymous_answer() {
    let (nextcloud, gateway, users) = with_users(30, LoginPolicy::default()).await;
    for user in &users {
        revoke(&nextcloud, user);
    }
    let answers = join_all(
        users
            .iter()
            .map(|user| call(&gateway, user, "GET", APPS, "")),
    )
    .await;
    // The server answers a bearer token that it does not know with 200 and three apps.
    assert_eq!(count(&answers, 200), 0, "{answers:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn api_5_6_calls_to_a_server_without_bearer_tokens_use_permits() {
    let (nextcloud, gateway, users) = with_users(20, LoginPolicy::default()).await;
    nextcloud.refuse_bearer();
    nextcloud.delay(Duration::from_millis(20));
    for _ in 0..2 {
        let answers = join_all(
            users
                .iter()
                .map(|user| call(&gateway, user, "GET", APPS, "")),
        )
        .await;
        assert_eq!(count(&answers, 200), 20, "{answers:?}");
    }
    // Once that is known, each call is one request.
    let calls = nextcloud.seen().len();
    assert_eq!(
        call(&gateway, &users[0], "GET", WEBHOOKS, "").await.status,
        200
    );
    assert_eq!(nextcloud.seen().len(), calls + 1);

    let (dead, good) = users.split_at(8);
    for user in dead {
        revoke(&nextcloud, user);
    }
    let answers = join_all(
        dead.iter()
            .map(|user| call(&gateway, user, "GET", APPS, "")),
    )
    .await;
    assert_eq!(
        (count(&answers, 500), count(&answers, 429)),
        (PERMITS, 3),
        "{answers:?}"
    );
    let answer = call(&gateway, &good[0], "GET", APPS, "").await;
    answer.assert_error(429, "Too many requests");
    assert!((1790..=1800).contains(&retry_after(&answer)), "{answer:?}");
    // No route leads to a sixth failed login, not even after a restart.
    let gateway = gateway.again(nextcloud.url(), |gateway| gateway).await;
    let calls = users.iter().map(|user| async {
        call(&gateway, user, "GET", WEBHOOKS, "").await;
        store(&gateway, user, OTHER).await
    });
    join_all(calls).await;
    assert_eq!(nextcloud.failed_logins(), PERMITS);
}

#[tokio::test(flavor = "multi_thread")]
async fn api_5_6_with_groupware_bearer_off_no_bearer_token_is_sent() {
    let mut policy = LoginPolicy::default();
    policy.bearer = BearerLogins::Off;
    let (nextcloud, gateway, users) = with_users(20, policy).await;
    nextcloud.delay(Duration::from_millis(20));
    let answers = join_all(
        users
            .iter()
            .map(|user| call(&gateway, user, "GET", APPS, "")),
    )
    .await;
    assert_eq!(count(&answers, 200), 20, "{answers:?}");
    nextcloud.allow(&users[0].name, &users[0].name, OTHER);
    assert_eq!(store(&gateway, &users[0], OTHER).await.status, 200);
    assert_eq!(
        store(&gateway, &users[0], "WRONG-bbbbb-ccccc-ddddd-eeeee")
            .await
            .status,
        422
    );
    let path = format!("{CREDENTIALS}?revoke=true");
    nextcloud.answer("apppassword-delete");
    assert_eq!(
        call(&gateway, &users[0], "DELETE", &path, "").await.status,
        200
    );
    revoke(&nextcloud, &users[1]);
    for _ in 0..2 {
        call(&gateway, &users[1], "GET", APPS, "").await;
    }
    nextcloud.block();
    let answer = call(&gateway, &users[2], "GET", APPS, "").await;
    let message = answer.assert_error(500, "Internal error");
    assert!(message.contains("throttling"), "{message}");
    assert!(nextcloud.seen().iter().all(is_basic));
}

#[tokio::test(flavor = "multi_thread")]
async fn api_5_1_a_wrong_password_causes_no_failed_login() {
    let (nextcloud, gateway, users) = with_users(12, LoginPolicy::default()).await;
    prove_bearer(&nextcloud, &gateway, &users[0]).await;
    nextcloud.allow_account_password("user2", "the-password-of-the-account");
    let wrong = [
        "WRONG-bbbbb-ccccc-ddddd-eeeee",
        "the-password-of-the-account",
    ];
    for user in &users[1..] {
        for password in wrong {
            let answer = store(&gateway, user, password).await;
            answer.assert_error(422, "Rejected credential");
        }
        let third = store(&gateway, user, OTHER).await;
        let message = third.assert_error(429, "Too many requests");
        assert!(message.contains("of this user"), "{message}");
        assert!((1790..=1800).contains(&retry_after(&third)), "{third:?}");
    }
    assert_eq!(nextcloud.failed_logins(), 0);
    // The stored passwords still work.
    let answers = join_all(
        users
            .iter()
            .map(|user| call(&gateway, user, "GET", APPS, "")),
    )
    .await;
    assert_eq!(count(&answers, 200), 12, "{answers:?}");
}

#[tokio::test]
async fn api_5_1_a_wrong_login_name_is_tried_with_a_permit() {
    let (nextcloud, gateway, users) = with_users(1, LoginPolicy::default()).await;
    let user = &users[0];
    nextcloud.allow(&user.name, &user.name, OTHER);
    let body = json!({"appPassword": OTHER, "loginName": "somebody-else"}).to_string();
    let answer = call(&gateway, user, "POST", CREDENTIALS, &body).await;
    answer.assert_error(422, "Rejected credential");
    let fields = nextcloud
        .seen()
        .into_iter()
        .map(|it| it.headers["authorization"].clone());
    let fields: Vec<_> = fields.collect();
    assert_eq!(fields, [bearer(OTHER), basic("somebody-else", OTHER)]);
    assert_eq!(nextcloud.failed_logins(), 1);
    assert_eq!(store(&gateway, user, OTHER).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn api_5_6_permits_spent_by_refused_logins_stay_spent_after_a_restart() {
    let (nextcloud, gateway, users) = with_users(PERMITS + 2, LoginPolicy::default()).await;
    let (dead, good) = users.split_at(PERMITS);
    for user in dead {
        revoke(&nextcloud, user);
        assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 500);
    }
    assert_eq!(nextcloud.failed_logins(), PERMITS);
    for _ in 0..2 {
        let calls = nextcloud.seen().len();
        for user in good {
            assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 200);
        }
        assert!(!nextcloud.seen()[calls..].iter().any(is_basic));
    }
    let gateway = gateway.again(nextcloud.url(), |gateway| gateway).await;
    let calls = nextcloud.seen().len();
    for user in good {
        assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 200);
    }
    assert!(!nextcloud.seen()[calls..].iter().any(is_basic));
}

/// A proxy in front of the server that answers bearer tokens itself.
#[tokio::test(flavor = "multi_thread")]
async fn api_5_6_a_proxy_that_intercepts_bearer_tokens_is_a_server_without_them() {
    let (nextcloud, gateway, users) = with_users(12, LoginPolicy::default()).await;
    nextcloud.intercept_bearer();
    nextcloud.delay(Duration::from_millis(20));
    let answers = join_all(
        users
            .iter()
            .map(|user| call(&gateway, user, "GET", APPS, "")),
    )
    .await;
    assert_eq!(count(&answers, 200), 12, "{answers:?}");
    nextcloud.allow(&users[0].name, &users[0].name, OTHER);
    assert_eq!(store(&gateway, &users[0], OTHER).await.status, 200);
    assert_eq!(nextcloud.failed_logins(), 0);
}

/// Where bearer tokens prove nothing, retries without a permit do not delay the retry with a permit.
#[tokio::test]
async fn api_5_6_a_suspension_ends_even_if_the_server_takes_no_bearer_tokens() {
    let retry = Duration::from_millis(150);
    let mut policy = LoginPolicy::default();
    policy.refused_retry = retry;
    let (nextcloud, gateway, users) = with_users(1, policy).await;
    let user = &users[0];
    nextcloud.refuse_bearer();
    revoke(&nextcloud, user);
    assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 500);
    tokio::time::sleep(retry).await;
    assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 428);
    assert_eq!(nextcloud.failed_logins(), 2);
    nextcloud.allow(&user.name, &user.name, &user.password);
    // The calls are more frequent than the retries, whose interval is four times as long by now.
    let mut statuses = Vec::new();
    for _ in 0..16 {
        tokio::time::sleep(retry / 3).await;
        statuses.push(call(&gateway, user, "GET", APPS, "").await.status);
    }
    assert_eq!(statuses.last(), Some(&200), "{statuses:?}");
}

#[tokio::test]
async fn api_5_1_429_after_two_refused_attempts_of_a_user() {
    let (nextcloud, gateway, users) = with_users(2, LoginPolicy::default()).await;
    let wrong = "wrong-wrong-wrong-wrong";
    // All at once: none of them may slip through while another is in flight.
    let attempts = (0..12).map(|_| store(&gateway, &users[0], wrong));
    let answers = join_all(attempts).await;
    let counts = (count(&answers, 422), count(&answers, 429));
    assert_eq!(counts, (2, 10), "{answers:?}");
    let answer = store(&gateway, &users[0], &users[0].password).await;
    answer.assert_error(429, "Too many requests");
    let wait: u64 = answer.header("retry-after").unwrap().parse().unwrap();
    assert!((1740..=1800).contains(&wait), "{wait}");
    assert_eq!(nextcloud.failed_logins(), 2);
    // Other users are not affected.
    let answer = store(&gateway, &users[1], &users[1].password).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

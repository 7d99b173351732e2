//! What strangers with wrong passwords can affect by HTTP Basic (docs/API.md, sections 5.6 and 10.4),
//! where anybody can name any user.

use std::time::Duration;

use futures_util::future::join_all;
use portreeve::gateway::LoginPolicy;

use crate::support::gateway::{Answer, TestGateway, set};
use crate::support::nextcloud::basic;
use crate::users::{APPS, OTHER, call, count, store, with_users};

const WRONG: &str = "WRONG-bbbbb-ccccc-ddddd-eeeee";

async fn stranger(gateway: &TestGateway, method: &str, user: &str, password: &str) -> Answer {
    let authorization = basic(user, password);
    let head = format!(
        "{method} /api/v1/users/{user}/app-password HTTP/1.1\r\nAuthorization: {authorization}\r\n"
    );
    gateway.send(&head, "").await
}

#[tokio::test(flavor = "multi_thread")]
async fn api_10_4_wrong_passwords_of_strangers_do_not_affect_users() {
    let (nextcloud, gateway, users) = with_users(8, LoginPolicy::default()).await;
    nextcloud.allow(&users[0].name, &users[0].name, OTHER);
    assert_eq!(store(&gateway, &users[0], OTHER).await.status, 200);
    nextcloud.delay(Duration::from_millis(20));
    for round in 0..3 {
        let tries = users.iter().flat_map(|user| {
            ["POST", "POST", "DELETE"].map(|method| stranger(&gateway, method, &user.name, WRONG))
        });
        let answers = join_all(tries).await;
        // Two attempts for each user name.
        let refused = if round == 0 { 16 } else { 0 };
        assert_eq!(count(&answers, 401), refused, "{answers:?}");
        for answer in answers.iter().filter(|answer| answer.status != 401) {
            assert_eq!(answer.status, 429, "{answer:?}");
            let wait: u64 = answer.header("retry-after").unwrap().parse().unwrap();
            assert!((1..=1800).contains(&wait), "{answer:?}");
            assert_eq!(answer.json()["success"], false);
        }
    }
    // Every user is served, and can still store a password.
    for user in &users {
        assert_eq!(call(&gateway, user, "GET", APPS, "").await.status, 200);
        assert_eq!(store(&gateway, user, &user.password).await.status, 200);
    }
    assert_eq!(nextcloud.failed_logins(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn api_10_4_only_two_of_20_concurrent_attempts_for_one_name_are_made() {
    let (nextcloud, gateway, users) = with_users(1, LoginPolicy::default()).await;
    nextcloud.delay(Duration::from_millis(20));
    let name = &users[0].name;
    let answers = join_all((0..20).map(|_| stranger(&gateway, "POST", name, WRONG))).await;
    assert!(count(&answers, 401) <= 2, "{answers:?}");
    assert_eq!(
        count(&answers, 401) + count(&answers, 429),
        20,
        "{answers:?}"
    );
    for method in ["DELETE", "DELETE", "POST", "POST"] {
        stranger(&gateway, method, name, WRONG).await;
    }
    // They are counted, as nothing is known of the server's bearer logins yet.
    assert_eq!(nextcloud.failed_logins(), 2);
    // The user's own two attempts are unaffected, and so is the stored password.
    let wrong = || store(&gateway, &users[0], "WRONG-ccccc-ddddd-eeeee-fffff");
    for status in [422, 422, 429] {
        assert_eq!(wrong().await.status, status);
    }
    assert_eq!(call(&gateway, &users[0], "GET", APPS, "").await.status, 200);
    // The stored password is accepted, however many attempts strangers have made.
    let answer = stranger(&gateway, "DELETE", name, &users[0].password).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[tokio::test]
async fn api_7_strangers_hold_at_most_a_quarter_of_the_permits() {
    let (nextcloud, _, _) = with_users(1, LoginPolicy::default()).await;
    let change = set(|settings| settings.max_in_flight = 8);
    let gateway = TestGateway::with(nextcloud.url(), change).await;
    // Requests whose bodies never arrive hold as many permits as they can.
    let mut open = Vec::new();
    for user in 0..16 {
        let authorization = basic(&format!("user{user}"), WRONG);
        let head = format!(
            "POST /api/v1/users/user{user}/app-password HTTP/1.1\r\nHost: g\r\n\
             Authorization: {authorization}\r\nContent-Length: 10\r\n\r\n"
        );
        let mut stream = tokio::net::TcpStream::connect(gateway.address)
            .await
            .unwrap();
        tokio::io::AsyncWriteExt::write_all(&mut stream, head.as_bytes())
            .await
            .unwrap();
        open.push(stream);
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    let answer = stranger(&gateway, "POST", "alice", WRONG).await;
    assert_eq!(
        (answer.status, answer.header("retry-after")),
        (503, Some("1")),
        "{answer:?}"
    );
    let answers = join_all((0..4).map(|_| gateway.call("admin", "GET", APPS, ""))).await;
    assert_eq!(count(&answers, 200), 4, "{answers:?}");
    drop(open);
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(stranger(&gateway, "POST", "alice", WRONG).await.status, 401);
}

#[tokio::test]
async fn api_7_requests_for_one_name_do_not_delay_others() {
    let (nextcloud, gateway, users) = with_users(2, LoginPolicy::default()).await;
    nextcloud.delay(Duration::from_millis(500));
    let name = &users[0].name;
    let flood = join_all((0..12).map(|_| stranger(&gateway, "DELETE", name, OTHER)));
    let others = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        // Requests of the same user with a token are not counted with them.
        tokio::join!(
            call(
                &gateway,
                &users[0],
                "GET",
                "/api/v1/background-sync/status",
                ""
            ),
            call(&gateway, &users[1], "GET", APPS, ""),
        )
    };
    let (answers, (same, other)) = tokio::join!(flood, others);
    assert_eq!((same.status, other.status), (200, 200));
    assert_eq!(
        count(&answers, 429) + count(&answers, 401),
        12,
        "{answers:?}"
    );
    // Two are checked, and no more are started.
    assert_eq!(count(&answers, 401), 2, "{answers:?}");
}

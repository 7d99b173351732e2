//! Servers that send no `X-User-Id` (docs/API.md, section 3): the account is asked, and that holds for as
//! long as the server says that its answer is still the same.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use portreeve::gateway::LoginPolicy;
use serde_json::json;

use crate::support::nextcloud::{Nextcloud, Recording};
use crate::users::{APPS, call, count, with_users};

/// Answers as a server that names nobody; `id` is what it says of the account.
fn name_nobody(nextcloud: &Nextcloud, id: &str) {
    let known = Recording::load("capabilities-admin-app-password").response;
    nextcloud.answer_with("capabilities-anonymous", 200, known.body.unwrap());
    let user = json!({"ocs": {
        "meta": {"status": "ok", "statuscode": 200, "message": "OK"},
        "data": {"id": id, "groups": []},
    }});
    let name = "user-wrong-password-two-factor-enforced";
    nextcloud.answer_with(name, 200, user.to_string());
}

fn asked(nextcloud: &Nextcloud) -> usize {
    let seen = nextcloud.seen();
    let asked = seen.iter().filter(|it| it.target.contains("/cloud/user"));
    asked.count()
}

#[tokio::test(flavor = "multi_thread")]
async fn api_3_calls_run_side_by_side_though_the_server_names_nobody() {
    let (nextcloud, gateway, users) = with_users(1, LoginPolicy::default()).await;
    let user = &users[0];
    name_nobody(&nextcloud, &user.name);
    nextcloud.delay(Duration::from_millis(50));
    let begin = Instant::now();
    let answers = join_all((0..20).map(|_| call(&gateway, user, "GET", APPS, ""))).await;
    let took = begin.elapsed();
    assert_eq!(count(&answers, 200), 20);
    // At once: not twenty times 50 ms.
    assert!(took < Duration::from_millis(600), "{took:?}");
    // The server tags no answer here, so each is another one.
    assert_eq!(asked(&nextcloud), 20);
    let credential = gateway.vault.credential(&user.name).await.unwrap().unwrap();
    assert_eq!(credential.suspended_at(), None);
}

#[tokio::test]
async fn api_3_an_answer_for_another_account_is_dropped_though_the_server_names_nobody() {
    let (nextcloud, gateway, users) = with_users(1, LoginPolicy::default()).await;
    name_nobody(&nextcloud, "somebody-else");
    let answer = call(&gateway, &users[0], "GET", APPS, "").await;
    answer.assert_error(500, "Internal error");
}

#[tokio::test]
async fn api_3_an_account_that_cannot_be_asked_is_no_fault() {
    let (nextcloud, gateway, users) = with_users(1, LoginPolicy::default()).await;
    name_nobody(&nextcloud, "");
    nextcloud.answer_with("user-wrong-password-two-factor-enforced", 503, "nonsense");
    assert_eq!(call(&gateway, &users[0], "GET", APPS, "").await.status, 200);
}

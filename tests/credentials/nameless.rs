//! Servers that send no `X-User-Id` (docs/API.md, section 3): the gateway asks for the account, and relies
//! on the answer as long as the server says that it has not changed.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use portreeve::gateway::LoginPolicy;
use serde_json::json;

use crate::support::nextcloud::{Nextcloud, Recording};
use crate::users::{APPS, call, count, with_users};

/// Answers as a server that sends no `X-User-Id`, but says which account it is if asked.
fn omit_user_id(nextcloud: &Nextcloud, id: &str) {
    let known = Recording::load("capabilities-admin-app-password").response;
    nextcloud.answer_with("capabilities-anonymous", 200, known.body.unwrap());
    let user = json!({"ocs": {
        "meta": {"status": "ok", "statuscode": 200, "message": "OK"},
        "data": {"id": id, "groups": []},
    }});
    let name = "user-wrong-password-two-factor-enforced";
    nextcloud.answer_with(name, 200, user.to_string());
}

/// How often the server was asked for the account.
fn account_requests(nextcloud: &Nextcloud) -> usize {
    let seen = nextcloud.seen();
    let requests = seen.iter().filter(|it| it.target.contains("/cloud/user"));
    requests.count()
}

#[tokio::test(flavor = "multi_thread")]
async fn api_3_calls_run_concurrently_if_the_server_sends_no_user_id() {
    let (nextcloud, gateway, users) = with_users(1, LoginPolicy::default()).await;
    let user = &users[0];
    omit_user_id(&nextcloud, &user.name);
    nextcloud.delay(Duration::from_millis(50));
    let begin = Instant::now();
    let answers = join_all((0..20).map(|_| call(&gateway, user, "GET", APPS, ""))).await;
    let took = begin.elapsed();
    assert_eq!(count(&answers, 200), 20);
    // One after the other, it would take twenty times 50 ms.
    assert!(took < Duration::from_millis(600), "{took:?}");
    // The server sends no `ETag` here, so each call asks for the account.
    assert_eq!(account_requests(&nextcloud), 20);
    let credential = gateway.vault.credential(&user.name).await.unwrap().unwrap();
    assert_eq!(credential.suspended_at(), None);
}

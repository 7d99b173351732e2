//! The binary, killed: refused logins are still counted, and who works is still known
//! (docs/API.md, section 5.6).

use std::time::Duration;

use crate::support::binary::{Served, get, portreeve, serve_in, success};
use crate::support::gateway::PASSWORD;
use crate::support::nextcloud::Nextcloud;
use crate::users::APPS;

#[tokio::test(flavor = "multi_thread")]
async fn api_5_6_the_count_survives_a_kill() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("capabilities-admin-app-password");
    nextcloud.accounts([]);
    let dir = tempfile::tempdir().unwrap();
    let users: Vec<_> = (1..=11)
        .map(|number| {
            let user = format!("user{number}");
            nextcloud.allow(&user, &user, PASSWORD);
            let mut put = portreeve();
            put.args(["credentials", "put", "--user", &user, "--data-dir"]);
            success(put.arg(dir.path()), PASSWORD);
            let mut new_token = portreeve();
            new_token.args(["token", "new", "--user", &user, "--tokens-file"]);
            let token = success(new_token.arg(dir.path().join("tokens")), "");
            (user, token.trim_end().to_owned())
        })
        .collect();
    let gateway = || {
        let mut command = serve_in(dir.path());
        command.args(["--groupware-url", nextcloud.url()]);
        Served::start(&mut command)
    };
    let first = gateway();
    for (_, token) in &users {
        assert_eq!(get(first.address, APPS, token).status, 200);
    }
    // The store is told that they work.
    tokio::time::sleep(Duration::from_millis(600)).await;
    first.kill();

    let second = gateway();
    let (dead, last) = users.split_at(9);
    for (user, token) in dead {
        nextcloud.revoke(user, PASSWORD);
        assert_eq!(get(second.address, APPS, token).status, 500);
    }
    assert_eq!(nextcloud.failed_logins(), 9);
    second.kill();

    let third = gateway();
    for (user, token) in last {
        nextcloud.revoke(user, PASSWORD);
        let answer = get(third.address, APPS, token);
        answer.assert_error(429, "Too many requests");
        let wait: u64 = answer.header("retry-after").unwrap().parse().unwrap();
        assert!((1700..=1800).contains(&wait), "{wait}");
    }
    assert_eq!(nextcloud.failed_logins(), 9);
}

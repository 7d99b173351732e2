//! The places for refused logins that several gateways on one PostgreSQL have in common.

use std::time::Duration;

use crate::several::{keys, on, serve};
use crate::support::binary::{Served, exchange, success, token, wait};
use crate::support::gateway::PASSWORD;
use crate::support::nextcloud::Nextcloud;
use crate::support::postgres::shared;

/// Thirty passwords that worked are revoked at once, and three gateways are asked for all of them by many
/// at the same time: the server refuses no more than all gateways may have refused together, and users
/// whose password works are served by each (docs/API.md, section 5.6).
#[test]
fn three_gateways_have_no_more_logins_refused_than_one() {
    const REVOKED: usize = 30;

    let Some(server) = shared() else { return };
    let url = server.database();
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let nextcloud = runtime.block_on(Nextcloud::start());
    nextcloud.answer("capabilities-admin-app-password");
    let users: Vec<_> = (0..REVOKED + 3)
        .map(|user| format!("user{user:02}"))
        .collect();
    nextcloud.accounts(
        users
            .iter()
            .map(|user| (user.as_str(), user.as_str(), PASSWORD)),
    );
    keys(dir, &[1]);
    let tokens: Vec<_> = users.iter().map(|user| token(dir, user)).collect();
    for user in &users {
        success(
            &mut on(&url, dir, &["credentials", "put", "--user", user]),
            &format!("{PASSWORD}\n"),
        );
    }
    let served: Vec<_> = (0..3)
        .map(|_| Served::start(serve(&url, dir).args(["--groupware-url", nextcloud.url()])))
        .collect();
    let addresses: Vec<_> = served.iter().map(|it| it.address).collect();
    let use_it = |gateway: usize, user: usize| {
        exchange(addresses[gateway], "GET", "/api/v1/apps", &tokens[user])
            .map_or(0, |answer| answer.status)
    };
    // Each gateway sees some of them work: their first uses, one after the other.
    for user in 0..users.len() {
        let gateway = user % 3;
        wait("a first use", || use_it(gateway, user) == 200);
    }
    assert_eq!(nextcloud.failed_logins(), 0);
    // One that ends leaves no place behind that it kept for calls to come.
    let kept = "SELECT count(*) FROM portreeve.place";
    let database = url.rsplit('/').next().unwrap();
    let mut ending = Served::start(serve(&url, dir).args(["--groupware-url", nextcloud.url()]));
    for _ in 0..3 {
        let answer = exchange(ending.address, "GET", "/api/v1/apps", &tokens[0]);
        assert_eq!(answer.unwrap().status, 200);
        std::thread::sleep(Duration::from_millis(300));
    }
    let before: u32 = server.psql(database, kept).parse().unwrap();
    ending.terminate();
    assert!(ending.wait().success());
    wait("its places come free", || {
        server.psql(database, kept).parse::<u32>().unwrap() < before.max(1)
    });
    for user in &users[..REVOKED] {
        nextcloud.revoke(user, PASSWORD);
    }
    // Longer than a password counts as having worked a moment ago.
    std::thread::sleep(Duration::from_millis(600));
    std::thread::scope(|scope| {
        for task in 0..24 {
            let use_it = &use_it;
            scope.spawn(move || {
                for turn in 0..10 {
                    let user = (7 * task + 11 * turn) % REVOKED;
                    assert_ne!(use_it((task + turn) % 3, user), 200, "it is revoked");
                }
            });
        }
    });
    let failed = nextcloud.failed_logins();
    assert!((3..=9).contains(&failed), "{failed} logins were refused");
    // Nobody is shut out there; here whoever comes finds no place until one comes free.
    for gateway in 0..3 {
        let status = use_it(gateway, REVOKED + gateway);
        assert!(matches!(status, 200 | 429), "{status}");
    }
    assert!(nextcloud.failed_logins() <= 9);
}

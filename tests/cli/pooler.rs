//! A gateway behind a real pgbouncer (docs/OPERATIONS.md, "More than one gateway").

use std::time::Duration;

use crate::several::{on, put, remove, serve};
use crate::support::binary::{Served, assert_contains, has_access, is_ready, success, token};
use crate::support::pgbouncer::PgBouncer;
use crate::support::postgres::shared;

#[test]
fn a_pooler_that_drops_notifications_is_named_and_no_gateway_trusts_its_cache() {
    let Some(server) = shared() else { return };
    let Some(pooler) = PgBouncer::before(server, "transaction") else {
        return;
    };
    let (url, dir) = (server.database(), tempfile::tempdir().unwrap());
    let (dir, pooled) = (dir.path(), pooler.through(&url));
    put(&url, dir, "alice", 1);
    let alice = token(dir, "alice");
    let check_through = |url: &str| {
        let arguments = ["check-config", "--online", "--listen", "127.0.0.1:0"];
        let mut check = on(url, dir, &arguments);
        check.arg("--tokens-file").arg(dir.join("tokens"));
        check
    };
    let shown = success(&mut check_through(&pooled), "");
    assert_contains(&shown, &["! warning: online: ", "pool_mode = session"]);

    // Another one: on the first one's connections is what the check left, its statements and perhaps a lock.
    drop(pooler);
    let pooler = PgBouncer::before(server, "transaction").unwrap();
    let pooled = pooler.through(&url);
    let one = Served::start(&mut serve(&url, dir));
    let other = Served::start(serve(&pooled, dir).args(["--database-connections", "1"]));
    let line = other.line_with("not receiving change notifications");
    assert_contains(&line, &["WARN", "pool_mode = session", &pooled]);
    for _ in 0..100 {
        assert_eq!(has_access(other.address, &alice), Some(true));
    }
    assert!(remove(one.address, &alice));
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(has_access(other.address, &alice), Some(false));
    assert!(is_ready(other.address));

    pooler.set_pool_mode("session");
    other.line_with("receiving change notifications again");
    let pooler = PgBouncer::before(server, "session").unwrap();
    let mut check = check_through(&pooler.through(&url));
    let shown = success(&mut check, "");
    assert_contains(&shown, &["online: it sends notifications of changes"]);
}

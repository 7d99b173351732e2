//! `check-config` before a real pgbouncer (docs/OPERATIONS.md, "Several gateways on one database"). How the store behaves there:
//! tests/vault/postgres/pooler.rs.

use crate::several::{on, put};
use crate::support::binary::{assert_contains, success, token};
use crate::support::pgbouncer::PgBouncer;
use crate::support::postgres::shared;

#[test]
fn a_pooler_that_drops_notifications_is_named() {
    let Some(server) = shared() else { return };
    let (url, dir) = (server.database(), tempfile::tempdir().unwrap());
    let dir = dir.path();
    put(&url, dir, "alice", 1);
    token(dir, "alice");
    for (pool_mode, expected) in [
        ("transaction", &["! warning: online: ", "pool_mode = session"][..]),
        ("session", &["online: it sends notifications of changes"]),
    ] {
        let Some(pooler) = PgBouncer::before(server, pool_mode) else {
            return;
        };
        let arguments = ["check-config", "--online", "--listen", "127.0.0.1:0"];
        let mut check = on(&pooler.through(&url), dir, &arguments);
        let shown = success(check.arg("--tokens-file").arg(dir.join("tokens")), "");
        assert_contains(&shown, expected);
    }
}

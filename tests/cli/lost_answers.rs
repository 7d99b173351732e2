//! Commands whose database may have made a change, although its answer is lost (docs/OPERATIONS.md, "The audit log").

use std::fs;

use serde_json::Value;

use crate::several::{on, put};
use crate::support::binary::failure;
use crate::support::cutter::{Cut, Cutter};
use crate::support::postgres::shared;

#[tokio::test(flavor = "multi_thread")]
async fn a_command_says_that_its_change_may_have_been_made() {
    let Some(server) = tokio::task::block_in_place(shared) else {
        return;
    };
    let url = server.database();
    let database = url.rsplit('/').next().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let cutter = Cutter::before(server.port).await;
    let audit = dir.path().join("audit.log");
    let removal = |cut| {
        tokio::task::block_in_place(|| {
            put(&url, dir.path(), "alice", 1);
            cutter.set(cut);
            let arguments = ["credentials", "remove", "--user", "alice"];
            let mut remove = on(&cutter.through(&url), dir.path(), &arguments);
            let line = failure(remove.arg("--audit-log").arg(&audit), 1);
            assert!(line.contains("cannot remove a credential"), "{line}");
            let recorded = fs::read_to_string(&audit).unwrap();
            let record: Value = serde_json::from_str(recorded.lines().last().unwrap()).unwrap();
            let rows = server.psql(database, "SELECT count(*) FROM portreeve.credential");
            let is_said = line.ends_with("; it may have been done all the same");
            (is_said, record["outcome"].clone(), rows)
        })
    };
    let lost = removal(Cut::After("DELETE FROM portreeve.credential"));
    assert_eq!(lost, (true, "unknown".into(), "0".into()));
    server.psql(
        database,
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$; \
         CREATE TRIGGER refuse BEFORE DELETE ON portreeve.credential \
         FOR EACH ROW EXECUTE FUNCTION refuse()",
    );
    let refused = removal(Cut::Never);
    assert_eq!(refused, (false, "failed".into(), "1".into()));
}

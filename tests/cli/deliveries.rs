//! `portreeve deliveries`: lists have a header, and `--json`, as other lists have.

use std::path::Path;

use portreeve::deliveries::{
    Completion, Deliveries, Incoming, Limits, Outcome, Queue, Scope, TargetId, TargetSettings,
    TargetState,
};
use portreeve::vault::{Keyring, SqliteStore, Vault};
use serde_json::{Value, json};

use crate::support::binary::{failure, in_dir, success};

const CLASS: &str = r"OCP\Files\Events\Node\NodeCreatedEvent";

/// Makes a target of alice, and a delivery to it whose first attempt was rejected.
async fn fill(dir: &Path) -> TargetId {
    let keyring = Keyring::read_or_create(dir.join("vault.key")).unwrap();
    let store = SqliteStore::open(dir.join("portreeve.db")).await.unwrap();
    let queue = Queue::in_sqlite(&store).unwrap();
    let vault = Vault::new(keyring, store);
    let deliveries = Deliveries::new(vault, queue.clone(), Limits::default());
    let settings = TargetSettings {
        uri: "https://hooks.example.org/\u{1b}[31m".into(),
        events: Vec::new(),
        filter: None,
        secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned().into(),
        previous: Vec::new(),
    };
    let target = deliveries.add_target(Some("alice"), &settings).await;
    let target = target.unwrap().id;
    let body = json!({"event": {"class": CLASS}, "user": {"uid": "alice"}});
    let incoming = Incoming::parse(body.to_string().as_bytes()).unwrap();
    deliveries.receive(incoming).await.unwrap();
    let position = queue.unmatched(1).await.unwrap()[0].position;
    queue.fan_out(vec![(position, vec![target])]).await.unwrap();
    attempt(&queue, Outcome::Rejected, 503).await;
    target
}

/// Claims the delivery, and notes how the attempt ended.
async fn attempt(queue: &Queue, outcome: Outcome, status: u16) {
    let claimed = queue.claim(1, None).await.unwrap();
    let ended = Completion {
        position: claimed[0].position,
        target: claimed[0].id.target,
        claim: claimed[0].claim,
        outcome,
        status: Some(status),
        again: None,
    };
    queue.complete(vec![ended]).await.unwrap();
}

/// It arrives at last.
async fn deliver(dir: &Path) {
    let store = SqliteStore::open(dir.join("portreeve.db")).await.unwrap();
    let queue = Queue::in_sqlite(&store).unwrap();
    attempt(&queue, Outcome::Delivered, 200).await;
}

/// Its owner changes the state of the target.
async fn change(dir: &Path, state: TargetState) {
    let store = SqliteStore::open(dir.join("portreeve.db")).await.unwrap();
    let queue = Queue::in_sqlite(&store).unwrap();
    let target = &queue.targets(Scope::All, None, 1).await.unwrap()[0];
    let sealed = target.sealed.clone();
    let changing = queue.change_target(Scope::All, target.id, target.revision, state, sealed);
    assert!(changing.await.unwrap());
}

#[test]
fn targets_and_deliveries_are_listed_below_a_header_or_as_json() {
    let dir = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let target = runtime.block_on(fill(dir.path())).to_string();
    let run = |arguments: &[&str]| {
        let arguments = [&["deliveries"], arguments].concat();
        success(&mut in_dir(dir.path(), &arguments), "")
    };
    let json = |arguments: &[&str]| -> Value {
        let text = run(&[arguments, &["--json"]].concat());
        serde_json::from_str(&text).unwrap()
    };

    let text = run(&["targets"]);
    let (header, row) = text.trim_end().split_once('\n').unwrap();
    assert_eq!(header, "id\tuser\tstate\tpending\tfailing_since\turi");
    let row: Vec<_> = row.split('\t').collect();
    assert_eq!(row[..4], [&*target, "alice", "active", "0"]);
    assert!(
        row[4].ends_with('Z') && !row[5].contains('\u{1b}'),
        "{row:?}"
    );
    let shown = json(&["targets"]);
    assert_eq!(shown["id"], *target);
    assert_eq!(shown["uri"], "https://hooks.example.org/\u{1b}[31m");

    let text = run(&["list", "--target", &target]);
    let (header, row) = text.trim_end().split_once('\n').unwrap();
    let columns = "id\treceived_at\tevent\tstate\tattempt_count\tnext_attempt_at\tlast_attempt";
    assert_eq!(header, columns);
    let row: Vec<_> = row.split('\t').collect();
    assert_eq!(row[2..6], [CLASS, "failed", "1", "-"]);
    assert!(row[6].ends_with(" rejected 503"), "{row:?}");
    let shown = json(&["list", "--target", &target, "--state", "failed"]);
    assert_eq!(shown["event"], CLASS);
    assert_eq!(shown["next_attempt_at"], Value::Null);
    assert_eq!(
        run(&["list", "--target", &target, "--state", "pending"]),
        columns.to_owned() + "\n"
    );

    let id = shown["id"].as_str().unwrap();
    let text = run(&["show", id]);
    assert!(
        text.contains("state\tfailed\n") && text.contains(" rejected 503\n"),
        "{text}"
    );
    let retry = || {
        let mut retry = in_dir(dir.path(), &["deliveries", "retry", id]);
        String::from_utf8(retry.output().unwrap().stderr).unwrap()
    };
    let again = format!("the delivery {id} is sent again");
    assert_eq!(retry(), format!("{again}\n"));
    runtime.block_on(change(dir.path(), TargetState::Paused));
    let paused = format!("{again} once its target is active (it is paused)\n");
    assert_eq!(retry(), paused);
    runtime.block_on(change(dir.path(), TargetState::Active));
    assert_eq!(json(&["list", "--target", &target])["state"], "pending");
    runtime.block_on(deliver(dir.path()));
    // Those before the retry are counted, too.
    assert_eq!(json(&["list", "--target", &target])["attempt_count"], "2");
    let arrived = failure(&mut in_dir(dir.path(), &["deliveries", "retry", id]), 1);
    assert!(arrived.contains("has arrived already"), "{arrived}");
    assert_eq!(json(&["list", "--target", &target])["state"], "delivered");
    let unknown = ["deliveries", "list", "--target", "0000000000000000"];
    let unknown = failure(&mut in_dir(dir.path(), &unknown), 1);
    assert!(
        unknown.contains("there is no target 0000000000000000: `portreeve deliveries targets`"),
        "{unknown}"
    );
    let none = failure(&mut in_dir(dir.path(), &["deliveries", "list"]), 2);
    assert!(
        none.contains("`portreeve deliveries targets` lists"),
        "{none}"
    );
    let unknown = format!("{}{target}", "0".repeat(32));
    let unknown = failure(
        &mut in_dir(dir.path(), &["deliveries", "show", &unknown]),
        1,
    );
    assert!(unknown.contains("`portreeve deliveries list"), "{unknown}");
}

//! `portreeve deliveries`: lists have a header, and `--json`, as other lists have.

use std::path::Path;

use portreeve::deliveries::queue::{Accounts, Places};
use portreeve::deliveries::{
    AttemptOutcome, Completion, Deliveries, Incoming, Limits, Maker, Queue, Scope, Shares,
    TargetId, TargetSettings, TargetState,
};
use portreeve::groupware::EventClasses;
use portreeve::vault::{Keyring, SqliteStore, Vault};
use serde_json::{Value, json};

use crate::support::binary::{failure, in_dir, success};

const CLASS: &str = r"OCP\Files\Events\Node\NodeCreatedEvent";

/// Makes a target of alice, and a delivery to it whose first attempt was rejected.
async fn fill(dir: &Path) -> TargetId {
    let keyring = Keyring::read_or_create(dir.join("vault.key")).unwrap();
    let store = SqliteStore::open(dir.join("portreeve.db")).await.unwrap();
    let queue = Queue::in_sqlite(&store);
    let vault = Vault::new(keyring, store);
    let deliveries = Deliveries::new(vault, queue.clone(), Limits::default());
    let settings = TargetSettings::new(
        "https://hooks.example.org/\u{1b}[31m",
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned().into(),
    );
    let target = deliveries.add_target(Some("alice"), &settings, Maker::of("alice")).await;
    let target = target.unwrap().id;
    let body = json!({"event": {"class": CLASS, "node": {"path": "/alice/files/a"}}, "user": null});
    let incoming = Incoming::parse(body.to_string().as_bytes(), &EventClasses::default()).unwrap();
    deliveries.receive(incoming).await.unwrap();
    let position = queue.lease(1, Accounts::AllBut(&[])).await.unwrap()[0].position;
    queue.fan_out(vec![(position, vec![target])]).await.unwrap();
    attempt(&queue, AttemptOutcome::Rejected, 503).await;
    target
}

/// Claims the delivery, and notes how the attempt ended.
async fn attempt(queue: &Queue, outcome: AttemptOutcome, status: u16) {
    let places = Places { all: Shares::new(1), failing: Shares::new(1) };
    let claiming = queue.complete_and_claim(Vec::new(), 1, places.clone());
    let (_, claimed) = claiming.await.unwrap();
    let ended = Completion {
        claimed: claimed[0].clone(),
        outcome: Some(outcome),
        status: Some(status),
        again: None,
    };
    let noting = queue.complete_and_claim(vec![ended], 0, places);
    noting.await.unwrap();
}

/// It arrives at last.
async fn deliver(dir: &Path) {
    let store = SqliteStore::open(dir.join("portreeve.db")).await.unwrap();
    let queue = Queue::in_sqlite(&store);
    attempt(&queue, AttemptOutcome::Delivered, 200).await;
}

/// Its owner changes the state of the target.
async fn change(dir: &Path, state: TargetState) {
    let store = SqliteStore::open(dir.join("portreeve.db")).await.unwrap();
    let queue = Queue::in_sqlite(&store);
    let target = &queue.targets(Scope::All, None, 1).await.unwrap()[0];
    let sealed = target.sealed.clone();
    let changing =
        queue.change_target(Scope::All, target.id, (target.revision, state), sealed, None);
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
    assert_eq!(header, "id\tuser\tstate\tsuspended\tmade_by\tpending\tfailing_since\turi");
    let row: Vec<_> = row.split('\t').collect();
    assert_eq!(row[..6], [&*target, "alice", "active", "-", "alice", "0"]);
    assert!(row[6].ends_with('Z') && !row[7].contains('\u{1b}'), "{row:?}");
    let shown = json(&["targets"]);
    assert_eq!(shown["id"], *target);
    assert_eq!(shown["pending"], 0);
    assert_eq!(shown["uri"], "https://hooks.example.org/\u{1b}[31m");

    let text = run(&["list", "--target", &target]);
    let (header, row) = text.trim_end().split_once('\n').unwrap();
    let columns = "id\treceived_at\tevent\tstate\tattempt_count\tnext_attempt_at\tlast_attempt";
    assert_eq!(header, columns);
    let row: Vec<_> = row.split('\t').collect();
    assert_eq!(row[2..6], [CLASS, "failed", "1", "-"]);
    let shown = json(&["list", "--target", &target, "--state", "failed"]);
    assert_eq!(shown["event"], CLASS);
    assert_eq!(shown["next_attempt_at"], Value::Null);
    assert_eq!(shown["attempt_count"], 1);
    let last = &shown["last_attempt"];
    assert_eq!((&last["outcome"], &last["status"]), (&json!("rejected"), &json!(503)));
    assert!(last["at"].as_str().unwrap().ends_with('Z'), "{last}");
    assert_eq!(row[6], format!("{} rejected 503", last["at"].as_str().unwrap()));
    assert_eq!(
        run(&["list", "--target", &target, "--state", "pending"]),
        columns.to_owned() + "\n"
    );

    let id = shown["id"].as_str().unwrap();
    let text = run(&["show", id]);
    assert!(text.contains("state\tfailed\n") && text.contains(" rejected 503\n"), "{text}");
    let mut expected = shown.clone();
    let last = expected.as_object_mut().unwrap().remove("last_attempt");
    expected["attempts"] = json!([last]);
    assert_eq!(json(&["show", id]), expected);
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
    assert_eq!(json(&["list", "--target", &target])["attempt_count"], 2);
    let arrived = failure(&mut in_dir(dir.path(), &["deliveries", "retry", id]), 1);
    assert!(arrived.contains("has arrived already"), "{arrived}");
    assert_eq!(json(&["list", "--target", &target])["state"], "delivered");
    let unknown = ["deliveries", "list", "--target", "0000000000000000"];
    let unknown = failure(&mut in_dir(dir.path(), &unknown), 1);
    assert!(
        unknown.contains("there is no target 0000000000000000: `portreeve deliveries targets`"),
        "{unknown}"
    );
    let unknown = format!("{}{target}", "0".repeat(32));
    let unknown = failure(&mut in_dir(dir.path(), &["deliveries", "show", &unknown]), 1);
    assert!(unknown.contains("`portreeve deliveries list"), "{unknown}");
}

/// Without a target, the deliveries of all are listed, one target after the other.
#[test]
fn a_list_without_a_target_has_those_of_all() {
    let dir = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let first = runtime.block_on(fill(dir.path()));
    let second = runtime.block_on(fill(dir.path()));
    let listed = |arguments: &[&str]| -> Vec<String> {
        let arguments = [&["deliveries", "list"], arguments].concat();
        let text = success(&mut in_dir(dir.path(), &arguments), "");
        let ids = text.lines().skip(1).map(|row| row.split('\t').next().unwrap());
        ids.map(str::to_owned).collect()
    };
    let mut targets = [first, second];
    targets.sort();
    let ids = listed(&[]);
    let of: Vec<_> = ids.iter().map(|id| id[32..].to_owned()).collect();
    assert_eq!(of, targets.map(|target| target.to_string()));
    assert_eq!(listed(&["--target", &of[1]]), ids[1..]);
    assert_eq!(listed(&["--state", "failed"]), ids);
    assert_eq!(listed(&["--state", "delivered"]), [""; 0]);
}

/// As `PATCH` and `DELETE` do (docs/API.md, section 12.2).
#[test]
fn a_target_is_paused_resumed_and_removed() {
    let dir = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let target = &*runtime.block_on(fill(dir.path())).to_string();
    let run = |arguments: &[&str]| {
        let arguments = [&["deliveries"], arguments].concat();
        let ended = in_dir(dir.path(), &arguments).output().unwrap();
        assert!(ended.status.success(), "{arguments:?}: {ended:?}");
        (ended.stdout, String::from_utf8(ended.stderr).unwrap())
    };
    let shown = || -> Value { serde_json::from_slice(&run(&["targets", "--json"]).0).unwrap() };
    let list = run(&["list"]).0;
    let id = String::from_utf8(list).unwrap();
    let id = id.lines().nth(1).unwrap().split('\t').next().unwrap();
    run(&["retry", id]);

    let its = "the deliveries that wait for it (1)";
    let waits = "wait until it is resumed, at most for deliveries_keep";
    let paused =
        format!("the target {target} is paused: {its} and what arrives meanwhile {waits}\n");
    // Whatever it is already.
    for _ in 0..2 {
        assert_eq!(run(&["pause", target]).1, paused);
        let shown = shown();
        assert_eq!((&shown["state"], &shown["pending"]), (&json!("paused"), &json!(1)));
        // What is sealed stays as it is.
        assert_eq!(shown["uri"], "https://hooks.example.org/\u{1b}[31m");
    }
    let active = format!("the target {target} is active: {its} are sent when due");
    assert_eq!(run(&["resume", target]).1, format!("{active}\n"));
    assert_eq!(shown()["state"], "active");
    runtime.block_on(change(dir.path(), TargetState::Disabled));
    let missed = "; what arrived while it was disabled (0) is not among them: a replay sends it";
    assert_eq!(run(&["resume", target]).1, format!("{active}{missed}\n"));
    let shown = shown();
    assert_eq!(shown["state"], "active");
    assert_eq!(shown["failing_since"], Value::Null);

    let removed = format!(
        "the target {target} is removed: {its} are not sent, unless an attempt is under way\n"
    );
    assert_eq!(run(&["remove", target]).1, removed);
    assert_eq!(run(&["targets", "--json"]).0, b"");
    for command in ["pause", "resume", "remove"] {
        let gone = failure(&mut in_dir(dir.path(), &["deliveries", command, target]), 1);
        let unknown = format!(
            "TARGET: there is no target {target}: `portreeve deliveries targets` lists them"
        );
        assert!(gone.contains(&unknown), "{gone}");
        let wrong = failure(&mut in_dir(dir.path(), &["deliveries", command, "x"]), 1);
        assert!(wrong.contains("TARGET: x is no such id"), "{wrong}");
    }
}

#[test]
fn api_12_2_removing_a_user_suspends_what_they_made_for_others_and_says_so_in_the_audit_log() {
    let dir = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let target = runtime.block_on(fill(dir.path()));
    let mut maker = Maker::of("carol");
    maker.as_administrator = true;
    let change = async {
        let store = SqliteStore::open(dir.path().join("portreeve.db")).await?;
        let queue = Queue::in_sqlite(&store);
        let found = queue.target(Scope::All, target).await?.unwrap();
        let (was, sealed) = ((found.revision, found.state), found.sealed);
        let changing = queue.change_target(Scope::All, target, was, sealed, Some(&maker));
        Ok::<_, Box<dyn std::error::Error>>(changing.await?)
    };
    assert!(runtime.block_on(change).unwrap());
    success(&mut in_dir(dir.path(), &["token", "new", "--user", "carol"]), "");
    let log = dir.path().join("audit.log");
    let log = log.to_str().unwrap();
    let arguments = ["users", "remove", "carol", "--audit-log", log];
    success(&mut in_dir(dir.path(), &arguments), "");
    let audit = std::fs::read_to_string(log).unwrap();
    let lines = audit.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let lines: Vec<_> = lines.collect();
    let [suspended, removed] = &*lines else { panic!("{audit}") };
    assert_eq!(suspended["action"], "target.suspend");
    assert_eq!(suspended["target_id"], target.to_string());
    assert_eq!(suspended["user"], "alice");
    assert_eq!((&removed["action"], &removed["user"]), (&json!("user.remove"), &json!("carol")));
    assert_eq!(suspended["actor"], removed["actor"]);
}

//! Audit records, as an embedder makes and receives them.

use std::sync::{Arc, Mutex};

use portreeve::audit::{Action, Actor, AuditObserver, Auditor, Outcome, Record};
use serde_json::json;

/// Keeps the records.
#[derive(Debug, Default)]
pub(crate) struct Kept(pub(crate) Mutex<Vec<Record>>);

impl AuditObserver for Kept {
    fn recorded(&self, record: &Record) {
        self.0.lock().unwrap().push(record.clone());
    }
}

fn auditor() -> (Auditor, Arc<Kept>) {
    let kept = Arc::new(Kept::default());
    let actor = Actor::Token { caller: "alice".into() };
    let mut auditor = Auditor::new(actor);
    auditor.observer = Some(kept.clone());
    (auditor, kept)
}

#[test]
fn an_attempt_ends_once_and_if_interrupted_it_has_failed() {
    let (auditor, kept) = auditor();
    let attempt = auditor.attempt(Action::RemoveCredential).user("alice");
    attempt.done();
    attempt.refused("too late");
    drop(attempt);
    drop(auditor.attempt(Action::StoreCredential));
    auditor.attempt(Action::StoreCredential).leave_out();
    let records = kept.0.lock().unwrap();
    let ends: Vec<_> = records.iter().map(|it| (it.outcome, &it.reason)).collect();
    let interrupted = Some("it was interrupted".into());
    assert_eq!(ends, [(Outcome::Done, &None), (Outcome::Failed, &interrupted)]);
}

#[test]
fn a_record_is_one_flat_object_and_names_from_outside_are_bounded() {
    let (mut auditor, kept) = auditor();
    auditor.request_id = Some("r-1".into());
    let attempt = auditor.attempt(Action::Bind).user(&"ü".repeat(1000));
    attempt.found_person("https://i", "s\n1");
    attempt.refused("taken");
    let record = serde_json::to_value(&kept.0.lock().unwrap()[0]).unwrap();
    let expected = json!({
        "action": "binding.bind",
        "outcome": "refused",
        "by": "token",
        "caller": "alice",
        "user": "ü".repeat(127),
        "issuer": "https://i",
        "subject": "s\n1",
        "request_id": "r-1",
        "reason": "taken",
    });
    assert_eq!(record, expected);
    for actor in
        [Actor::AppPassword { caller: "a".into() }, Actor::Person, Actor::Command { uid: 0 }]
    {
        let value = serde_json::to_value(&actor).unwrap();
        assert_eq!(value["by"], actor.kind());
        assert_eq!(value["caller"].as_str(), actor.caller());
    }
}

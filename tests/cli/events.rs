//! The list of `portreeve events`; the other commands are in `transcripts/events.txt`.

use portreeve::groupware::KnownEvent;
use serde_json::Value;

use crate::support::binary::{portreeve, success};

const CREATED: &str = r"OCP\Files\Events\Node\NodeCreatedEvent";

#[test]
fn all_classes_are_listed() {
    let listed = success(portreeve().args(["events", "list"]), "");
    assert_eq!(listed.lines().count(), 1 + KnownEvent::all().count());
    let created = listed.lines().find(|line| line.starts_with(&format!("{CREATED} ")));
    let created = created.expect(&listed);
    assert!(created.contains(" server ") && created.ends_with('.'), "{created}");
    for line in listed.lines().skip(1) {
        assert!(line.split_whitespace().next().unwrap().contains('\\'), "{line}");
    }
    let json = success(portreeve().args(["events", "list", "--json"]), "");
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json.as_array().unwrap().len(), KnownEvent::all().count());
}

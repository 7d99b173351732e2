//! The presets that are built in, against what a real server delivered.

use std::collections::BTreeSet;

use portreeve::gateway::{PresetWebhook, WebhookPresets};
use portreeve::groupware::{EventClasses, EventSample, MatchResult};
use serde_json::Value;

use crate::support::nextcloud::{RecordedDelivery, Release};

/// The bodies of all recorded deliveries that have one.
fn deliveries() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recordings");
    let mut bodies = Vec::new();
    for (version, name) in [
        (Release::V32, "nextcloud"),
        (Release::V34, "nextcloud-34.0.1"),
    ] {
        for file in std::fs::read_dir(format!("{folder}/{name}")).unwrap() {
            let file = file.unwrap().file_name().into_string().unwrap();
            let file = file
                .strip_suffix(".json")
                .filter(|it| it.starts_with("delivery-"));
            if let Some(file) = file {
                let body = RecordedDelivery::of(version, file).request.body;
                bodies.push((file.to_owned(), body));
            }
        }
    }
    assert!(bodies.len() >= 20, "{}", bodies.len());
    bodies
}

fn class(body: &str) -> String {
    let body: Value = serde_json::from_str(body).unwrap();
    body["event"]["class"].as_str().unwrap().to_owned()
}

fn matches(webhook: &PresetWebhook, body: &str) -> bool {
    let shape = EventClasses::default().shape(webhook.event());
    let sample = EventSample::parse(body, webhook.event(), shape).unwrap();
    match sample.judge(webhook.filter()) {
        found if found.result == MatchResult::Matches => true,
        found if found.result == MatchResult::DoesNotMatch => false,
        other => panic!("{}: {other:?}", webhook.event()),
    }
}

/// Whether `preset` gets the delivery with this body.
fn delivers(preset: &str, body: &str) -> bool {
    let presets = WebhookPresets::built_in();
    let webhooks = presets.get(preset).unwrap().webhooks();
    let class = class(body);
    let mut of_class = webhooks.iter().filter(|it| it.event() == class);
    of_class.any(|webhook| matches(webhook, body))
}

#[test]
fn each_webhook_gets_a_delivery_that_was_recorded() {
    let deliveries = deliveries();
    let presets = WebhookPresets::built_in();
    for preset in presets.iter() {
        for webhook in preset.webhooks() {
            let of_class = deliveries
                .iter()
                .filter(|it| class(&it.1) == webhook.event());
            let bodies: Vec<_> = of_class
                // None of the recorded ones is of a note: it becomes one.
                .map(|(_, body)| match preset.name() {
                    "notes" => body.replace(r"\/files\/", r"\/files\/Notes\/"),
                    _ => body.clone(),
                })
                .collect();
            assert!(!bodies.is_empty(), "{}", webhook.event());
            for body in bodies {
                assert!(matches(webhook, &body), "{}: {body}", preset.name());
            }
        }
    }
}

#[test]
fn what_was_recorded_is_delivered_by_the_presets_that_it_belongs_to() {
    let mut delivered = BTreeSet::new();
    for (name, body) in deliveries() {
        let class = class(&body);
        for preset in ["calendar", "files", "notes", "tags"] {
            let expected = match preset {
                "calendar" => class.starts_with(r"OCP\Calendar"),
                "tags" => class.starts_with(r"OCP\SystemTag"),
                // Those beside them would tell the same a second time.
                "files" => {
                    class.contains("Node")
                        && !matches!(
                            class.rsplit('\\').next().unwrap(),
                            "BeforeNodeCreatedEvent"
                                | "BeforeNodeRenamedEvent"
                                | "NodeCopiedEvent"
                                | "NodeDeletedEvent"
                        )
                }
                _ => false,
            };
            assert_eq!(delivers(preset, &body), expected, "{preset}: {name}");
            if expected {
                delivered.insert((preset, class.clone()));
            }
        }
    }
    assert_eq!(delivered.len(), 5 + 6 + 2);
}

#[test]
fn a_note_is_what_lies_in_the_folder_notes() {
    let event = |class: &str, members: &str| {
        format!(
            r#"{{"event":{{{members},"class":"{}"}},"user":null,"time":1}}"#,
            class.replace('\\', r"\\")
        )
    };
    let node = |path: &str| {
        let created = r"OCP\Files\Events\Node\NodeCreatedEvent";
        event(created, &format!(r#""node":{{"id":1,"path":"{path}"}}"#))
    };
    for (path, notes, files) in [
        ("/alice/files/Notes/a.md", true, true),
        ("/alice/files//Notes/a.md", true, true),
        ("/alice/files/Notes/Work/a\\nb.md", true, true),
        ("/alice/files/Notes", true, true),
        ("/a@b.example/files/Notes/Ümläut.md", true, true),
        ("/alice/files/Notes.md", false, true),
        ("/alice/files/notes/a.md", false, true),
        ("/alice/files/My/Notes/a.md", false, true),
        ("/alice/files_trashbin/files/Notes/a.md.d1", false, false),
        ("/appdata_ocx/preview/1/files.png", false, false),
        ("/alice/uploads/files/Notes/a.md", false, false),
        ("/alice/cache/files/a", false, false),
    ] {
        assert_eq!(delivers("notes", &node(path)), notes, "{path}");
        assert_eq!(delivers("files", &node(path)), files, "{path}");
    }
    // A note that is moved away is one as much as one that comes.
    let renamed = |from: &str, to: &str| {
        let renamed = r"OCP\Files\Events\Node\NodeRenamedEvent";
        event(
            renamed,
            &format!(r#""source":{{"path":"{from}"}},"target":{{"id":1,"path":"{to}"}}"#),
        )
    };
    let (note, other) = ("/alice/files/Notes/a.md", "/alice/files/a.md");
    for (from, to, expected) in [
        (note, other, true),
        (other, note, true),
        (note, note, true),
        (other, other, false),
    ] {
        assert_eq!(
            delivers("notes", &renamed(from, to)),
            expected,
            "{from} {to}"
        );
    }
}

#[test]
fn a_calendar_object_that_is_delivered_leaves_room_in_the_job_queue() {
    // What a job takes is the body, and an id.
    const MOST: usize = 4000 - 100;
    for (name, body) in deliveries() {
        if !class(&body).starts_with(r"OCP\Calendar") {
            continue;
        }
        let with = |bytes: usize| {
            let mut body: Value = serde_json::from_str(&body).unwrap();
            let mut text = "SUMMARY:A line of a calendar/object\r\n".repeat(1_000);
            text.truncate(bytes);
            body["event"]["objectData"]["calendardata"] = text.into();
            // PHP escapes slashes, too.
            body.to_string().replace('/', r"\/")
        };
        assert!(delivers("calendar", &with(1000)), "{name}");
        assert!(with(1000).len() < MOST, "{name}: {}", with(1000).len());
        for large in [1001, 3000, 30_000] {
            assert!(!delivers("calendar", &with(large)), "{name}");
        }
    }
}

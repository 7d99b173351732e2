//! The built-in presets, compared with what a real server delivered.

use std::collections::BTreeSet;
use std::time::Duration;

use portreeve::groupware::{EventClasses, EventFilter, EventSample, JobLimit, MatchResult};
use serde_json::{Value, json};

use super::{Bench, URI};
use crate::support::nextcloud::{RecordedDelivery, Release};

const PRESETS: [&str; 4] = ["calendar", "files", "notes", "tags"];

/// The bodies of all recorded deliveries that have one.
fn deliveries() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recordings");
    let mut bodies = Vec::new();
    for (version, name) in [(Release::V32, "nextcloud"), (Release::V34, "nextcloud-34.0.1")] {
        for file in std::fs::read_dir(format!("{folder}/{name}")).unwrap() {
            let file = file.unwrap().file_name().into_string().unwrap();
            let file = file.strip_suffix(".json").filter(|it| it.starts_with("delivery-"));
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

/// A webhook as the server keeps it.
struct Registered {
    preset: &'static str,
    event: String,
    filter: String,
}

impl Registered {
    fn matches(&self, body: &str) -> bool {
        let shape = EventClasses::default().shape(&self.event);
        let filter = EventFilter::parse(&self.filter, shape).unwrap();
        let sample = EventSample::parse(body, &self.event, shape).unwrap();
        match sample.judge(filter.as_ref(), JobLimit::From34) {
            found if found.result == MatchResult::Matches => true,
            found if found.result == MatchResult::DoesNotMatch => false,
            other => panic!("{}: {other:?}", self.event),
        }
    }
}

/// What the presets register at a server of this version.
async fn registered(version: Release) -> Vec<Registered> {
    let mut registered = Vec::new();
    let bench = Bench::of(version, Duration::from_secs(20), |it| it).await;
    for preset in PRESETS {
        let before = bench.ids();
        let answer = bench.put("admin", preset, URI).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        for webhook in bench.nextcloud.webhooks() {
            if !before.contains(&webhook["id"].as_i64().unwrap()) {
                registered.push(Registered {
                    preset,
                    event: webhook["event"].as_str().unwrap().to_owned(),
                    filter: webhook["eventFilter"].to_string(),
                });
            }
        }
    }
    registered
}

/// Whether `preset` gets the delivery with this body.
fn delivers(registered: &[Registered], preset: &str, body: &str) -> bool {
    let class = class(body);
    let mut of_class = registered.iter().filter(|it| it.preset == preset && it.event == class);
    of_class.any(|webhook| webhook.matches(body))
}

#[tokio::test]
async fn each_webhook_matches_a_recorded_delivery() {
    let deliveries = deliveries();
    for version in Release::ALL {
        for webhook in registered(version).await {
            let of_class = deliveries.iter().filter(|it| class(&it.1) == webhook.event);
            let bodies: Vec<_> = of_class
                // None of the recorded ones is of a note, so the path is changed to that of one.
                .map(|(_, body)| match webhook.preset {
                    "notes" => body.replace(r"\/files\/", r"\/files\/Notes\/"),
                    _ => body.clone(),
                })
                .collect();
            assert!(!bodies.is_empty(), "{}", webhook.event);
            for body in bodies {
                assert!(webhook.matches(&body), "{}: {body}", webhook.preset);
            }
        }
    }
}

#[tokio::test]
async fn recorded_deliveries_match_the_presets_that_they_belong_to() {
    let registered = registered(Release::V34).await;
    let mut delivered = BTreeSet::new();
    for (name, body) in deliveries() {
        let class = class(&body);
        for preset in PRESETS {
            let expected = match preset {
                "calendar" => class.starts_with(r"OCP\Calendar"),
                "tags" => class.starts_with(r"OCP\SystemTag"),
                // The excluded classes would report the same change a second time.
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
            assert_eq!(delivers(&registered, preset, &body), expected, "{preset}: {name}");
            if expected {
                delivered.insert((preset, class.clone()));
            }
        }
    }
    assert_eq!(delivered.len(), 5 + 6 + 2);
}

#[tokio::test]
async fn a_note_is_a_file_in_the_folder_notes() {
    let registered = registered(Release::V32).await;
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
        assert_eq!(delivers(&registered, "notes", &node(path)), notes, "{path}");
        assert_eq!(delivers(&registered, "files", &node(path)), files, "{path}");
    }
    // Moving a note out of the folder counts as much as moving one in.
    let renamed = |from: &str, to: &str| {
        let renamed = r"OCP\Files\Events\Node\NodeRenamedEvent";
        event(
            renamed,
            &format!(r#""source":{{"path":"{from}"}},"target":{{"id":1,"path":"{to}"}}"#),
        )
    };
    let (note, other) = ("/alice/files/Notes/a.md", "/alice/files/a.md");
    for (from, to, expected) in
        [(note, other, true), (other, note, true), (note, note, true), (other, other, false)]
    {
        assert_eq!(delivers(&registered, "notes", &renamed(from, to)), expected, "{from} {to}");
    }
}

/// Events whose writes were lost because the delivery was too large are filtered out. Each was measured on
/// a server of version 32.
#[tokio::test]
async fn api_4_9_events_that_broke_the_write_are_not_delivered() {
    let v32 = registered(Release::V32).await;
    let v34 = registered(Release::V34).await;
    let recorded = |name: &str| -> Value {
        let body = RecordedDelivery::of(Release::V32, &format!("delivery-{name}")).request.body;
        serde_json::from_str(&body).unwrap()
    };
    let calendar = |change: &dyn Fn(&mut Value)| {
        let mut body = recorded("calendar-object-updated");
        change(&mut body["event"]);
        ("calendar", body)
    };
    let text = |letter: &str, bytes: usize| letter.repeat(bytes / letter.len());
    let shares = |count: usize| -> Value {
        let share = |at: usize| {
            json!({"href": format!("principal:principals/users/user{at}"), "commonName": format!("User {at}"),
                "status": 1, "readOnly": false, "{http://owncloud.org/ns}principal": format!("principals/users/user{at}"),
                "{http://owncloud.org/ns}group-share": false})
        };
        (0..count).map(share).collect()
    };
    let tags = |objects: usize, tags: usize| {
        let mut body = recorded("tag-assigned");
        let ids =
            |count: usize| -> Value { (0..count).map(|at| (100_000 + at).to_string()).collect() };
        body["event"]["objectIds"] = ids(objects);
        body["event"]["tagIds"] = ids(tags);
        ("tags", body)
    };
    let untag = |objects: usize| {
        let (preset, mut body) = tags(objects, 1);
        body["event"]["class"] = r"OCP\SystemTag\TagUnassignedEvent".into();
        // PHP writes an object if elements were taken out.
        let list = body["event"]["objectIds"].take();
        let kept = list.as_array().unwrap().iter().enumerate();
        body["event"]["objectIds"] =
            kept.map(|(at, id)| ((at + 20).to_string(), id.clone())).collect();
        (preset, body)
    };
    let path = |letter: &str, bytes: usize| {
        let mut body = recorded("node-written-auth-none");
        body["event"]["node"]["path"] = format!("/alice/files/{}", text(letter, bytes)).into();
        ("files", body)
    };
    for (what, (preset, body), fits_32, fits_34) in [
        ("recorded", calendar(&|_| {}), true, true),
        (
            "ten shares and a long name",
            calendar(&|event| {
                event["shares"] = shares(10);
                event["calendarData"]["{DAV:}displayname"] = text("Я", 200).into();
            }),
            false,
            true,
        ),
        (
            "999 bytes of Cyrillic and a time zone",
            calendar(&|event| {
                event["objectData"]["calendardata"] = text("Я", 998).into();
                event["calendarData"]["{urn:ietf:params:xml:ns:caldav}calendar-timezone"] =
                    text("TZID\r\n", 406).into();
            }),
            false,
            true,
        ),
        (
            "1,000 bytes of lines",
            calendar(&|event| {
                event["objectData"]["calendardata"] =
                    "SUMMARY:A line of text here\r\n".repeat(34).into();
            }),
            true,
            true,
        ),
        (
            "6,000 bytes of lines",
            calendar(&|event| {
                event["objectData"]["calendardata"] = text("SUMMARY:A line\r\n", 6000).into();
            }),
            false,
            true,
        ),
        (
            "40,000 bytes",
            calendar(&|event| event["objectData"]["calendardata"] = text("x", 40_000).into()),
            false,
            false,
        ),
        ("one file", tags(1, 1), true, true),
        ("40 files", tags(40, 10), true, true),
        ("650 files", tags(650, 1), false, false),
        ("300 files", tags(300, 1), false, true),
        ("3,000 files", tags(3_000, 1), false, false),
        ("680 of 700 files untagged", untag(680), false, false),
        ("a path of 712 Cyrillic letters", path("я", 1424), false, true),
        ("a path of 900 bytes", path("x", 900), true, true),
    ] {
        for (version, registered, fits) in [(32, &v32, fits_32), (34, &v34, fits_34)] {
            assert_eq!(delivers(registered, preset, &body.to_string()), fits, "{version}: {what}");
        }
    }
}

/// People whose account ids have letters outside ASCII, and objects whose names other programs gave.
#[tokio::test]
async fn api_4_6_no_alphabet_is_left_out() {
    let accounts_32 =
        ["jörg", "Müller-Lüdenscheid", "Ιωάννης", "אברהם", "李雷", "a\"b", "a@example.org"];
    let long = [
        "Владимир Святославович Рюрикович",
        "あいうえおかきくけこさしすせそたちつてとな",
        "ö".repeat(64).leak(),
    ];
    let ids = [
        "Müller",
        "a/b\"c@example.org",
        "3f1b2c4d-5e6f-7a8b-9c0d-1e2f3a4b5c6d@Ümlaut.example",
        "Жовтень",
    ];
    let outlook = "040000008200E00074C5B7101A82E00800000000B0E2F2A1C4F4D80100000000000000001000000031F8A6B2C9D0E1F2A3B4C5D6E7F80912";
    for (version, others) in [(Release::V32, &[][..]), (Release::V34, &long[..])] {
        let registered = registered(version).await;
        let matched = |body: &Value| {
            let body = body.to_string();
            let class = class(&body);
            registered.iter().any(|it| it.event == class && it.matches(&body))
        };
        for account in accounts_32.iter().chain(others) {
            let user = json!({"uid": account, "displayName": account});
            let event = |event: Value| json!({"event": event, "user": user, "time": 1_767_348_000});
            let path = format!("/{account}/files/Notes/Übersicht.md");
            for class in ["NodeWrittenEvent", "BeforeNodeDeletedEvent"] {
                let class = format!(r"OCP\Files\Events\Node\{class}");
                let node = json!({"id": 1, "path": path});
                assert!(
                    matched(&event(json!({"node": node, "class": class}))),
                    "{account} {class}"
                );
            }
            let class = r"OCP\SystemTag\TagAssignedEvent";
            let tagged =
                json!({"objectType": "files", "objectIds": ["1"], "tagIds": [1], "class": class});
            assert!(matched(&event(tagged)), "{account}");
            for id in ids.into_iter().chain([outlook]) {
                let data = format!(
                    "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:{id}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
                );
                let created = json!({
                    "calendarId": 1, "shares": [], "class": r"OCP\Calendar\Events\CalendarObjectCreatedEvent",
                    "calendarData": {
                        "id": 1, "uri": "personal", "principaluri": format!("principals/users/{account}"),
                        "{DAV:}displayname": "Persönlich",
                    },
                    "objectData": {
                        "id": 1, "uri": format!("{id}.ics"), "uid": id, "lastmodified": 1, "etag": "\"e\"",
                        "calendarid": 1, "size": data.len(), "calendardata": data, "component": "vevent",
                        "classification": 0,
                    },
                });
                assert!(matched(&event(created)), "{version:?} {account} {id}");
            }
        }
    }
}

//! What is read of a delivery, and what is kept of it (docs/API.md, section 12).

use portreeve::deliveries::{Incoming, IncomingError};
use portreeve::groupware::EventClasses;

const NODE: &str = r"OCP\Files\Events\Node\NodeWrittenEvent";
const TRUSTED: &str = r"OCA\Approval\Events\ApprovedEvent";

fn parse(body: &[u8]) -> Result<Incoming, IncomingError> {
    Incoming::parse(body, &EventClasses::trusting([TRUSTED, NODE]))
}

fn owner_of(body: &str) -> Result<Option<Box<str>>, IncomingError> {
    parse(body.as_bytes()).map(|incoming| incoming.account)
}

#[test]
fn api_12_5_authentication_is_cut_out_and_the_rest_stays_byte_for_byte() {
    let event = r#""event": {"class":"OCP\\A"}"#;
    for (body, kept) in [
        (r#"{ E , "user": null }"#, r#"{ E , "user": null }"#),
        (r#"{ E , "authentication" : [] , "time":1}"#, r#"{ E , "time":1}"#),
        (r#"{ E,"authentication":{"a":{"token":"x"}}}"#, "{ E}"),
        (r#"{"authentication":[], E }"#, "{ E }"),
        (" { \"authentication\":[] ,\"authentication\":{},\n E }", " {\n E }"),
        (r#"{E,"authentication":[],"authentication":[]}"#, "{E}"),
        (r#"{E,"authentic\u0061tion":[],"b":"\/"}"#, r#"{E,"b":"\/"}"#),
    ] {
        let body = body.replace('E', event);
        let incoming = parse(body.as_bytes()).unwrap();
        let kept = kept.replace('E', event);
        assert_eq!(String::from_utf8(incoming.body).unwrap(), kept, "{body}");
        assert_eq!(&*incoming.class, r"OCP\A");
        assert_eq!(incoming.account, None);
    }
}

/// As real servers sent them: who caused each, and whose it is.
#[test]
fn api_12_3_a_recorded_event_belongs_to_the_account_whose_thing_it_is() {
    #[derive(serde::Deserialize)]
    struct Recorded {
        class: String,
        caused_by: Option<Box<str>>,
        owner: Option<Box<str>>,
        body: String,
    }
    for release in ["nextcloud", "nextcloud-34.0.1"] {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recordings");
        let text = std::fs::read_to_string(format!("{folder}/{release}/owners.jsonl")).unwrap();
        let mut others = Vec::new();
        for line in text.lines() {
            let recorded: Recorded = serde_json::from_str(line).unwrap();
            // Of tags there are only ids, which whoever put them on knows.
            let owner = match recorded.class.starts_with("Tag") {
                true => recorded.caused_by.clone(),
                false => recorded.owner,
            };
            assert!(owner.is_some(), "{line}");
            assert_eq!(owner_of(&recorded.body), Ok(owner.clone()), "{line}");
            if owner != recorded.caused_by {
                others.push((recorded.class, recorded.caused_by, owner.unwrap()));
            }
        }
        let has = |class: &str, by: Option<&str>, owner: &str| {
            let is = |it: &&(String, Option<Box<str>>, Box<str>)| {
                it.0 == class && it.1.as_deref() == by && *it.2 == *owner
            };
            assert!(others.iter().any(|it| is(&it)), "{release}: {class} {by:?} {owner}");
        };
        // An invitation, an answer to one, and an upload by a link.
        has("CalendarObjectCreatedEvent", Some("alice"), "bob");
        has("CalendarObjectUpdatedEvent", Some("bob"), "alice");
        has("NodeCreatedEvent", None, "bob");
    }
}

#[test]
fn api_12_3_each_class_says_whose_its_events_are() {
    let by = |class: &str, event: &str| {
        let class = serde_json::to_string(class).unwrap();
        let comma = if event.is_empty() { "" } else { "," };
        owner_of(&format!(
            r#"{{"user":{{"uid":"eve"}},"event":{{{event}{comma}"class":{class}}}}}"#
        ))
        .unwrap()
    };
    let at = |path: &str| by(NODE, &format!(r#""node":{{"id":1,"path":{path}}}"#));
    for (path, owner) in [
        (r#""\/al\u0069ce\/files\/a""#, Some("alice")),
        (r#""/alice""#, Some("alice")),
        (r#""/alice//files""#, Some("alice")),
        (r#""/Alice/files/a""#, Some("Alice")),
        (r#""/b %2Fob/../alice""#, Some("b %2Fob")),
        // What belongs to no account, whatever accounts are called.
        (r#""/__groupfolders/1/a""#, None),
        (r#""/appdata_ocabc/preview/1""#, None),
        (r#""/files_external/a""#, None),
        (r#""//alice/files/a""#, None),
        (r#""alice/files/a""#, None),
        (r#""/""#, None),
        (r#""""#, None),
        (r#""/al\u0000ice/files""#, None),
        (r#""/\ud800/files""#, None),
        ("null", None),
        ("5", None),
        (r#"["/alice/files"]"#, None),
        (r#"{"path":"/alice/files"}"#, None),
    ] {
        assert_eq!(at(path).as_deref(), owner, "{path}");
    }
    let long = |len| at(&format!(r#""/{}/files""#, "x".repeat(len)));
    assert_eq!((long(255).map(|it| it.len()), long(256)), (Some(255), None));
    // Readers differ in which of two they take; and nobody gets what does not say whose it is.
    for event in [
        r#""node":{"path":"/alice/a","path":"/bob/a"}"#,
        r#""node":{"path":"/alice/a","p\u0061th":"/alice/a"}"#,
        r#""node":{"path":"/alice/a"},"node":{"path":"/alice/a"}"#,
        r#""node":["/alice/a"]"#,
        r#""node.path":"/alice/a""#,
        "",
    ] {
        assert_eq!(by(NODE, event), None, "{event}");
    }
    let moved = |source: &str, target: &str| {
        let event = format!(r#""source":{{"path":"{source}"}},"target":{{"path":"{target}"}}"#);
        by(r"OCP\Files\Events\Node\NodeRenamedEvent", &event)
    };
    assert_eq!(moved("/alice/files/a", "/alice/files/b").as_deref(), Some("alice"));
    for (source, target) in
        [("/alice/a", "/bob/a"), ("/alice/a", "/__groupfolders/a"), ("", "/bob/a")]
    {
        assert_eq!(moved(source, target), None);
    }
    let calendars = |source: &str, target: &str| {
        let calendar = |uri: &str| format!(r#"{{"principaluri":{uri}}}"#);
        let (source, target) = (calendar(source), calendar(target));
        let event = format!(r#""sourceCalendarData":{source},"targetCalendarData":{target}"#);
        by(r"OCP\Calendar\Events\CalendarObjectMovedEvent", &event)
    };
    let (alice, bob) = (r#""principals/users/alice""#, r#""principals/users/bob""#);
    assert_eq!(calendars(alice, alice).as_deref(), Some("alice"));
    for (source, target) in [
        (alice, bob),
        (alice, "null"),
        (r#""principals/groups/alice""#, r#""principals/groups/alice""#),
        (r#""principals/users/""#, r#""principals/users/""#),
        (r#""principals/users/alice/x""#, r#""principals/users/alice/x""#),
        (r#""x/principals/users/alice""#, r#""x/principals/users/alice""#),
    ] {
        assert_eq!(calendars(source, target), None, "{source} {target}");
    }
    let form = r#""form":{"ownerId":"alice"},"submission":{"userId":"bob"}"#;
    let form = by(r"OCA\Forms\Events\FormSubmittedEvent", form);
    assert_eq!(form.as_deref(), Some("alice"));
    // A row has columns that a view of it, which is shared alone, does not show: who adds one knows what is in it.
    let row = |event: &str| by(&format!(r"OCA\Tables\Event\Row{event}Event"), r#""rowId":1"#);
    assert_eq!(row("Added").as_deref(), Some("eve"));
    assert_eq!((row("Updated"), row("Deleted")), (None, None));
}

#[test]
fn api_12_3_an_event_without_an_owner_of_its_own_is_that_of_who_caused_it() {
    let account = |class: &str, user: &str| {
        let event = format!(r#"{{"class":{},"ids":[1]}}"#, serde_json::to_string(class).unwrap());
        owner_of(&format!(r#"{{"event":{event},"user":{user}}}"#))
    };
    let alice = r#"{"uid":"al\u0069ce"}"#;
    for (class, owner) in [
        (r"OCP\SystemTag\TagAssignedEvent", Some("alice".into())),
        (r"\OCP\SystemTag\TagAssignedEvent", Some("alice".into())),
        // One of `trusted_event_classes`; and one that nobody knows.
        (TRUSTED, Some("alice".into())),
        (r"OCA\Other\Event", None),
        // What the catalogue says is not changed by trusting it.
        (NODE, None),
    ] {
        assert_eq!(account(class, alice), Ok(owner), "{class}");
    }
    for none in
        ["null", "{}", r#"{"uid":5}"#, r#"{"uid":""}"#, r#"{"uid":"a\nb"}"#, r#"["alice"]"#, "[]"]
    {
        assert_eq!(account(TRUSTED, none), Ok(None), "{none}");
    }
    let twice = r#"{"uid":"alice"},"user":{"uid":"bob"}"#;
    assert_eq!(account(TRUSTED, twice), Err(IncomingError::NoEvent));
}

/// More of them are in `exchanges/deliveries.txt`, as the server could send them.
#[test]
fn what_is_no_event_is_refused() {
    let (not_json, no_event) = (IncomingError::NotJson, IncomingError::NoEvent);
    let nested = |levels: usize| {
        let (open, close) = ("[".repeat(levels), "]".repeat(levels));
        format!(r#"{{"event":{{"class":"A"}},"text":"\\\"{open}","x":{open}{close}}}"#)
    };
    // The object itself is the first level.
    assert!(parse(nested(126).as_bytes()).is_ok());
    assert!(serde_json::from_str::<serde_json::Value>(&nested(126)).is_ok());
    assert!(serde_json::from_str::<serde_json::Value>(&nested(127)).is_err());
    for (body, error) in [
        (nested(127).as_bytes(), IncomingError::TooDeep),
        (nested(200_000).as_bytes(), IncomingError::TooDeep),
        (&b"\xff"[..], not_json),
        ("\u{feff}{}".as_bytes(), not_json),
        (b"{", not_json),
        (b"5", no_event),
        (br#"{"event":{}}"#, no_event),
        (br#"{"event":{"class":"A\u007f"}}"#, no_event),
        (br#"{"event":{"class":"A","class":"B"}}"#, no_event),
        (br#"{"event":{"class":"A"},"event":{"class":"A"}}"#, no_event),
    ] {
        let text = body.escape_ascii();
        assert_eq!(parse(body), Err(error), "{text}");
    }
}

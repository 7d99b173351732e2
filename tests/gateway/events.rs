//! The catalogue of events, and what a filter would do with one (docs/API.md, sections 4.7 and 4.8).
//! How filters are evaluated is in `groupware/filter_match`.

use portreeve::groupware::{EventClasses, KnownEvent};
use serde_json::{Value, json};

use crate::support::gateway::{Answer, TestGateway, set};
use crate::support::nextcloud::Nextcloud;

const EVENTS: &str = "/api/v1/events";
const MATCH: &str = "/api/v1/events/match";
const CREATED: &str = r"OCP\Files\Events\Node\NodeCreatedEvent";
const UPDATED: &str = r"OCP\Calendar\Events\CalendarObjectUpdatedEvent";
const TAGGED: &str = r"OCP\SystemTag\TagAssignedEvent";
const FORM: &str = r"OCA\Approval\Events\ApprovedEvent";

async fn matched(gateway: &TestGateway, body: &Value) -> Answer {
    gateway
        .call("carol", "POST", MATCH, &body.to_string())
        .await
}

async fn result(gateway: &TestGateway, body: &Value) -> String {
    let answer = matched(gateway, body).await;
    assert_eq!(answer.status, 200, "{body}: {answer:?}");
    answer.json()["result"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn api_4_7_any_bearer_reads_the_catalogue() {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    // Carol has stored no app password.
    let answer = gateway.call("carol", "GET", EVENTS, "").await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let events = answer.json()["events"].as_array().unwrap().clone();
    assert_eq!(events.len(), KnownEvent::all().count());
    for (answered, known) in events.iter().zip(KnownEvent::all()) {
        assert_eq!(answered, &serde_json::to_value(known).unwrap());
    }
    let deleted = events
        .iter()
        .find(|event| event["event"] == r"OCP\Files\Events\Node\NodeDeletedEvent");
    assert_eq!(
        deleted.unwrap()["example"]["event"],
        json!({"node": {"path": "/alice/files/Notes/today.md"}, "class": r"OCP\Files\Events\Node\NodeDeletedEvent"})
    );
    let mapper = events
        .iter()
        .find(|event| event["event"] == r"OCP\SystemTag\MapperEvent");
    assert_eq!(mapper.unwrap()["fires"], "Never.");
    // The server was not called.
    assert_eq!(nextcloud.seen().len(), 0);

    for path in [EVENTS, MATCH] {
        let method = if path == MATCH { "POST" } else { "GET" };
        let head = format!("{method} {path} HTTP/1.1\r\n");
        gateway
            .send(&head, "{}")
            .await
            .assert_error(401, "Unauthorized");
    }
}

#[tokio::test]
async fn api_4_8_the_answer_says_what_a_filter_would_do_and_why() {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    for (filter, expected) in [
        (
            json!({"event.node.path": "/alice/files/Notes/"}),
            json!({
                "result": "does_not_match",
                "reason": "event.node.path is \"/alice/files/Notes/today.md\", which the pattern \
                           \"/alice/files/Notes/\" does not match, as it never does: a slash in it must \
                           be written \\/",
                "at": "event.node.path"
            }),
        ),
        (
            json!({"user.uid": "alice"}),
            json!({"result": "matches", "reason": "user.uid is \"alice\"", "at": "user.uid"}),
        ),
        (
            json!({"$or": [{"user.uid": {"$like": "a"}}]}),
            json!({"result": "refused", "reason": "is not an operator", "at": "$or[0].user.uid.$like"}),
        ),
        (
            json!("x"),
            json!({"result": "refused", "reason": "must be an object", "at": ""}),
        ),
        (
            json!({}),
            json!({"result": "matches", "reason": "there is no filter", "at": ""}),
        ),
    ] {
        for name in ["eventFilter", "event_filter"] {
            let answer = matched(&gateway, &json!({"event": CREATED, name: filter})).await;
            assert_eq!(answer.json(), expected, "{filter}");
        }
    }
    // The first name that has a filter counts, as at creation.
    let both = json!({"event": CREATED, "eventFilter": {}, "event_filter": {"user.uid": "bob"}});
    assert_eq!(result(&gateway, &both).await, "does_not_match");
    assert_eq!(
        result(&gateway, &json!({"event": CREATED})).await,
        "matches"
    );
    assert_eq!(nextcloud.seen().len(), 0);
}

#[tokio::test]
async fn api_4_8_a_sample_takes_the_place_of_the_example() {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    let filter = json!({"event.node.path": "/^\\/bob\\//"});
    let sample =
        |path: &str| json!({"event": {"node": {"id": 1, "path": path}}, "user": null, "time": 1});
    for (path, expected) in [
        ("/bob/files/a", "matches"),
        ("/alice/files/a", "does_not_match"),
    ] {
        let body = json!({"event": CREATED, "eventFilter": filter, "sample": sample(path)});
        assert_eq!(result(&gateway, &body).await, expected, "{path}");
    }
    let null = json!({"event": CREATED, "eventFilter": filter, "sample": null});
    assert_eq!(result(&gateway, &null).await, "does_not_match");
    let leading =
        json!({"event": format!(r"\{CREATED}"), "eventFilter": filter, "sample": sample("/bob/x")});
    assert_eq!(result(&gateway, &leading).await, "matches");

    // An unknown class is treated as at creation.
    let form = |filter: Value| json!({"event": FORM, "eventFilter": filter, "sample": {"event": {"form": {"title": "x"}}}});
    assert_eq!(
        result(&gateway, &form(json!({"event.form.title": "x"}))).await,
        "refused"
    );
    assert_eq!(
        result(&gateway, &form(json!({"event.class": FORM}))).await,
        "matches"
    );
    let change = set(|settings| settings.event_classes = EventClasses::trusting([FORM]));
    let trusting = TestGateway::with(nextcloud.url(), change).await;
    assert_eq!(
        result(&trusting, &form(json!({"event.form.title": "x"}))).await,
        "matches"
    );
}

#[tokio::test]
async fn api_4_8_an_invalid_body_is_400_and_says_why() {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    let object =
        "The body must be a JSON object with the fields event, eventFilter and, if need be, sample";
    let missing = "Missing required field: event";
    let event = json!({"event": CREATED}).to_string();
    let deep = format!("{{\"event\":\"e\",\"sample\":{}}}", "[".repeat(5_000));
    for (body, message) in [
        ("", object),
        ("x", object),
        ("[]", object),
        ("null", object),
        (r#"["e",{}]"#, object),
        (r#"{"event":"e""#, object),
        (r#"{"event":"e","event":"e"}"#, object),
        (&deep, object),
        ("{}", missing),
        (r#"{"event":""}"#, missing),
        (r#"{"event":5}"#, missing),
        (r#"{"event":null}"#, missing),
        (
            r#"{"event":"e"}"#,
            "Nothing is known of the class in event: give a sample, the body of one of its deliveries",
        ),
        (
            r#"{"event":"NodeCreatedEvent"}"#,
            r"Nothing is known of the class in event: is it OCP\Files\Events\Node\NodeCreatedEvent? Else give a sample",
        ),
        (
            &event.replace('}', r#","sample":[]}"#),
            "Invalid sample: it must be an object with the object event, as the body of a delivery is",
        ),
        (
            &event.replace('}', r#","sample":{"event":{"class":"x"}}}"#),
            "Invalid sample: it is an event of the class x, not of the one that is asked about",
        ),
        (
            &event.replace('}', r#","sample":{"event":{"n":1e999}}}"#),
            "Invalid sample: it is not valid JSON, or too deeply nested, or holds a number out of range",
        ),
    ] {
        let answer = gateway.call("carol", "POST", MATCH, body).await;
        assert_eq!(answer.assert_error(400, "Bad request"), message, "{body}");
    }

    let large = json!({"event": CREATED, "x": "x".repeat(70_000)});
    matched(&gateway, &large)
        .await
        .assert_error(413, "Payload too large");
    for (method, path) in [("POST", EVENTS), ("GET", MATCH), ("PUT", MATCH)] {
        let answer = gateway.call("carol", method, path, "").await;
        answer.assert_error(405, "Method not allowed");
        let allowed = if path == MATCH { "POST" } else { "GET" };
        assert_eq!(answer.header("allow"), Some(allowed));
    }
    for path in [
        "/api/v1/events/",
        "/api/v1/events/match/",
        "/api/v1/events/x",
    ] {
        gateway
            .call("carol", "GET", path, "")
            .await
            .assert_error(404, "Not found");
    }
}

/// Filters that took the gateway up to 400 ms of computing, and others like them.
#[tokio::test]
async fn api_4_8_what_takes_too_much_work_is_unknown() {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    let of = |pattern: &str, count: usize| json!({"$and": vec![json!({"event.node.path": pattern}); count]});
    let words: Vec<_> = (0..100).map(|n| format!("w{n}x{n}")).collect();
    let tree = (0..8).fold(
        json!({"time": {"$lt": 1}}),
        |inner, _| json!({"$or": [inner, inner]}),
    );
    for (filter, reason) in [
        (
            of(&format!("/{}/", "|".repeat(900)), 60),
            "more than 4096 bytes",
        ),
        (of("/a|N/", 1800), "more than 4096 bytes"),
        (of("/()/", 500), "more than 4096 bytes"),
        (tree, "more than 4096 bytes"),
        (of(&format!("/{}/", "|".repeat(900)), 4), "too much work"),
        (of(&format!("/|{}/i", words.join("|")), 5), "too much work"),
        (of(&format!("/{}x?/", "a?".repeat(450)), 4), "too much work"),
        (of(r"/[\x{100}-\x{10ffff}]*/iu", 1), "too much work"),
        (of(r"/\pL+/iu", 1), "too much work"),
        (of(r"/[^\w]*\/[^\w]*/iu", 1), "too much work"),
        (of(r"/(?:a{0,100}){0,100}|/", 1), "too much work"),
        (of(r"/.*/u", 60), "too much work"),
        (of("/a|N/", 100), "too much work"),
    ] {
        let answer = matched(&gateway, &json!({"event": CREATED, "eventFilter": filter})).await;
        let answer = answer.json();
        assert_eq!(answer["result"], "unknown", "{filter:.100}: {answer}");
        let given = answer["reason"].as_str().unwrap();
        assert!(given.contains(reason), "{filter:.100}: {given}");
    }
    let path = |path: String| json!({"event": {"node": {"path": path}}, "user": null, "time": 1});
    let list = |item: &str, count: usize| {
        let list = format!("[{}0]", format!("{item},").repeat(count));
        let list: Value = serde_json::from_str(&list).unwrap();
        json!({"event": {"node": {"path": "/a"}, "list": list}, "user": null, "time": 1})
    };
    for (sample, reason) in [
        (path("a".repeat(60_000)), "too much work"),
        (list("0", 30_000), "more than 4000 values"),
        (list("[[[[]]]]", 3_000), "more than 4000 values"),
        (list(r#"{"":0}"#, 3_000), "more than 4000 values"),
    ] {
        let body =
            json!({"event": CREATED, "eventFilter": {"event.node.path": "/x/"}, "sample": sample});
        let answer = matched(&gateway, &body).await.json();
        assert_eq!(answer["result"], "unknown", "{answer}");
        let given = answer["reason"].as_str().unwrap();
        assert!(given.contains(reason), "{given}");
    }
}

/// The bounds leave room for the bounding filters, which are the longest that people are told to write.
#[tokio::test]
async fn api_4_8_every_bounding_filter_is_evaluated_beside_another_one() {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    let own = json!({"time": {"$gt": 1}, "user.uid": r"/^(?:alice|bob|[a-z]+-[0-9]{1,10})$/i"});
    let mut evaluated = 0;
    for class in KnownEvent::all() {
        for bounding in class.bounding_filters() {
            let filter = json!({"$and": [own, bounding.event_filter]});
            let answer = matched(
                &gateway,
                &json!({"event": class.class, "eventFilter": filter}),
            )
            .await;
            let answer = answer.json();
            assert_eq!(answer["result"], "matches", "{}: {answer}", class.name());
            evaluated += 1;
        }
    }
    assert!(evaluated > 50);
}

/// The example filters of docs/API.md, on events that they should match and on others.
#[tokio::test]
async fn api_4_8_the_filters_on_the_page_do_what_it_says() {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    let page = include_str!("../../docs/API.md");
    let (_, page) = page.split_once("Three filters, each").unwrap();
    let filters: Vec<Value> = page
        .split("```json\n")
        .skip(1)
        .take(3)
        .map(|part| serde_json::from_str(part.split_once("```").unwrap().0).unwrap())
        .collect();
    let example = |class: &str| -> Value {
        serde_json::from_str(&KnownEvent::find(class).unwrap().example()).unwrap()
    };
    let changed = |class: &str, pointer: &str, value: Value| {
        let mut sample = example(class);
        *sample.pointer_mut(pointer).unwrap() = value;
        sample
    };
    let path = |path: &str| changed(CREATED, "/event/node/path", json!(path));
    let calendar = |name: &str, value: &str| {
        changed(
            UPDATED,
            &format!("/event/calendarData/{name}"),
            json!(value),
        )
    };
    let tags = |ids: Value| changed(TAGGED, "/event/tagIds", ids);
    for (filter, class, sample, expected) in [
        (0, CREATED, example(CREATED), "matches"),
        (
            0,
            CREATED,
            path("/alice/files/Notes/2026/Plan.MD"),
            "matches",
        ),
        (
            0,
            CREATED,
            path("/alice/files/Notes/photo.png"),
            "does_not_match",
        ),
        (
            0,
            CREATED,
            path("/alice/files/Old Notes/today.md"),
            "does_not_match",
        ),
        (
            0,
            CREATED,
            path("/bob/files/Notes/today.md"),
            "does_not_match",
        ),
        (1, UPDATED, example(UPDATED), "matches"),
        (1, UPDATED, calendar("uri", "work"), "does_not_match"),
        (
            1,
            UPDATED,
            calendar("principaluri", "principals/users/bob"),
            "does_not_match",
        ),
        (2, TAGGED, example(TAGGED), "matches"),
        (2, TAGGED, tags(json!(["1"])), "matches"),
        (2, TAGGED, tags(json!([7, 9])), "matches"),
        (2, TAGGED, tags(json!([17])), "does_not_match"),
        (2, TAGGED, tags(json!([])), "does_not_match"),
        (
            2,
            TAGGED,
            changed(TAGGED, "/event/objectType", json!("notes")),
            "does_not_match",
        ),
    ] {
        let body = json!({"event": class, "eventFilter": filters[filter], "sample": sample});
        assert_eq!(result(&gateway, &body).await, expected, "{body}");
    }
    // They are accepted when a webhook is created.
    nextcloud.answer("webhooks-create-event-filter");
    for (filter, class) in filters.iter().zip([CREATED, UPDATED, TAGGED]) {
        let body = json!({"event": class, "uri": "u", "eventFilter": filter}).to_string();
        let answer = gateway
            .call("admin", "POST", "/api/v1/webhooks", &body)
            .await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
}

//! The catalogue of events, and what a filter would do with one (docs/API.md, sections 4.7 and 4.8).
//! The answers for single filters are in `exchanges/events.txt`, how filters are evaluated in `groupware/filter_match`.

use portreeve::groupware::KnownEvent;
use serde_json::{Value, json};

use crate::support::gateway::{Answer, TestGateway};
use crate::support::nextcloud::Nextcloud;

const EVENTS: &str = "/api/v1/events";
const MATCH: &str = "/api/v1/events/match";
const CREATED: &str = r"OCP\Files\Events\Node\NodeCreatedEvent";
const UPDATED: &str = r"OCP\Calendar\Events\CalendarObjectUpdatedEvent";
const TAGGED: &str = r"OCP\SystemTag\TagAssignedEvent";

async fn matched(gateway: &TestGateway, body: &Value) -> Answer {
    gateway.call("carol", "POST", MATCH, &body.to_string()).await
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
    let deleted =
        events.iter().find(|event| event["event"] == r"OCP\Files\Events\Node\NodeDeletedEvent");
    assert_eq!(
        deleted.unwrap()["example"]["event"],
        json!({"node": {"path": "/alice/files/Notes/today.md"}, "class": r"OCP\Files\Events\Node\NodeDeletedEvent"})
    );
    let mapper = events.iter().find(|event| event["event"] == r"OCP\SystemTag\MapperEvent");
    assert_eq!(mapper.unwrap()["fires"], "Never.");
    // The server was not called.
    assert_eq!(nextcloud.seen().len(), 0);
}

/// Filters that took the gateway up to 400 ms of computing, and others like them.
#[tokio::test]
async fn api_4_8_what_takes_too_much_work_is_unknown() {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    let of = |pattern: &str, count: usize| json!({"$and": vec![json!({"event.node.path": pattern}); count]});
    let words: Vec<_> = (0..100).map(|n| format!("w{n}x{n}")).collect();
    let tree = (0..8).fold(json!({"time": {"$lt": 1}}), |inner, _| json!({"$or": [inner, inner]}));
    for (filter, reason) in [
        (of(&format!("/{}/", "|".repeat(900)), 60), "more than 4096 bytes"),
        (of("/a|N/", 1800), "more than 4096 bytes"),
        (of("/()/", 500), "more than 4096 bytes"),
        (tree, "more than 4096 bytes"),
        (of(&format!("/{}/", "|".repeat(900)), 4), "too much work"),
        (of(&format!("/|{}/i", words.join("|")), 5), "too much work"),
        (of(&format!("/{}x?/", "a?".repeat(450)), 4), "too much work"),
        (of(r"/[\x{100}-\x{10ffff}]*/iu", 1), "too much work"),
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
        (list("0", 30_000), "more than 3000 values"),
        (list("[[[[]]]]", 3_000), "more than 3000 values"),
        (list(r#"{"":0}"#, 3_000), "more than 3000 values"),
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
        for bounding in &class.bounding_filters {
            let filter = json!({"$and": [own, bounding.event_filter]});
            let answer =
                matched(&gateway, &json!({"event": class.class, "eventFilter": filter})).await;
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
        changed(UPDATED, &format!("/event/calendarData/{name}"), json!(value))
    };
    let tags = |ids: Value| changed(TAGGED, "/event/tagIds", ids);
    for (filter, class, sample, expected) in [
        (0, CREATED, example(CREATED), "matches"),
        (0, CREATED, path("/alice/files/Notes/2026/Plan.MD"), "matches"),
        (0, CREATED, path("/alice/files/Notes/photo.png"), "does_not_match"),
        (0, CREATED, path("/alice/files/Old Notes/today.md"), "does_not_match"),
        (0, CREATED, path("/bob/files/Notes/today.md"), "does_not_match"),
        (1, UPDATED, example(UPDATED), "matches"),
        (1, UPDATED, calendar("uri", "work"), "does_not_match"),
        (1, UPDATED, calendar("principaluri", "principals/users/bob"), "does_not_match"),
        (2, TAGGED, example(TAGGED), "matches"),
        (2, TAGGED, tags(json!(["1"])), "matches"),
        (2, TAGGED, tags(json!([7, 9])), "matches"),
        (2, TAGGED, tags(json!([17])), "does_not_match"),
        (2, TAGGED, tags(json!([])), "does_not_match"),
        (2, TAGGED, changed(TAGGED, "/event/objectType", json!("notes")), "does_not_match"),
    ] {
        let body = json!({"event": class, "eventFilter": filters[filter], "sample": sample});
        assert_eq!(result(&gateway, &body).await, expected, "{body}");
    }
    // They are accepted when a webhook is created.
    nextcloud.answer("webhooks-create-event-filter");
    for (filter, class) in filters.iter().zip([CREATED, UPDATED, TAGGED]) {
        let body = json!({"event": class, "uri": "u", "eventFilter": filter}).to_string();
        let answer = gateway.call("admin", "POST", "/api/v1/webhooks", &body).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
}

//! Filters of targets: of which events, and how much work they may be.

use portreeve::groupware::KnownEvent;
use serde_json::{Value, json};

use crate::relay::{CALENDAR, NODE, Relay, TRUSTED, event, path_of, with_event};
use crate::support::gateway::Answer;
use crate::target::{Target, until};

#[tokio::test]
async fn api_12_2_an_event_on_which_the_filter_cannot_be_evaluated_is_delivered() {
    let relay = Relay::start().await;
    let target = Target::ok().await;
    let filter = json!({"event.calendarData": {"$in": ["work"]}});
    let wanted = json!({"uri": target.uri(), "eventFilter": filter});
    let made = relay.target("carol", wanted).await;
    let node = json!({"path": "/carol/files/a"});
    // It is an object, with which the server compares nothing; and a class has another name than it is kept by.
    let data = json!({"calendarData": {"uri": "home", "principaluri": "principals/users/carol"}, "class": CALENDAR});
    relay.deliver(&with_event("carol", &data.to_string())).await;
    let data = json!({"node": node, "class": format!("\\{NODE}")});
    relay.deliver(&with_event("carol", &data.to_string())).await;
    // What can be decided is.
    relay.deliver(&event("carol", 1)).await;
    let data = json!({"calendarData": "work", "node": node, "class": NODE});
    relay.deliver(&with_event("carol", &data.to_string())).await;
    let is_done = |list: &Value| {
        let list = list.as_array().unwrap();
        list.len() >= 3 && list.iter().all(|it| it["state"] == "delivered")
    };
    let list = relay.deliveries("carol", &made, is_done).await;
    let classes: Vec<_> = list.as_array().unwrap().iter().map(|it| &it["event"]).collect();
    assert_eq!(classes, [NODE, NODE, CALENDAR]);
    assert_eq!(target.received(), 3);
}

#[tokio::test]
async fn api_12_2_a_filter_for_a_class_that_is_trusted_is_one() {
    let relay = Relay::start().await;
    let target = Target::ok().await;
    let wanted = |class: &str| json!({"uri": target.uri(), "events": [class], "eventFilter": {"event.level": {"$in": [3]}}});
    let made = relay.target("carol", wanted(TRUSTED)).await;
    for level in [1, 3] {
        let data = json!({"class": TRUSTED, "level": level});
        relay.deliver(&with_event("carol", &data.to_string())).await;
    }
    until("it arrives", async || target.received() > 0).await;
    let is_listed = |list: &Value| list.as_array().unwrap().len() == 1;
    relay.deliveries("carol", &made, is_listed).await;
    assert!(target.requests()[0].1.ends_with(br#""level":3},"user":{"uid":"carol"},"time":1}"#));
    // And one for another class is none, whichever of the two is changed.
    let other = wanted(r"OCA\Other\Event");
    let refused = relay.call("carol", "POST", "targets", other.clone()).await;
    assert_eq!(refused.status, 400, "{refused:?}");
    let path = path_of(&made);
    for (events, expected) in [(&other["events"], 400), (&made["events"], 200)] {
        let changed = relay.call("carol", "PATCH", &path, json!({"events": events})).await;
        assert_eq!(changed.status, expected, "{changed:?}");
    }
}

/// Nested lists, a hundred thousand of them: parsed they would take a hundred megabytes.
#[tokio::test(flavor = "multi_thread")]
async fn api_12_2_a_filter_is_not_evaluated_on_very_many_values() {
    let relay = Relay::start().await;
    let target = Target::ok().await;
    let filter = json!({"event.node.path": r"/^\/bob\//"});
    relay.target("alice", json!({"uri": target.uri(), "eventFilter": filter})).await;
    for (lists, arrived) in [(1_000, 0), (100_000, 1)] {
        let lists = vec![[(); 0]; lists];
        let event = json!({"class": NODE, "node": {"id": 1, "path": "/alice/a"}, "lists": lists});
        relay.deliver(&with_event("alice", &event.to_string())).await;
        let queue = relay.second_gateway().await;
        until("all is matched", async || queue.queue().counts().await.unwrap().pending == 0).await;
        let requests = target.requests().into_iter();
        let with_lists = requests.filter(|(_, body)| body.windows(5).any(|it| it == b"lists"));
        assert_eq!(with_lists.count(), arrived);
    }
}

/// Whatever the classes, it takes no longer than for one.
#[tokio::test]
async fn api_12_2_a_filter_is_evaluated_on_all_classes_within_one_budget() {
    let relay = Relay::start().await;
    let target = |classes: &[&str], conditions: usize| {
        let conditions = vec![json!({"user.uid": "/^(?:alice|dave)$/"}); conditions];
        json!({"uri": "http://127.0.0.1:9", "events": classes, "eventFilter": {"$and": conditions}})
    };
    let all: Vec<_> = KnownEvent::all().map(|known| known.class).collect();
    // The same class is looked at once, and what is compiled once counts once.
    let made = relay.target("carol", target(&[NODE; 64], 20)).await;
    relay.target("carol", target(&all, 2)).await;
    let refused = |answer: Answer| {
        let message = answer.json()["message"].to_string();
        assert_eq!(answer.status, 400, "{message}");
        assert!(message.contains("take too much work"), "{message}");
    };
    let many = target(&all, 20);
    refused(relay.call("carol", "POST", "targets", many.clone()).await);
    // Whichever of the two is new.
    let path = path_of(&made);
    refused(relay.call("carol", "PATCH", &path, many).await);
    let classes = json!({"events": all});
    refused(relay.call("carol", "PATCH", &path, classes).await);
    let paused = relay.call("carol", "PATCH", &path, json!({"paused": true}));
    assert_eq!(paused.await.json()["events"], json!(vec![NODE; 64]));
}

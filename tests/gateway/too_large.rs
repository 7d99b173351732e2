//! Deliveries that are too large for the server's job queue (docs/API.md, section 4.9).

use std::time::Duration;

use portreeve::gateway::UnboundedWebhooks;
use portreeve::groupware::KnownEvent;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_util::task::TaskTracker;

use crate::support::gateway::{TestGateway, Unstarted, set};
use crate::support::nextcloud::{Fault, Nextcloud, Release};

/// Longer than anything here takes.
const LONG: Duration = Duration::from_secs(60);
const WEBHOOKS: &str = "/api/v1/webhooks";
const MATCH: &str = "/api/v1/events/match";
const TAG: &str = r"OCP\SystemTag\TagAssignedEvent";
const CALENDAR: &str = r"OCP\Calendar\Events\CalendarObjectCreatedEvent";
const CARD: &str = r"OCA\Deck\Event\CardUpdatedEvent";
const BOARD: &str = r"OCA\Deck\Event\BoardUpdatedEvent";
const UNKNOWN: &str = r"OCA\Approval\Events\ApprovedEvent";

async fn nextcloud(version: Release) -> Nextcloud {
    let nextcloud = Nextcloud::of(version).await;
    nextcloud.answer("webhooks-create-event-filter");
    nextcloud.answer("capabilities-anonymous");
    nextcloud
}

fn request(event: &str, filter: &Value) -> String {
    json!({"event": event, "uri": "https://hooks.example.org/", "eventFilter": filter}).to_string()
}

/// The one warning of an answer, if there is one.
async fn warning(gateway: &TestGateway, event: &str, filter: &Value) -> Option<String> {
    let answer = gateway.call("admin", "POST", WEBHOOKS, &request(event, filter)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let answer = answer.json();
    assert!(answer["webhook"]["id"].is_i64());
    let warnings = answer.get("warnings")?.as_array().unwrap();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    Some(warnings[0].as_str().unwrap().to_owned())
}

/// The filter that a warning recommends.
fn remedy(warning: &str) -> Value {
    let (_, filter) = warning.split_once("[yours, this]}: ").unwrap();
    serde_json::from_str(filter).unwrap()
}

#[tokio::test]
async fn api_4_9_a_warning_says_what_can_be_lost_and_what_prevents_it() {
    for (version, limit) in [(Release::V32, "4000"), (Release::V34, "32000")] {
        let nextcloud = nextcloud(version).await;
        let gateway = TestGateway::before(nextcloud.url()).await;
        for (event, filter, lost) in [
            (TAG, json!({"event.objectType": "files"}), "tags can be lost"),
            (TAG, json!(null), "tags can be lost"),
            (
                CALENDAR,
                json!({"event.objectData.calendardata": r"/\A.{0,10}\z/s"}),
                "what they wrote is lost",
            ),
        ] {
            let text = warning(&gateway, event, &filter).await.unwrap();
            assert!(text.contains(&format!("more than the {limit} characters")), "{text}");
            assert!(text.contains(lost), "{text}");
            // It names the filter of the catalogue, with which there is no warning.
            let remedy = remedy(&text);
            let class = KnownEvent::find(event).unwrap();
            let mut bounding = class.bounding_filters.iter();
            let bounding = bounding.find(|it| it.characters.to_string() == limit);
            assert_eq!(remedy, json!(bounding.unwrap().event_filter));
            assert_eq!(warning(&gateway, event, &remedy).await, None);
            let both = json!({"$and": [filter, remedy]});
            if filter.is_object() {
                assert_eq!(warning(&gateway, event, &both).await, None);
            }
        }
        for event in [CARD, UNKNOWN] {
            let text = warning(&gateway, event, &json!({"user.uid": "alice"})).await.unwrap();
            assert!(text.ends_with("No filter is known that prevents it."), "{text}");
        }
    }
}

#[tokio::test]
async fn api_4_9_a_webhook_is_bounded_by_the_bounding_filter_or_by_having_it_under_and() {
    let nextcloud = nextcloud(Release::V34).await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    let class = KnownEvent::find(TAG).unwrap();
    let bounding = class.bounding_filters.iter();
    let [small, large] = &bounding.map(|it| json!(it.event_filter)).collect::<Vec<_>>()[..] else {
        panic!("one for each limit")
    };
    // In another order, and with a character escaped.
    let reversed = |filter: &Value| {
        let members = filter.as_object().unwrap().iter().rev();
        let members = members.map(|(key, value)| format!("{}: {value}", json!(key)));
        let members: Vec<_> = members.collect();
        format!("{{{}}}", members.join(", ")).replacen("user.uid", r"\u0075ser.uid", 1)
    };
    let yours = json!({"user.uid": "alice"});
    for bounding in [small, large] {
        for bounded in [
            bounding.to_string(),
            reversed(bounding),
            json!({"$and": [yours, bounding]}).to_string(),
            json!({"$and": [bounding], "user.uid": "alice"}).to_string(),
            format!(r#"{{"time": 1, "$and": [{yours}, {}]}}"#, reversed(bounding)),
        ] {
            let filter: Box<serde_json::value::RawValue> = serde_json::from_str(&bounded).unwrap();
            let body = format!(
                r#"{{"event":{},"uri":"https://hooks.example.org/","eventFilter":{filter}}}"#,
                json!(TAG)
            );
            let answer = gateway.call("admin", "POST", WEBHOOKS, &body).await;
            assert_eq!(answer.status, 200, "{answer:?}");
            assert!(answer.json().get("warnings").is_none(), "{bounded}");
        }
        let mut other = bounding.clone();
        other["event.tagIds"] = json!({"$lt": vec![0; 200]});
        let mut more = bounding.clone();
        more["time"] = json!({"$gt": 5});
        for unbounded in [
            other,
            more,
            json!({"$or": [yours, bounding]}),
            json!({"$or": [bounding]}),
            json!({"$nor": [bounding]}),
            json!({"$not": bounding}),
            json!({"$and": [yours, {"$and": [bounding]}]}),
        ] {
            let text = warning(&gateway, TAG, &unbounded).await;
            assert_eq!(remedy(&text.unwrap_or_else(|| panic!("{unbounded}"))), *large);
        }
    }
    // Of a repeated member, the last one counts.
    let body = format!(
        r#"{{"event":{},"uri":"https://hooks.example.org/","eventFilter":{{"$and":[{large}],"$and":[{yours}]}}}}"#,
        json!(TAG)
    );
    let answer = gateway.call("admin", "POST", WEBHOOKS, &body).await;
    assert!(answer.json()["warnings"].is_array());
}

#[tokio::test]
async fn api_4_9_no_filter_bounds_a_move_between_calendars_before_34() {
    let moved = KnownEvent::named("CalendarObjectMovedEvent").unwrap();
    let limits: Vec<_> = moved.bounding_filters.iter().map(|it| it.characters).collect();
    assert_eq!(limits, [32_000]);
    let problem = moved.known_problems.iter().any(|it| it.starts_with("Before Nextcloud 34 no"));
    assert!(problem, "{:?}", moved.known_problems);
    let nextcloud = nextcloud(Release::V32).await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    let text = warning(&gateway, moved.class, &json!(null)).await.unwrap();
    assert!(text.ends_with("No filter is known that prevents it."), "{text}");
}

/// The server is asked for its version only if it matters, and only once.
#[tokio::test]
async fn api_4_9_the_version_is_asked_for_without_credentials_and_remembered() {
    let nextcloud = nextcloud(Release::V34).await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    let class = KnownEvent::find(TAG).unwrap();
    let [small, large] = &class.bounding_filters[..] else { panic!("one for each limit") };
    let questions = || {
        let seen = nextcloud.all_seen();
        let anonymous = seen.iter().filter(|it| !it.headers.contains_key("authorization"));
        anonymous.map(|it| it.target.clone()).collect::<Vec<_>>()
    };
    assert_eq!(warning(&gateway, TAG, &json!(small.event_filter)).await, None);
    assert!(questions().is_empty());
    for _ in 0..3 {
        assert_eq!(warning(&gateway, TAG, &json!(large.event_filter)).await, None);
    }
    assert_eq!(questions(), ["/ocs/v2.php/cloud/capabilities?format=json"]);
}

#[tokio::test]
async fn api_4_9_a_server_that_does_not_say_its_version_has_the_smaller_limit() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-create-event-filter");
    nextcloud.answer_with("capabilities-anonymous", 500, "broken");
    let gateway = TestGateway::before(nextcloud.url()).await;
    let class = KnownEvent::find(TAG).unwrap();
    let large = json!(class.bounding_filters[1].event_filter);
    let text = warning(&gateway, TAG, &large).await.unwrap();
    assert!(text.contains("more than the 4000 characters"), "{text}");
    // The server is not asked again for the next webhook, nor for presets.
    for _ in 0..3 {
        assert!(warning(&gateway, TAG, &large).await.is_some());
        gateway.call("admin", "GET", "/api/v1/webhook-presets/tags", "").await;
    }
    let seen = nextcloud.all_seen();
    let questions = seen.iter().filter(|it| it.target.contains("capabilities"));
    assert_eq!(questions.count(), 1);
}

#[tokio::test]
async fn api_4_9_unbounded_webhooks_can_be_refused() {
    let nextcloud = nextcloud(Release::V32).await;
    let refuse = set(|settings| settings.unbounded_webhooks = UnboundedWebhooks::Refuse);
    let gateway = TestGateway::with(nextcloud.url(), refuse).await;
    for event in [TAG, CALENDAR, CARD, UNKNOWN] {
        let answer = gateway.call("admin", "POST", WEBHOOKS, &request(event, &json!(null))).await;
        let message = answer.assert_error(400, "Bad request");
        assert!(
            message.starts_with("This gateway registers no such webhook: A delivery"),
            "{message}"
        );
    }
    assert!(nextcloud.seen().is_empty());
    // Those that are bounded are created.
    for event in [TAG, CALENDAR, BOARD] {
        let class = KnownEvent::find(event).unwrap();
        let bounding = json!(class.bounding_filters[0].event_filter);
        assert_eq!(warning(&gateway, event, &bounding).await, None, "{event}");
    }
    assert_eq!(nextcloud.seen().len(), 3);
    // A form body still gets its usual error.
    let answer = gateway.call("admin", "POST", WEBHOOKS, "event=x&uri=y").await;
    let message = answer.assert_error(500, "Internal error");
    assert!(message.starts_with("The body is not valid JSON"), "{message}");
}

/// Whoever was answered, or has gone, may have sent it again.
#[tokio::test]
async fn api_7_a_create_that_nobody_waits_for_any_more_is_not_sent_to_the_server() {
    for times_out in [true, false] {
        let nextcloud = nextcloud(Release::V34).await;
        nextcloud.holds();
        let tasks = TaskTracker::new();
        let time = if times_out { Duration::from_millis(300) } else { LONG };
        let with = |gateway: Unstarted| {
            set(|settings| settings.request_timeout = time)(gateway.tasks(tasks.clone()))
        };
        let gateway = TestGateway::with(nextcloud.url(), with).await;
        let body = request(CARD, &json!(null));
        if times_out {
            let answer = gateway.call("admin", "POST", WEBHOOKS, &body).await;
            let message = answer.assert_error(504, "Timeout");
            assert_eq!(message, "The request was not answered in time");
            assert_eq!(nextcloud.all_seen().len(), 1, "the question");
        } else {
            let mut stream = TcpStream::connect(gateway.address).await.unwrap();
            stream.set_zero_linger().unwrap();
            let head = format!(
                "POST {WEBHOOKS} HTTP/1.1\r\nHost: g\r\nAuthorization: Bearer {}\r\nContent-Length: {}\r\n\r\n{body}",
                gateway.token("admin"),
                body.len()
            );
            stream.write_all(head.as_bytes()).await.unwrap();
            while nextcloud.all_seen().is_empty() {
                sleep(Duration::from_millis(2)).await;
            }
            drop(stream);
            // With nothing in flight, the shutdown does not wait.
            timeout(LONG, gateway.stop()).await.expect("the request has ended");
        }
        nextcloud.goes_on();
        tasks.close();
        timeout(LONG, tasks.wait()).await.expect("what it left ends, too");
        let sent = nextcloud.seen();
        assert!(sent.is_empty(), "{sent:?}");
    }
}

/// The question for the version has a short timeout.
#[tokio::test(start_paused = true)]
async fn api_4_9_a_server_that_hangs_delays_the_version_check_only_briefly() {
    let nextcloud = nextcloud(Release::V34).await;
    nextcloud.fault(Fault::SlowHeaders).await;
    let url = nextcloud.url().parse().unwrap();
    let groupware = portreeve::groupware::Groupware::new(url, Default::default()).unwrap();
    let began = tokio::time::Instant::now();
    assert_eq!(groupware.job_limit().await.characters(), 4000);
    let took = began.elapsed();
    assert!(took < std::time::Duration::from_secs(10), "{took:?}");
}

#[tokio::test]
async fn api_4_8_a_sample_that_is_too_large_is_refused_with_its_size() {
    let gateway = TestGateway::start(portreeve::server::Bounds::default(), |it| it).await;
    let judge = async |body: Value| {
        let answer = gateway.call("carol", "POST", MATCH, &body.to_string()).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    };
    let sample = |letters: usize| {
        json!({"event": {"objectType": "files", "objectIds": ["я".repeat(letters)], "tagIds": [1]},
            "user": null, "time": 1_767_348_000})
    };
    let filter = json!({"event.objectType": "files"});
    let ask = |letters: usize, version: Value, filter: &Value| {
        let mut body = json!({"event": TAG, "eventFilter": filter, "sample": sample(letters)});
        if !version.is_null() {
            body["server_version"] = version;
        }
        body
    };
    // PHP writes each of these letters as six characters.
    let around = r#"[{"event":{"objectType":"files","objectIds":[""],"tagIds":[1],"class":"OCP\\SystemTag\\TagAssignedEvent"},"user":null,"time":1767348000},,"0123456789"]"#.len() + 20;
    for letters in [0, 100, 600, 700, 6000] {
        let size = around + 6 * letters;
        for (version, limit) in [(json!(33), 4000), (json!(34), 32_000), (json!(40), 32_000)] {
            let found = judge(ask(letters, version.clone(), &filter)).await;
            match size <= limit {
                true => assert_eq!(found["result"], "matches", "{letters} {version}"),
                false => {
                    assert_eq!((&found["result"], &found["at"]), (&json!("refused"), &json!("")));
                    let reason = found["reason"].as_str().unwrap();
                    let says = format!(
                        "takes {size} characters in the job queue of the server, which takes {limit} at most"
                    );
                    assert!(reason.contains(&says), "{reason}");
                }
            }
            // The size does not matter if the filter does not match.
            let other =
                judge(ask(letters, version, &json!({"event.objectType": "calendars"}))).await;
            assert_eq!(other["result"], "does_not_match");
        }
    }
    let wrong = ask(0, json!("new"), &filter).to_string();
    gateway.call("carol", "POST", MATCH, &wrong).await.assert_error(400, "Bad request");
}

#[tokio::test]
async fn api_4_8_without_a_version_the_server_behind_the_gateway_is_asked_if_it_matters() {
    let ask = async |gateway: &TestGateway, letters: usize, filter: Value| {
        let sample = json!({"event": {"objectType": "x".repeat(letters)}, "time": 1});
        let body = json!({"event": TAG, "eventFilter": filter, "sample": sample});
        let answer = gateway.call("carol", "POST", MATCH, &body.to_string()).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()["result"].as_str().unwrap().to_owned()
    };
    for (version, expected) in [(Release::V32, "refused"), (Release::V34, "matches")] {
        let nextcloud = nextcloud(version).await;
        let gateway = TestGateway::before(nextcloud.url()).await;
        assert_eq!(ask(&gateway, 3_000, json!(null)).await, "matches");
        assert!(nextcloud.all_seen().is_empty());
        assert_eq!(ask(&gateway, 5_000, json!(null)).await, expected);
        assert_eq!(ask(&gateway, 5_000, json!(null)).await, expected);
        assert_eq!(ask(&gateway, 33_000, json!(null)).await, "refused");
        let asked = nextcloud.all_seen();
        let asked: Vec<_> = asked.iter().map(|it| it.target.as_str()).collect();
        assert_eq!(asked, ["/ocs/v2.php/cloud/capabilities?format=json"]);
    }
}

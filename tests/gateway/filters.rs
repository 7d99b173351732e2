//! Event filters that would harm every user of the groupware server are refused, and harmless ones
//! pass unchanged (docs/API.md, section 4.4).

use portreeve::groupware::EventClasses;

use crate::support::gateway::TestGateway;
use crate::support::nextcloud::Nextcloud;

const FILE: &str = r"OCP\Files\Events\Node\NodeCreatedEvent";
const CALENDAR: &str = r"OCP\Calendar\Events\CalendarObjectCreatedEvent";
const CARD: &str = r"OCA\Deck\Event\CardUpdatedEvent";
const UNKNOWN: &str = r"OCA\Approval\Events\ApprovedEvent";

fn create(event: &str, filter: &str) -> String {
    let event = event.replace('\\', r"\\");
    format!(r#"{{"eventFilter":{filter},"event":"{event}","uri":"u"}}"#)
}

#[tokio::test]
async fn api_4_4_a_harmful_filter_is_400_and_nothing_is_created() {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    for (filter, path) in [
        (r#"{"$and":5}"#, "$and"),
        (r#"{"$or":["x"]}"#, "$or"),
        (r#"{"$nor":{"a":1}}"#, "$nor"),
        (r#"{"$or":[]}"#, "$or"),
        (r#"{"$and":[{"$or":[{"user.uid":{"$not":"x"}}]}]}"#, "$not"),
        (r#"{"user.uid":{"$not":"x"}}"#, "$not"),
        (r#"{"user.uid":{"$like":"x"}}"#, "$like"),
        (r#"{"user.uid":{"$in":"x"}}"#, "$in"),
        (r#"{"user.uid":{"$nin":1}}"#, "$nin"),
        (r#"{"user.uid":{"$all":null}}"#, "$all"),
        (r#"{"user.uid":{"$mod":[2,0]}}"#, "$mod"),
        (r#"{"0":1}"#, "0"),
        (
            r#"{"$or":[{"event.node":{"$mod":[2,0]}}]}"#,
            "$or[0].event.node.$mod",
        ),
        (r#"{"$not":"x"}"#, "$not"),
        (r#"{"$gt":5}"#, "$gt"),
        (r#"{"a":1,"$and":[{"b":1}],"$and":5}"#, "$and"),
        (r#"{"\u0024and":5}"#, "$and"),
    ] {
        let body = create(FILE, filter);
        let answer = gateway
            .call("admin", "POST", "/api/v1/webhooks", &body)
            .await;
        let message = answer.assert_error(400, "Bad request");
        assert!(
            message.contains("eventFilter") && message.contains(path),
            "{filter}: {message}"
        );
    }
    assert_eq!(nextcloud.seen().len(), 0);
}

#[tokio::test]
async fn api_4_4_a_harmless_filter_is_passed_on_as_written() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-create-event-filter");
    let gateway = TestGateway::before(nextcloud.url()).await;
    for filter in [
        r#"{"event.node.path":"/^\\/alice\\/files\\/.*/i"}"#,
        r#"{"event.node.path":"/(/"}"#,
        r#"{"user.uid":"alice","time":1.5e3,"a":true,"b":null}"#,
        r#"{"time":{"$gte":1700000000,"$lt":1800000000}}"#,
        r#"{"user.uid":{"$in":["alice","bob"]},"x":{"$exists":true}}"#,
        r#"{"$or":[{"user.uid":"alice"},{"$and":[{"user.uid":{"$ne":"bob"}}]}]}"#,
        r#"{"user.uid":{"$not":{"$e":"x"}}}"#,
        r#"{"$not":{"user.uid":"bob"}}"#,
        r#"{"$and":{"user.uid":"alice"}}"#,
        r#"{"$or":[[{"user.uid":"alice"}]]}"#,
        r#"{"time":{"$mod":[1,0]}}"#,
    ] {
        let body = create(FILE, filter);
        let answer = gateway
            .call("admin", "POST", "/api/v1/webhooks", &body)
            .await;
        assert_eq!(answer.status, 200, "{filter}: {answer:?}");
        let seen = nextcloud.seen();
        let sent = std::str::from_utf8(&seen.last().unwrap().body).unwrap();
        assert!(
            sent.contains(&format!(r#""eventFilter":{filter}"#)),
            "{sent}"
        );
    }
}

#[tokio::test]
async fn api_4_4_a_filter_is_checked_against_the_contents_of_the_event() {
    const TRANSPARENT: &str = "{urn:ietf:params:xml:ns:caldav}schedule-calendar-transp";
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-create-event-filter");
    let gateway = TestGateway::before(nextcloud.url()).await;
    for (event, property, condition, is_accepted) in [
        (CALENDAR, "event.calendarData.uri", r#""/^work/""#, true),
        (CALENDAR, "event.calendarData", r#""work""#, true),
        (CALENDAR, "event.calendarData", r#"{"$in":["work"]}"#, false),
        (
            CALENDAR,
            &format!("event.calendarData.{TRANSPARENT}"),
            r#""/opaque/""#,
            false,
        ),
        (
            CALENDAR,
            &format!("event.calendarData.{TRANSPARENT}"),
            r#"{"$ne":"/x/"}"#,
            false,
        ),
        (
            CALENDAR,
            &format!("event.calendarData.{TRANSPARENT}.x"),
            "1",
            false,
        ),
        (
            CALENDAR,
            &format!("event.calendarData.{TRANSPARENT}"),
            "true",
            true,
        ),
        (FILE, "event.calendarData", r#"{"$in":["work"]}"#, true),
        (CARD, "event.card.title", r#""/t/""#, true),
        (CARD, "event.card.owner.uid", r#""alice""#, false),
        (CARD, "event.card.labels.title", r#""Finished""#, false),
        (UNKNOWN, "user.uid", r#""/^a/""#, true),
        (UNKNOWN, "event.title", r#""x""#, true),
        (UNKNOWN, "event.title", r#""/x/""#, false),
        (UNKNOWN, "event.form.title", r#""x""#, false),
    ] {
        let body = create(event, &format!(r#"{{"{property}":{condition}}}"#));
        let before = nextcloud.seen().len();
        let answer = gateway
            .call("admin", "POST", "/api/v1/webhooks", &body)
            .await;
        assert_eq!(
            nextcloud.seen().len() - before,
            usize::from(is_accepted),
            "{body}"
        );
        if is_accepted {
            assert_eq!(answer.status, 200, "{body}: {answer:?}");
        } else {
            let message = answer.assert_error(400, "Bad request");
            let prefix = format!("Invalid eventFilter: {property}");
            assert!(message.starts_with(&prefix), "{body}: {message}");
        }
    }
}

#[tokio::test]
async fn api_4_4_for_a_trusted_class_only_filters_that_fail_on_any_event_are_400() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-create-event-filter");
    let gateway = TestGateway::with(nextcloud.url(), |gateway| {
        gateway.event_classes(EventClasses::trusting([UNKNOWN]))
    })
    .await;
    for (event, filter, status) in [
        (UNKNOWN, r#"{"event.form.title":"/x/"}"#, 200),
        (UNKNOWN, r#"{"event.form.title":{"$like":"x"}}"#, 400),
        (CARD, r#"{"event.card.owner":"/x/"}"#, 400),
        (r"OCA\Another\Event", r#"{"event.form.title":"/x/"}"#, 400),
    ] {
        let body = create(event, filter);
        let answer = gateway
            .call("admin", "POST", "/api/v1/webhooks", &body)
            .await;
        assert_eq!(answer.status, status, "{body}: {answer:?}");
    }
}

#[tokio::test]
async fn api_4_4_a_filter_with_too_many_values_is_400() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-create-event-filter");
    let gateway = TestGateway::before(nextcloud.url()).await;
    let alternatives =
        |count: usize| format!(r#"{{"$or":[{}]}}"#, vec![r#"{"a":1}"#; count].join(","));
    let numbers =
        |count: usize| format!(r#"{{"time":{{"$in":[{}]}}}}"#, vec!["5"; count].join(","));
    // What is in a text does not count.
    let text = format!(r#"{{"user.uid":"\"{}"}}"#, "[,:".repeat(9_000));
    for filter in [alternatives(1_300), numbers(3_900), text] {
        let body = create(FILE, &filter);
        let answer = gateway
            .call("admin", "POST", "/api/v1/webhooks", &body)
            .await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    for filter in [
        alternatives(4_000),
        numbers(4_001),
        format!(
            r#"{{"a":{}}}"#,
            ["[".repeat(9_000), "]".repeat(9_000)].concat()
        ),
    ] {
        let body = create(FILE, &filter);
        let answer = gateway
            .call("admin", "POST", "/api/v1/webhooks", &body)
            .await;
        let message = answer.assert_error(400, "Bad request");
        assert_eq!(message, "Invalid eventFilter: has more than 4000 values");
    }
}

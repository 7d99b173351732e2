//! Event filters that would harm every user of the groupware server are refused, and the harmless
//! pass unchanged (docs/API.md, section 4.4).

use crate::support::gateway::TestGateway;
use crate::support::nextcloud::Nextcloud;

#[tokio::test]
async fn api_4_4_a_filter_that_would_harm_is_400_and_nothing_is_created() {
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
        (r#"{"event.tagIds.0":"x"}"#, "event.tagIds.0"),
        (r#"{"$not":{"a":"b"}}"#, "$not"),
        (r#"{"$gt":5}"#, "$gt"),
        (r#"{"a":1,"$and":[{"b":1}],"$and":5}"#, "$and"),
        (r#"{"\u0024and":5}"#, "$and"),
    ] {
        let body = format!(r#"{{"event":"e","uri":"u","eventFilter":{filter}}}"#);
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
    ] {
        let body = format!(r#"{{"event":"e","uri":"u","eventFilter":{filter}}}"#);
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

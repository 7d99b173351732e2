//! Apps and webhooks through HTTP, on recorded answers of a real server (docs/API.md, sections 3 and 4).

use portreeve::vault::AppPassword;
use serde_json::{Value, json};

use crate::support::gateway::{PASSWORD, TestGateway};
use crate::support::nextcloud::{Nextcloud, Recording, basic};

const WEBHOOKS: &str = "/ocs/v2.php/apps/webhook_listeners/api/v1/webhooks";

/// The `data` of a recorded answer, as it was written.
fn recorded_data(name: &str) -> String {
    let body = Recording::load(name).response.body.unwrap();
    let start = body.find("\"data\":").unwrap() + "\"data\":".len();
    body[start..].strip_suffix("}}").unwrap().to_owned()
}

#[tokio::test]
async fn api_3_apps_are_the_sorted_keys_of_the_capabilities() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("capabilities-admin-app-password");
    let gateway = TestGateway::before(nextcloud.url()).await;
    let answer = gateway.call("admin", "GET", "/api/v1/apps", "").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.header("content-type"), Some("application/json"));

    let capabilities: Value =
        serde_json::from_str(&recorded_data("capabilities-admin-app-password")).unwrap();
    let mut expected: Vec<&String> = capabilities["capabilities"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    expected.sort();
    assert!(expected.len() > 10);
    assert_eq!(answer.json(), json!({ "apps": expected }));

    let [seen] = &nextcloud.seen()[..] else {
        panic!("exactly one call")
    };
    assert_eq!(seen.method, "GET");
    assert_eq!(seen.target, "/ocs/v2.php/cloud/capabilities?format=json");
    assert_eq!(seen.headers["ocs-apirequest"], "true");
    assert_eq!(seen.headers["accept"], "application/json");
    assert_eq!(seen.headers["authorization"], basic("admin", PASSWORD));
}

#[tokio::test]
async fn api_3_apps_are_sorted_by_code_point_and_empty_when_absent() {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    for (capabilities, expected) in [
        (
            r#"{"capabilities":{"b":1,"a":{"z":[]},"B":null,"\u00e9":0,"a-b":"x","\ud83d\ude00":1,"a\"q":2}}"#,
            json!(["B", "a", "a\"q", "a-b", "b", "\u{e9}", "\u{1f600}"]),
        ),
        (r#"{"version":{}}"#, json!([])),
        (r#"{"capabilities":[]}"#, json!([])),
        (r#"{"capabilities":{}}"#, json!([])),
        (r#"{"capabilities":null}"#, json!([])),
    ] {
        let body = format!(
            r#"{{"ocs":{{"meta":{{"status":"ok","statuscode":200,"message":"OK"}},"data":{capabilities}}}}}"#
        );
        nextcloud.answer_with("capabilities-admin-app-password", 200, body);
        let answer = gateway.call("admin", "GET", "/api/v1/apps", "").await;
        assert_eq!(
            (answer.status, answer.json()),
            (200, json!({ "apps": expected }))
        );
    }
}

#[tokio::test]
async fn api_4_1_webhooks_are_passed_on_as_written() {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    let password = AppPassword::new(PASSWORD).unwrap();
    gateway
        .vault
        .put("carol", "carol", &password)
        .await
        .unwrap();
    for (user, name) in [
        ("admin", "webhooks-list-admin"),
        ("admin", "webhooks-list-empty-admin"),
        ("carol", "webhooks-list-delegated"),
    ] {
        nextcloud.answer(name);
        let answer = gateway.call(user, "GET", "/api/v1/webhooks", "").await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(
            answer.body,
            format!(r#"{{"webhooks":{}}}"#, recorded_data(name))
        );
    }
    let seen = nextcloud.seen();
    assert_eq!(seen.len(), 3);
    assert_eq!(seen[0].method, "GET");
    assert_eq!(seen[0].target, format!("{WEBHOOKS}?format=json"));
    assert_eq!(seen[0].headers["ocs-apirequest"], "true");
}

#[tokio::test]
async fn api_1_2_values_are_passed_on_as_the_server_wrote_them() {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    let data = r#"[{"id":9223372036854775807, "f":1.10e+2,"s":"a\/b\u00e9\ud83d\ude00","n":-0.0 ,"id":18446744073709551616}]"#;
    let body = format!(r#"{{"ocs":{{"data":{data},"meta":{{"statuscode":200}}}}}}"#);
    nextcloud.answer_with("webhooks-list-admin", 200, body);
    let answer = gateway.call("admin", "GET", "/api/v1/webhooks", "").await;
    assert_eq!(answer.body, format!(r#"{{"webhooks":{data}}}"#));
}

#[tokio::test]
async fn api_4_2_a_webhook_is_created() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-create-minimal-admin");
    let gateway = TestGateway::before(nextcloud.url()).await;
    let body = r#"{"event": "OCP\\Files\\Events\\Node\\NodeCreatedEvent", "uri": "http://127.0.0.1:8190/hook",
        "httpMethod": "GET", "authMethod": "header", "authData": {"Authorization": "mine"}, "id": 5}"#;
    let answer = gateway
        .call("admin", "POST", "/api/v1/webhooks", body)
        .await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let record = recorded_data("webhooks-create-minimal-admin");
    let start = format!(r#"{{"webhook":{record},"warnings":["A delivery of this event "#);
    assert!(answer.body.starts_with(&start), "{answer:?}");
    assert!(answer.json()["webhook"]["id"].is_i64());

    let [seen] = &nextcloud.seen()[..] else {
        panic!("exactly one call")
    };
    assert_eq!(
        (seen.method.as_str(), seen.target.as_str()),
        ("POST", &*format!("{WEBHOOKS}?format=json"))
    );
    assert_eq!(seen.headers["content-type"], "application/json");
    let sent: Value = serde_json::from_slice(&seen.body).unwrap();
    assert_eq!(
        sent,
        json!({
            "httpMethod": "POST",
            "uri": "http://127.0.0.1:8190/hook",
            "event": "OCP\\Files\\Events\\Node\\NodeCreatedEvent",
        }),
        "nothing of the caller but event and uri, and no authentication without a secret"
    );
}

#[tokio::test]
async fn api_4_2_nothing_is_created_without_event_and_uri() {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    for body in [
        "{}",
        r#"{"event":"e"}"#,
        r#"{"uri":"u"}"#,
        r#"{"event":"","uri":"u"}"#,
        r#"{"event":"e","uri":""}"#,
        r#"{"event":null,"uri":"u"}"#,
        r#"{"event":5,"uri":"u"}"#,
        r#"{"event":["e"],"uri":"u"}"#,
        r#"{"event":"e","uri":true}"#,
        r#"{"event":"e","uri":"u","uri":""}"#,
    ] {
        // carol has no credential: an invalid request is reported before that.
        for user in ["admin", "carol"] {
            let message = gateway
                .call(user, "POST", "/api/v1/webhooks", body)
                .await
                .assert_error(400, "Bad request");
            assert!(message.contains("event, uri"), "{body}: {message}");
        }
    }
    for body in [
        "[]",
        "null",
        "5",
        r#""text""#,
        r#"[{"event":"e","uri":"u"}]"#,
    ] {
        let answer = gateway
            .call("admin", "POST", "/api/v1/webhooks", body)
            .await;
        answer.assert_error(400, "Bad request");
    }
    assert_eq!(nextcloud.seen().len(), 0);
}

#[tokio::test]
async fn api_4_2_invalid_json_is_500() {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    for body in [
        "{",
        "event=e&uri=u",
        "{'event':'e'}",
        r#"{"event":"e","uri":"u"} x"#,
        r#"{"event":"e","uri":"u",}"#,
        "\u{feff}{}",
    ] {
        gateway
            .call("admin", "POST", "/api/v1/webhooks", body)
            .await
            .assert_error(500, "Internal error");
    }
    gateway
        .call("admin", "POST", "/api/v1/webhooks", "")
        .await
        .assert_error(500, "Internal error");
    let token = gateway.token("admin");
    let mut request = format!("POST /api/v1/webhooks HTTP/1.1\r\nHost: g\r\nConnection: close\r\nAuthorization: Bearer {token}\r\nContent-Length: 14\r\n\r\n").into_bytes();
    request.extend(b"{\"event\":\"\xff\xfe\"}");
    gateway
        .raw(&request)
        .await
        .assert_error(500, "Internal error");
    assert_eq!(nextcloud.seen().len(), 0);
}

#[tokio::test]
async fn api_4_2_a_truthy_event_filter_is_used_otherwise_its_alias() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-create-event-filter");
    let gateway = TestGateway::before(nextcloud.url()).await;
    let filter = r#"{"event.node.path": "/^\\/alice\\/.*/", "n": 1.50 }"#;
    let mut expected = Vec::new();
    for falsy in ["null", "false", "0", "-0.0e1", r#""""#, "{}", "[]", " [ ] "] {
        let body = format!(
            r#"{{"event":"OCP\\Files\\Events\\Node\\NodeCreatedEvent","uri":"u","eventFilter":{falsy},"event_filter":{filter}}}"#
        );
        assert_eq!(
            gateway
                .call("admin", "POST", "/api/v1/webhooks", &body)
                .await
                .status,
            200,
            "{body}"
        );
        expected.push(Some(filter));
        let body = format!(
            r#"{{"event":"OCP\\Files\\Events\\Node\\NodeCreatedEvent","uri":"u","event_filter":{falsy}}}"#
        );
        assert_eq!(
            gateway
                .call("admin", "POST", "/api/v1/webhooks", &body)
                .await
                .status,
            200,
            "{body}"
        );
        expected.push(None);
    }
    let body = format!(
        r#"{{"event":"OCP\\Files\\Events\\Node\\NodeCreatedEvent","uri":"u","eventFilter":{filter},"event_filter":{{"other":"x"}}}}"#
    );
    assert_eq!(
        gateway
            .call("admin", "POST", "/api/v1/webhooks", &body)
            .await
            .status,
        200
    );
    expected.push(Some(filter));
    for (seen, expected) in nextcloud.seen().iter().zip(expected) {
        let sent = std::str::from_utf8(&seen.body).unwrap();
        match expected {
            // As the caller wrote it, byte for byte.
            Some(filter) => assert!(
                sent.contains(&format!("\"eventFilter\":{filter}")),
                "{sent}"
            ),
            None => assert!(!sent.contains("eventFilter"), "{sent}"),
        }
    }
    for truthy in ["true", "1", r#""/x/""#, r#"["a"]"#, "[[]]"] {
        let body = format!(
            r#"{{"event":"OCP\\Files\\Events\\Node\\NodeCreatedEvent","uri":"u","eventFilter":{truthy}}}"#
        );
        gateway
            .call("admin", "POST", "/api/v1/webhooks", &body)
            .await
            .assert_error(400, "Bad request");
    }
}

#[tokio::test]
async fn api_4_3_a_webhook_is_deleted() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-delete-admin");
    let gateway = TestGateway::before(nextcloud.url()).await;
    let id = Recording::load("webhooks-delete-admin")
        .request
        .path
        .rsplit('/')
        .next()
        .unwrap()
        .to_owned();
    let answer = gateway
        .call("admin", "DELETE", &format!("/api/v1/webhooks/{id}"), "")
        .await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let body = answer.json();
    assert_eq!(body["success"], true);
    assert!(
        body["message"]
            .as_str()
            .is_some_and(|message| !message.is_empty())
    );
    let [seen] = &nextcloud.seen()[..] else {
        panic!("exactly one call")
    };
    assert_eq!(
        (seen.method.as_str(), &*seen.target),
        ("DELETE", &*format!("{WEBHOOKS}/{id}?format=json"))
    );
}

#[tokio::test]
async fn api_4_3_the_webhook_id_is_sent_on_in_canonical_form() {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    for segment in ["007", "%30%37", "-3", "9223372036854775807"] {
        gateway
            .call(
                "admin",
                "DELETE",
                &format!("/api/v1/webhooks/{segment}"),
                "",
            )
            .await;
    }
    let paths: Vec<_> = nextcloud
        .seen()
        .into_iter()
        .map(|seen| seen.target)
        .collect();
    let expected =
        ["7", "7", "-3", "9223372036854775807"].map(|id| format!("{WEBHOOKS}/{id}?format=json"));
    assert_eq!(paths, expected);
}

#[tokio::test]
async fn api_4_3_a_bad_id_is_400_before_credentials_are_looked_up() {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    for path in ["/api/v1/webhooks", "/api/v1/webhooks/"] {
        let message = gateway
            .call("carol", "DELETE", path, "")
            .await
            .assert_error(400, "Bad request");
        assert!(message.contains("Missing"), "{message}");
    }
    for id in [
        "abc",
        "1abc",
        "1.5",
        "1%2F2",
        "..%2F..",
        "%",
        "%zz",
        "%00",
        "9223372036854775808",
        "+1",
    ] {
        let answer = gateway
            .call("carol", "DELETE", &format!("/api/v1/webhooks/{id}"), "")
            .await;
        let message = answer.assert_error(400, "Bad request");
        assert!(message.contains("Invalid"), "{message}");
    }
    assert_eq!(nextcloud.seen().len(), 0);
}

#[tokio::test]
async fn api_4_3_delete_of_an_unknown_webhook_is_404() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-delete-missing-admin");
    let gateway = TestGateway::before(nextcloud.url()).await;
    let id = Recording::load("webhooks-delete-missing-admin")
        .request
        .path
        .rsplit('/')
        .next()
        .unwrap()
        .to_owned();
    let answer = gateway
        .call("admin", "DELETE", &format!("/api/v1/webhooks/{id}"), "")
        .await;
    answer.assert_error(404, "Not found");
}

#[tokio::test]
async fn api_2_2_no_header_of_the_caller_is_sent_to_the_server() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-admin");
    let gateway = TestGateway::before(nextcloud.url()).await;
    let token = gateway.token("admin");
    let head = format!(
        "GET /api/v1/webhooks?format=xml HTTP/1.1\r\nAuthorization: Bearer {token}\r\nCookie: a=b\r\n\
         X-Request-Id: caller-id\r\nX-Forwarded-For: 192.0.2.7\r\nX-Custom: c\r\nUser-Agent: caller\r\n"
    );
    let answer = gateway.send(&head, "").await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("x-request-id"), Some("caller-id"));
    // Nor are headers of the server passed to the caller.
    for name in [
        "set-cookie",
        "server",
        "x-user-id",
        "x-robots-tag",
        "content-security-policy",
    ] {
        assert_eq!(answer.header(name), None, "{name}");
    }
    let [seen] = &nextcloud.seen()[..] else {
        panic!("exactly one call")
    };
    let mut names: Vec<_> = seen.headers.keys().map(http::HeaderName::as_str).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "accept",
            "accept-encoding",
            "authorization",
            "host",
            "ocs-apirequest",
            "user-agent"
        ]
    );
    let head = format!("{:?}", seen.headers);
    assert!(!head.contains(token) && !head.contains("caller"), "{head}");
    // Cookies of the first answer are not sent with the next call.
    gateway.call("admin", "GET", "/api/v1/webhooks", "").await;
    assert!(!nextcloud.seen()[1].headers.contains_key("cookie"));
}

#[tokio::test]
async fn api_2_2_the_stored_login_name_is_used_for_basic_authentication() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("capabilities-user-app-password");
    let gateway = TestGateway::before(nextcloud.url()).await;
    let password = "FAKEAppPasswordothermail0000000000000000";
    gateway
        .vault
        .put(
            "alice",
            "alice@example.org",
            &AppPassword::new(password).unwrap(),
        )
        .await
        .unwrap();
    assert_eq!(
        gateway
            .call("alice", "GET", "/api/v1/apps", "")
            .await
            .status,
        200
    );
    assert_eq!(
        nextcloud.seen()[0].headers["authorization"],
        basic("alice@example.org", password)
    );
}

#[tokio::test]
async fn api_8_the_callers_address_is_sent_on_only_if_switched_on() {
    use portreeve::gateway::ClientAddress;

    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-empty-admin");
    let loopback: ipnet::IpNet = "127.0.0.0/8".parse().unwrap();
    for (policy, expected) in [
        (ClientAddress::withheld(), None),
        (ClientAddress::forwarded([]), Some("127.0.0.1")),
        (ClientAddress::forwarded([loopback]), Some("198.51.100.7")),
    ] {
        let gateway =
            TestGateway::with(nextcloud.url(), |gateway| gateway.client_address(policy)).await;
        let token = gateway.token("admin");
        let head = format!(
            "GET /api/v1/webhooks HTTP/1.1\r\nAuthorization: Bearer {token}\r\nX-Forwarded-For: 203.0.113.9, 198.51.100.7\r\n"
        );
        assert_eq!(gateway.send(&head, "").await.status, 200);
        let seen = nextcloud.seen().pop().unwrap();
        let sent = seen
            .headers
            .get("x-forwarded-for")
            .map(|value| value.to_str().unwrap());
        assert_eq!(sent, expected);
    }
}

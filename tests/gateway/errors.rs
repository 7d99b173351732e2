//! The table of errors, through HTTP (docs/API.md, section 6), and the rules of authentication that
//! lead to them (section 2).

use std::time::Duration;

use portreeve::gateway::Limits;
use portreeve::groupware::Groupware;
use portreeve::server::Bounds;
use secrecy::SecretString;

use crate::support::gateway::TestGateway;
use crate::support::nextcloud::{Fault, Nextcloud};

#[tokio::test]
async fn api_2_6_401_comes_before_everything_else() {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    let requests = [
        ("GET", "/api/v1/apps", ""),
        ("GET", "/api/v1/webhooks", ""),
        ("POST", "/api/v1/webhooks", "{"),
        ("DELETE", "/api/v1/webhooks/abc", ""),
        ("GET", "/", ""),
        ("GET", "/no/such/path", ""),
        ("PUT", "/api/v1/apps", ""),
        ("POST", "/api/v1/webhooks", &*"x".repeat(100_000)),
        ("GET", "/healthz/", ""),
    ];
    for (method, path, body) in requests {
        let answer = gateway
            .send(&format!("{method} {path} HTTP/1.1\r\n"), body)
            .await;
        answer.assert_error(401, "Unauthorized");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"), "{path}");

        let token = "prt_0000000000000000000000000000000000000000000";
        let head = format!("{method} {path} HTTP/1.1\r\nAuthorization: Bearer {token}\r\n");
        let answer = gateway.send(&head, body).await;
        let message = answer.assert_error(401, "Unauthorized");
        assert!(!message.contains(token));
        assert_eq!(
            answer.header("www-authenticate"),
            Some("Bearer error=\"invalid_token\""),
            "{path}"
        );
    }
    assert_eq!(nextcloud.seen().len(), 0);
}

#[tokio::test]
async fn api_2_1_malformed_or_doubled_authorization_is_401() {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    let token = gateway.token("admin");
    for fields in [
        "Authorization: Basic YWRtaW46YWRtaW4=\r\n".to_owned(),
        format!("Authorization: {token}\r\n"),
        "Authorization: Bearer\r\n".to_owned(),
        format!("Authorization: Bearer {token} {token}\r\n"),
        format!("Authorization: Bearer {token}\r\nAuthorization: Bearer {token}\r\n"),
        format!("Authorization: Bearer {token}\r\nAuthorization: Basic YTpi\r\n"),
        "Authorization: Bearer t\u{f6}ken\r\n".to_owned(),
    ] {
        let answer = gateway
            .send(&format!("GET /api/v1/webhooks HTTP/1.1\r\n{fields}"), "")
            .await;
        answer.assert_error(401, "Unauthorized");
    }
    assert_eq!(nextcloud.seen().len(), 0);
}

#[tokio::test]
async fn api_2_4_the_shared_key_is_required_besides_the_token() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-empty-admin");
    let gateway = TestGateway::with(nextcloud.url(), |gateway| {
        gateway.shared_key(SecretString::from("the shared key"))
    })
    .await;
    let token = gateway.token("admin");
    let with = |fields: &str| {
        format!("GET /api/v1/webhooks HTTP/1.1\r\nAuthorization: Bearer {token}\r\n{fields}")
    };
    for fields in [
        "",
        "X-API-Key: the shared kez\r\n",
        "X-API-Key: the shared\r\n",
        "X-API-Key:\r\n",
        "X-API-Key: the shared key\r\nX-API-Key: the shared key\r\n",
        "X-API-Key: \u{e9}\r\n",
    ] {
        let answer = gateway.send(&with(fields), "").await;
        let message = answer.assert_error(401, "Unauthorized");
        assert!(message.contains("key"), "{message}");
        // `invalid_token` would make a front end refresh its token again and again.
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    }
    assert_eq!(
        gateway
            .send(&with("X-API-Key: the shared key\r\n"), "")
            .await
            .status,
        200
    );
    // The key alone does not authenticate.
    let head = "GET /api/v1/webhooks HTTP/1.1\r\nX-API-Key: the shared key\r\n";
    gateway
        .send(head, "")
        .await
        .assert_error(401, "Unauthorized");
}

#[tokio::test]
async fn api_2_3_a_call_without_a_stored_app_password_is_428() {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    for (method, path, body) in [
        ("GET", "/api/v1/apps", ""),
        ("GET", "/api/v1/webhooks", ""),
        ("POST", "/api/v1/webhooks", r#"{"event":"e","uri":"u"}"#),
        ("DELETE", "/api/v1/webhooks/1", ""),
    ] {
        let answer = gateway.call("carol", method, path, body).await;
        answer.assert_error(428, "Provisioning required");
    }
    assert_eq!(nextcloud.seen().len(), 0);
}

#[tokio::test]
async fn api_6_2_a_call_without_a_groupware_server_is_500() {
    let gateway = TestGateway::start(Bounds::default(), |gateway| gateway).await;
    for user in ["admin", "carol"] {
        let answer = gateway.call(user, "GET", "/api/v1/apps", "").await;
        let message = answer.assert_error(500, "Internal error");
        assert!(message.contains("not configured"), "{message}");
    }
}

#[tokio::test]
async fn api_1_1_unknown_paths_are_404_and_wrong_methods_405() {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    for path in [
        "/",
        "/api/v1",
        "/api/v1/apps/",
        "/api/v1/webhooks/1/2",
        "/api/v1/webhooks/../apps",
        "/api/v1/%61pps",
        "/api/v2/apps",
        "/api/v1//apps",
    ] {
        gateway
            .call("admin", "GET", path, "")
            .await
            .assert_error(404, "Not found");
    }
    for (method, path, allowed) in [
        ("POST", "/api/v1/apps", "GET"),
        ("PUT", "/api/v1/webhooks", "GET, POST"),
        ("GET", "/api/v1/webhooks/1", "DELETE"),
        ("OPTIONS", "/api/v1/apps", "GET"),
        ("BREW", "/api/v1/apps", "GET"),
    ] {
        let answer = gateway.call("admin", method, path, "").await;
        answer.assert_error(405, "Method not allowed");
        assert_eq!(answer.header("allow"), Some(allowed), "{method} {path}");
    }
    let head = gateway.call("admin", "HEAD", "/api/v1/apps", "").await;
    assert_eq!((head.status, head.header("allow")), (405, Some("GET")));
    assert_eq!(nextcloud.seen().len(), 0);
}

/// The message of a fault of the groupware server must show neither its address nor its answer.
fn assert_nothing_internal(message: &str, url: &str) {
    let port = url.rsplit(':').next().unwrap().trim_end_matches('/');
    for inside in [
        "http",
        "127.0.0.1",
        port,
        "ocs",
        "/",
        "Nextcloud",
        "nginx",
        "error:",
        "os error",
        "40",
        "50",
    ] {
        assert!(!message.contains(inside), "{message:?} shows {inside:?}");
    }
}

#[tokio::test]
async fn api_6_1_an_upstream_fault_is_a_sanitised_500() {
    for fault in [
        Fault::Close,
        Fault::Reset,
        Fault::ShortBody,
        Fault::HugeLength,
        Fault::EndlessBody,
        Fault::GarbageStatusLine,
        Fault::TwoLengths,
        Fault::EndlessHeaders,
        Fault::Redirect,
    ] {
        let nextcloud = Nextcloud::start().await;
        let gateway = TestGateway::before(nextcloud.url()).await;
        let name = format!("{fault:?}");
        nextcloud.fault(fault).await;
        for (method, path, body) in [
            ("GET", "/api/v1/apps", ""),
            ("GET", "/api/v1/webhooks", ""),
            ("POST", "/api/v1/webhooks", r#"{"event":"e","uri":"u"}"#),
            ("DELETE", "/api/v1/webhooks/1", ""),
        ] {
            let message = gateway
                .call("admin", method, path, body)
                .await
                .assert_error(500, "Internal error");
            assert_nothing_internal(&message, nextcloud.url());
        }
        // The gateway works again once the server does.
        nextcloud.heal().await;
        nextcloud.answer("webhooks-list-empty-admin");
        let answer = gateway.call("admin", "GET", "/api/v1/webhooks", "").await;
        assert_eq!(answer.status, 200, "after {name}");
    }
}

#[tokio::test]
async fn api_6_1_a_groupware_server_that_is_down_is_500() {
    let nextcloud = Nextcloud::start().await;
    let url = nextcloud.url().to_owned();
    let gateway = TestGateway::before(&url).await;
    nextcloud.stop().await;
    let message = gateway
        .call("admin", "GET", "/api/v1/apps", "")
        .await
        .assert_error(500, "Internal error");
    assert_nothing_internal(&message, &url);
}

#[tokio::test]
async fn api_7_the_deadline_of_an_outbound_call_includes_the_body() {
    for fault in [Fault::SlowHeaders, Fault::SlowBody] {
        let nextcloud = Nextcloud::start().await;
        nextcloud.answer("webhooks-list-admin");
        let groupware = Groupware::builder(nextcloud.url().parse().unwrap());
        let groupware = groupware
            .timeout(Duration::from_millis(400))
            .build()
            .unwrap();
        let gateway =
            TestGateway::start(Bounds::default(), |gateway| gateway.groupware(groupware)).await;
        nextcloud.fault(fault).await;
        let message = gateway
            .call("admin", "GET", "/api/v1/webhooks", "")
            .await
            .assert_error(500, "Internal error");
        assert!(message.contains("in time"), "{message}");
    }
}

#[tokio::test]
async fn api_7_a_request_past_its_deadline_is_504() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-admin");
    nextcloud.delay(Duration::from_secs(20));
    let gateway = TestGateway::with(nextcloud.url(), |gateway| {
        gateway.limits(Limits::default().request_timeout(Duration::from_millis(300)))
    })
    .await;
    for (method, path, is_write) in [
        ("GET", "/api/v1/webhooks", false),
        ("DELETE", "/api/v1/webhooks/7", true),
    ] {
        let answer = gateway.call("admin", method, path, "").await;
        let message = answer.assert_error(504, "Timeout");
        assert_eq!(message.contains("not known"), is_write, "{message}");
    }
}

#[tokio::test]
async fn api_7_a_body_over_the_limit_is_413_and_the_client_sees_it() {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    let token = gateway.token("admin");
    let too_large = "x".repeat(64 * 1024 + 1);
    gateway
        .call("admin", "POST", "/api/v1/webhooks", &too_large)
        .await
        .assert_error(413, "Payload too large");
    // Without a `Content-Length`, and far over the limit.
    let mut request = format!(
        "POST /api/v1/webhooks HTTP/1.1\r\nHost: g\r\nConnection: close\r\nAuthorization: Bearer {token}\r\nTransfer-Encoding: chunked\r\n\r\n"
    );
    for _ in 0..40 {
        request.push_str("4000\r\n");
        request.push_str(&"x".repeat(0x4000));
        request.push_str("\r\n");
    }
    request.push_str("0\r\n\r\n");
    gateway
        .raw(request.as_bytes())
        .await
        .assert_error(413, "Payload too large");
    // A body of exactly the limit is accepted.
    let body = format!(r#"{{"event":"e","uri":"{}"}}"#, "u".repeat(64 * 1024 - 22));
    assert_eq!(body.len(), 64 * 1024);
    nextcloud.answer("webhooks-create-minimal-admin");
    assert_eq!(
        gateway
            .call("admin", "POST", "/api/v1/webhooks", &body)
            .await
            .status,
        200
    );
}

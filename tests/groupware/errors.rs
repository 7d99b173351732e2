//! Answers of the groupware server that are errors (docs/API.md, sections 6.2 and 8).

use std::mem::discriminant;
use std::time::{Duration, SystemTime};

use portreeve::groupware::{
    Effect, Groupware, GroupwareError, LoginEvidence, NewWebhook, Reply, WriteError,
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::recorded::{account, client, user_of};
use crate::support::nextcloud::{Fault, Nextcloud, Recording, Release};

/// Repeats the recorded call, as the account for which it was recorded.
async fn replay(nextcloud: &Nextcloud, name: &str) -> Reply<()> {
    nextcloud.answer(name);
    let recording = nextcloud.recording(name);
    call(&client(nextcloud), user_of(&recording), &recording).await
}

async fn call(client: &Groupware, user: &str, recording: &Recording) -> Reply<()> {
    let access = client.access(account(user));
    let (method, path) = (&*recording.request.method, &*recording.request.path);
    match (method, path.rsplit('/').next().unwrap()) {
        ("GET", "capabilities") => without_value(access.app_ids().await),
        ("GET", "webhooks") => without_value(access.webhooks().await),
        ("GET", "user") => without_value(access.user().await),
        ("POST", "webhooks") => of_write(access.create_webhook(&NewWebhook::new("e", "u")).await),
        ("DELETE", "apppassword") => of_write(access.delete_app_password().await),
        ("DELETE", _) => of_write(access.delete_webhook(15).await),
        ("POST", "v2") => match client.start_login_flow(None, None, None).await {
            Ok(_) => panic!("a login flow was started"),
            Err(fault) => Reply::failed(fault),
        },
        other => panic!("no call for {other:?}"),
    }
}

fn without_value<T>(reply: Reply<T>) -> Reply<()> {
    reply.and_then(|_| Ok(()))
}

fn of_write<T>(reply: Reply<T, WriteError>) -> Reply<()> {
    let result = reply.result.map(drop).map_err(|error| error.cause);
    Reply { result, login: reply.login }
}

#[tokio::test]
async fn api_6_2_each_recorded_refusal_is_an_error_with_its_cause() {
    for version in Release::ALL {
        use GroupwareError::*;
        let nextcloud = Nextcloud::of(version).await;
        let unreadable = || Unreadable { reason: "", source: None };
        let mut causes: Vec<(String, GroupwareError)> = Vec::new();
        for failure in 1..=11 {
            causes.push((format!("throttle-wrong-password-{failure:02}"), Refused));
        }
        for (name, cause) in [
            ("capabilities-wrong-password", Refused),
            ("capabilities-unknown-user", Refused),
            ("capabilities-app-password-of-other-user", Refused),
            ("capabilities-app-password-revoked", Refused),
            ("capabilities-disabled-account", Refused),
            ("capabilities-login-email-app-password", Refused),
            ("capabilities-no-ocs-header", Unexpected(412)),
            ("capabilities-accept-any-without-format", unreadable()),
            ("user-wrong-password", Refused),
            ("user-app-password-of-email-login-with-uid", Refused),
            ("user-app-password-of-other-user", Refused),
            ("user-app-password-revoked", Refused),
            ("user-app-password-rotated-away", Refused),
            ("user-disabled-account", Refused),
            ("user-login-password-two-factor-enforced", Anonymous),
            ("user-wrong-password-two-factor-enforced", Anonymous),
            ("user-no-ocs-header", Unexpected(412)),
            ("webhooks-list-wrong-password", Refused),
            ("webhooks-list-anonymous", Anonymous),
            ("webhooks-list-user", NotPermitted),
            ("webhooks-list-v1-user", NotPermitted),
            ("webhooks-list-delegated-before", NotPermitted),
            ("webhooks-list-admin-address-not-allowed", NotPermitted),
            ("webhooks-list-delegated-address-not-allowed", NotPermitted),
            ("webhooks-list-app-disabled-admin", WebhooksOff),
            ("webhooks-list-app-disabled-user", WebhooksOff),
            ("webhooks-list-app-just-disabled-admin", Unexpected(500)),
            ("webhooks-list-no-ocs-header-admin", Unexpected(412)),
            ("webhooks-create-minimal-user", NotPermitted),
            ("webhooks-create-minimal-delegated-before", NotPermitted),
            ("webhooks-create-minimal-anonymous", Anonymous),
            ("webhooks-create-event-unknown-class", UnknownEvent),
            ("webhooks-create-event-not-compatible", UnknownEvent),
            ("webhooks-create-event-case", UnknownEvent),
            ("webhooks-create-event-empty", UnknownEvent),
            ("webhooks-create-auth-header-without-data", UnknownEvent),
            ("webhooks-create-xml-answer", unreadable()),
            ("webhooks-delete-missing-user", NotPermitted),
            ("webhooks-delete-user", NotPermitted),
            ("webhooks-delete-missing-anonymous", Anonymous),
            ("webhooks-delete-no-ocs-header", Unexpected(412)),
            ("throttle-wrong-password-12", Throttled),
            ("throttle-valid-app-password-same-user", Throttled),
            ("throttle-valid-app-password-other-user", Throttled),
            ("throttle-capabilities-valid-app-password", Throttled),
            ("throttle-webhooks-list-admin", Throttled),
            ("throttle-forwarded-for-blocked-client", Throttled),
            ("throttle-forwarded-for-blocked-client-valid", Throttled),
            ("throttle-user-v1", Throttled),
            ("maintenance-capabilities", Maintenance),
            ("maintenance-capabilities-wrong-password", Maintenance),
            ("maintenance-user", Maintenance),
            ("maintenance-webhooks-list", Maintenance),
            ("maintenance-webhooks-create", Maintenance),
        ] {
            causes.push((name.to_owned(), cause));
        }
        let malformed = "webhooks-create-malformed-json".to_owned();
        match version {
            Release::V32 => causes.push((malformed, Unexpected(500))),
            Release::V34 => {
                causes.push((malformed, BadParameter));
                for (name, cause) in [
                    ("webhooks-create-missing-event", BadParameter),
                    ("webhooks-create-filter-malformed-string", BadParameter),
                    ("user-one-time-app-password", OneTimePassword),
                    ("user-one-time-app-password-again", Refused),
                    // The server does not count it, but answers as to a wrong password.
                    ("user-session-token", Refused),
                ] {
                    causes.push((name.to_owned(), cause));
                }
            }
        }
        for (name, cause) in causes {
            let Reply { result, login } = replay(&nextcloud, &name).await;
            let fault = result.expect_err(&name);
            assert_eq!(discriminant(&fault), discriminant(&cause), "{version:?} {name}: {fault:?}");
            if let (Unexpected(status), Unexpected(expected)) = (&fault, &cause) {
                assert_eq!(status, expected, "{name}");
            }
            let recorded = nextcloud.recording(&name).response;
            let known_login = recorded.headers.iter().any(|(name, _)| name == "X-User-Id");
            let evidence = match cause {
                Refused | Anonymous => LoginEvidence::Refused,
                NotPermitted | NotAnAppPassword | UnknownEvent | BadParameter => {
                    LoginEvidence::Accepted
                }
                Throttled => LoginEvidence::Throttled,
                _ => LoginEvidence::None,
            };
            assert_eq!(login, evidence, "{name}");
            assert!(login != LoginEvidence::Accepted || known_login, "{name}");
            // The server itself gives the reason for doing nothing, except where it failed.
            let effect = match fault {
                Unexpected(500) | Unreadable { .. } => Effect::Unknown,
                _ => Effect::NotDone,
            };
            assert_eq!(fault.effect(), effect, "{name}");
        }
    }
}

#[tokio::test]
async fn api_8_every_call_refuses_an_answer_for_another_account() {
    for version in Release::ALL {
        let nextcloud = Nextcloud::of(version).await;
        for (name, of_the_account) in [
            ("capabilities-admin-app-password", false),
            ("webhooks-list-admin", false),
            ("webhooks-list-user", false),
            ("webhooks-create-minimal-admin", false),
            ("webhooks-create-event-unknown-class", false),
            ("webhooks-delete-admin", false),
            ("webhooks-delete-missing-admin", false),
            ("user-alice", false),
            ("user-v1", false),
            // An app password can be revoked whichever account it belongs to.
            ("apppassword-delete", true),
        ] {
            nextcloud.answer(name);
            let Reply { result, login } =
                call(&client(&nextcloud), "mallory", &nextcloud.recording(name)).await;
            match of_the_account {
                true => result.unwrap(),
                false => {
                    let fault = result.expect_err(name);
                    assert!(matches!(fault, GroupwareError::OtherAccount), "{name}: {fault}");
                    assert_eq!(login, LoginEvidence::None, "{name}");
                }
            }
        }
    }
}

#[tokio::test]
async fn malformed_answers_are_unreadable() {
    let nextcloud = Nextcloud::start().await;
    let list = |data: &str| {
        format!(r#"{{"ocs":{{"meta":{{"status":"ok","statuscode":200}},"data":{data}}}}}"#)
    };
    let mut bodies = vec![
        String::new(),
        "<html>".into(),
        "[]".into(),
        "{}".into(),
        r#"{"ocs":{}}"#.into(),
        r#"{"ocs":{"meta":{},"data":[]}}"#.into(),
        r#"{"ocs":{"meta":{"statuscode":"200"},"data":[]}}"#.into(),
        r#"{"ocs":{"meta":{"statuscode":200}}}"#.into(),
        format!("{}x", list("[]")),
        format!("{},", list("[]")),
        list("[]").replace("}}", "}"),
    ];
    // Which texts are JSON: `src/groupware/json/tests.rs`.
    for data in ["{}", "null", "true", "\"x\"", "5", "[1,]", "[\"\\x\"]", "[1]]"] {
        bodies.push(list(data));
    }
    bodies.push(list(&format!("{}{}", "[".repeat(200), "]".repeat(200))));
    for body in bodies {
        nextcloud.answer_with("webhooks-list-admin", 200, body.clone());
        let access = client(&nextcloud).access(account("admin"));
        let reply = access.webhooks().await;
        let fault = reply.result.expect_err(&body);
        assert!(matches!(fault, GroupwareError::Unreadable { .. }), "{body}: {fault:?}");
    }
    for (name, data) in [
        ("webhooks-create-minimal-admin", "[]"),
        ("webhooks-delete-admin", "1"),
        ("webhooks-delete-admin", "\"true\""),
        ("webhooks-delete-admin", "[]"),
        ("user-alice", "[]"),
        ("user-alice", r#"{"id":5,"groups":[]}"#),
        ("user-alice", r#"{"id":"alice"}"#),
    ] {
        nextcloud.answer_with(name, 200, list(data));
        let recording = Recording::load(name);
        let reply = call(&client(&nextcloud), user_of(&recording), &recording).await;
        let fault = reply.result.unwrap_err();
        assert!(matches!(fault, GroupwareError::Unreadable { .. }), "{name} {data}: {fault:?}");
    }
}

#[tokio::test]
async fn api_6_2_who_answered_decides_what_a_status_means() {
    use GroupwareError::*;
    let nextcloud = Nextcloud::start().await;
    let (plain, page) = ("<html>", "<p>edit the &quot;trusted_domains&quot; setting</p>");
    // With header fields of the server itself.
    for (status, body, cause, effect) in [
        (201, plain, Unexpected(201), Effect::Unknown),
        (304, plain, Redirected(http::StatusCode::NOT_MODIFIED), Effect::Unknown),
        (400, page, UntrustedHost, Effect::NotDone),
        (403, plain, Unexpected(403), Effect::NotDone),
        (404, plain, Unexpected(404), Effect::NotDone),
        (429, plain, Throttled, Effect::NotDone),
        (500, plain, Unexpected(500), Effect::Unknown),
        // Maintenance has a header field of its own.
        (503, plain, Unexpected(503), Effect::Unknown),
    ] {
        nextcloud.answer_with("capabilities-anonymous", status, body);
        let reply = client(&nextcloud).access(account("alice")).app_ids().await;
        let fault = reply.result.unwrap_err();
        assert_eq!(fault.to_string(), cause.to_string());
        assert_eq!(fault.effect(), effect, "{fault}");
    }
    let envelope = r#"{"ocs":{"meta":{"statuscode":503},"data":[]}}"#;
    nextcloud.answer_with("capabilities-anonymous", 503, envelope);
    let reply = client(&nextcloud).access(account("alice")).app_ids().await;
    assert!(matches!(reply.result, Err(Unexpected(503))));
    // Pages of something in front.
    for status in [400, 401, 403, 404, 405, 413, 429, 502, 503, 504, 522] {
        nextcloud.fault(Fault::Page(status)).await;
        let reply = client(&nextcloud).access(account("alice")).app_ids().await;
        let fault = reply.result.unwrap_err();
        assert!(matches!(fault, InFront { status: it, .. } if it == status), "{fault}");
        assert_eq!(fault.effect(), Effect::Unknown, "{fault}");
        let wait = matches!(status, 429 | 503).then_some(Duration::from_secs(7));
        assert_eq!(fault.retry_after(), wait, "{fault}");
        let evidence = match status {
            401 => LoginEvidence::Intercepted,
            _ => LoginEvidence::None,
        };
        assert_eq!(reply.login, evidence);
        for wrong in ["trusted_domains", "maintenance", "after too many"] {
            assert!(!fault.to_string().contains(wrong), "{fault}");
        }
        if status == 404 {
            assert!(fault.public_message().contains("no Nextcloud"), "{fault}");
            assert!(fault.to_string().contains("/nextcloud"), "{fault}");
        }
    }
}

#[tokio::test]
async fn api_6_2_plain_http_on_a_port_for_tls_is_named() {
    for page in [
        "<center>The plain HTTP request was sent to HTTPS port</center>",
        "Reason: You're speaking plain HTTP to an SSL-enabled server port.<br />",
        "Client sent an HTTP request to an HTTPS server.\n",
    ] {
        let client = answering(format!(
            "HTTP/1.1 400 Bad Request\r\ncontent-length: {}\r\n\r\n{page}",
            page.len()
        ));
        let fault = client.await.access(account("alice")).user().await;
        let fault = fault.result.unwrap_err();
        assert!(matches!(fault, GroupwareError::TlsExpected), "{fault}");
        assert!(fault.to_string().contains("https"), "{fault}");
        assert_eq!(fault.effect(), Effect::NotDone);
    }
}

#[tokio::test]
async fn api_8_a_compressed_answer_is_named() {
    let packed = "\u{1f}packed";
    let client = answering(format!(
        "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n\r\n{packed}",
        packed.len()
    ));
    let fault = client.await.access(account("alice")).user().await;
    let fault = fault.result.unwrap_err();
    assert!(fault.to_string().contains("compressed"), "{fault}");
    let source = std::error::Error::source(&fault).unwrap().to_string();
    assert!(source.contains("gzip"), "{source}");
}

/// It cannot be about a password.
#[tokio::test]
async fn a_login_flow_that_is_answered_by_a_refused_login_names_no_password() {
    let answer = "HTTP/1.1 401 Unauthorized\r\nX-User-Id: \r\n\
                  WWW-Authenticate: Basic realm=\"Authorisation Required\"\r\nContent-Length: 60\r\n\r\n\
                  {\"ocs\":{\"meta\":{\"status\":\"failure\",\"statuscode\":997},\"data\":[]}}";
    let length = answer.split_once("\r\n\r\n").unwrap().1.len();
    let client = answering(answer.replace("Length: 60", &format!("Length: {length}"))).await;
    let fault = client.start_login_flow(None, None, None).await.unwrap_err();
    assert!(matches!(fault, GroupwareError::Unexpected(401)), "{fault}");
    assert!(!fault.public_message().contains("password"), "{}", fault.public_message());
}

#[tokio::test]
async fn api_6_1_a_time_to_wait_that_something_in_front_states_is_passed_on_up_to_an_hour() {
    let date = |ahead| httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(ahead));
    for (stated, expected) in [
        ("120".to_owned(), Some(120..=120)),
        ("86400".to_owned(), Some(3600..=3600)),
        (date(120), Some(110..=120)),
        (date(86_400), Some(3600..=3600)),
        ("Wed, 21 Oct 2015 07:28:00 GMT".to_owned(), None),
        ("soon".to_owned(), None),
    ] {
        let head = "HTTP/1.1 503 Busy\r\nContent-Type: text/html\r\nContent-Length: 0\r\n";
        let client = answering(format!("{head}Retry-After: {stated}\r\n\r\n")).await;
        let fault = client.access(account("alice")).app_ids().await.result.unwrap_err();
        let wait = fault.retry_after().map(|wait| wait.as_secs());
        match expected {
            Some(range) => assert!(wait.is_some_and(|it| range.contains(&it)), "{stated} {wait:?}"),
            None => assert_eq!(wait, None, "{stated}"),
        }
    }
}

/// A client of a server that gives this answer to every request.
async fn answering(answer: String) -> Groupware {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let answer = answer.clone();
            tokio::spawn(async move {
                let mut request = Vec::new();
                while !request.windows(4).any(|end| end == b"\r\n\r\n") {
                    if !matches!(stream.read_buf(&mut request).await, Ok(1..)) {
                        return;
                    }
                }
                stream.write_all(answer.as_bytes()).await.unwrap();
            });
        }
    });
    Groupware::new(url.parse().unwrap(), Default::default()).unwrap()
}

#[tokio::test]
async fn an_empty_400_proves_a_login_only_if_it_names_the_account() {
    let nextcloud = Nextcloud::of(Release::V34).await;
    for (name, evidence) in [
        ("webhooks-create-missing-event", LoginEvidence::Accepted),
        // As a proxy might answer: nothing names the account.
        ("webhooks-create-minimal-anonymous", LoginEvidence::None),
    ] {
        nextcloud.answer_with(name, 400, "");
        let recording = nextcloud.recording(name);
        let Reply { result, login } = call(&client(&nextcloud), "admin", &recording).await;
        let fault = result.unwrap_err();
        assert!(matches!(fault, GroupwareError::BadParameter), "{fault}");
        assert_eq!(login, evidence, "{name}");
        for wrong in ["host name", "trusted_domains", "page", "cannot be read"] {
            assert!(!fault.to_string().contains(wrong), "{fault}");
        }
        assert_eq!(
            fault.public_message(),
            "The groupware server did not accept the parameters of the request."
        );
    }
}

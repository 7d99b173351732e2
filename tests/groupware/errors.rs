//! Failures of the groupware server: recorded refusals, and faults of a connection
//! (docs/API.md, sections 6.2 and 8).

use std::mem::discriminant;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use portreeve::groupware::{
    CallObserver, Effect, EndedCall, Groupware, GroupwareError, LoginEvidence, NewWebhook, Reply,
    WriteError,
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::recorded::{account, client, client_with, user_of};
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
        ("GET", "capabilities") => access.app_ids().await.map(drop),
        ("GET", "webhooks") => access.webhooks().await.map(drop),
        ("GET", "user") => access.user().await.map(drop),
        ("POST", "webhooks") => {
            let webhook = NewWebhook {
                event: "e".into(),
                uri: "u".into(),
                filter: None,
                authorization: None,
            };
            of_write(access.create_webhook(&webhook).await.map(drop))
        }
        ("DELETE", "apppassword") => of_write(access.delete_app_password().await),
        ("DELETE", _) => of_write(access.delete_webhook(15).await.map(drop)),
        ("POST", "v2") => match client.start_login_flow(None, None, None).await {
            Ok(_) => panic!("a login flow was started"),
            Err(fault) => Reply::failed(fault),
        },
        other => panic!("no call for {other:?}"),
    }
}

fn of_write(reply: Reply<(), WriteError>) -> Reply<()> {
    Reply { result: reply.result.map_err(WriteError::into_cause), login: reply.login }
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

#[derive(Debug, Default)]
struct Effects(Mutex<Vec<Option<Effect>>>);

impl CallObserver for Effects {
    fn call_ended(&self, call: &EndedCall) {
        self.0.lock().unwrap().push(call.effect);
    }
}

#[tokio::test]
async fn api_6_3_a_poll_of_a_login_flow_says_what_is_known_of_the_password() {
    let nextcloud = Nextcloud::start().await;
    let observer = Arc::new(Effects::default());
    let told = observer.clone();
    let client = client_with(&nextcloud, |it| it.observer = Some(told));
    nextcloud.answer("login-flow-v2-init");
    let flow = client.start_login_flow(None, None, None).await.unwrap();
    nextcloud.answer("login-flow-v2-poll-before-grant");
    client.poll_login_flow(&flow, None).await.unwrap();
    nextcloud.answer("login-flow-v2-poll-after-grant");
    client.poll_login_flow(&flow, None).await.unwrap();
    nextcloud.answer_with("login-flow-v2-poll-after-grant", 504, "");
    let error = client.poll_login_flow(&flow, None).await.unwrap_err();
    assert_eq!(error.effect(), Effect::Unknown);
    let polls = [Effect::NotDone, Effect::Done, Effect::Unknown].map(Some);
    assert_eq!(observer.0.lock().unwrap()[1..], polls);
}

#[tokio::test]
async fn api_6_2_a_write_says_what_is_known_of_it() {
    let nextcloud = Nextcloud::start().await;
    let observer = Arc::new(Effects::default());
    let told = observer.clone();
    let client = client_with(&nextcloud, |it| it.observer = Some(told));
    nextcloud.answer("webhooks-delete-admin");
    for (fault, effect) in [
        (None, Effect::Done),
        (Some(Fault::Page(301)), Effect::NotDone),
        (Some(Fault::Page(307)), Effect::NotDone),
        (Some(Fault::Page(308)), Effect::NotDone),
        (Some(Fault::Redirect), Effect::Unknown),
        (Some(Fault::Page(303)), Effect::Unknown),
        (Some(Fault::Close), Effect::Unknown),
        (Some(Fault::Reset), Effect::Unknown),
        (Some(Fault::ShortBody), Effect::Unknown),
        (Some(Fault::GarbageStatusLine), Effect::Unknown),
        (Some(Fault::Page(502)), Effect::Unknown),
        (Some(Fault::Page(504)), Effect::Unknown),
    ] {
        match fault {
            Some(fault) => nextcloud.fault(fault).await,
            None => nextcloud.heal().await,
        }
        let access = client.access(account("admin"));
        let result = access.delete_webhook(15).await.result;
        let known = result.as_ref().err().map_or(Effect::Done, WriteError::effect);
        assert_eq!(known, effect, "{fault:?}");
        if let Err(error) = result {
            let says = error.public_message();
            let is_unknown = effect == Effect::Unknown;
            assert_eq!(says.contains("not known"), is_unknown, "{says}");
            assert_eq!(error.to_string().contains("not known"), is_unknown, "{error}");
            // Of a call that was carried out perhaps, nothing says that it was not.
            assert!(!(is_unknown && says.contains("did not carry out")), "{says}");
        }
        let told = observer.0.lock().unwrap().drain(..).collect::<Vec<_>>();
        assert_eq!(told, [Some(effect)], "{fault:?}");
        // A read changes nothing.
        let _ = client.access(account("alice")).user().await;
        assert_eq!(*observer.0.lock().unwrap(), [None]);
        observer.0.lock().unwrap().clear();
    }
    let access = client.access(account("admin"));
    nextcloud.stop().await;
    let error = access.delete_webhook(15).await.result.unwrap_err();
    assert_eq!(error.effect(), Effect::NotDone, "nothing was sent: {error}");
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

#[tokio::test]
async fn api_8_faults_of_the_connection_are_errors_with_their_cause() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("user-alice");
    let client = |timeout| {
        client_with(&nextcloud, |settings| {
            (settings.timeout, settings.max_body) = (Duration::from_secs(timeout), 100_000);
        })
    };
    let (patient, impatient) = (client(60), client(1));
    for fault in [
        Fault::Close,
        Fault::Reset,
        Fault::SlowHeaders,
        Fault::SlowBody,
        Fault::ShortBody,
        Fault::EndlessBody,
        Fault::HugeLength,
        Fault::GarbageStatusLine,
        Fault::TwoLengths,
        Fault::EndlessHeaders,
        Fault::EndlessInterim,
        Fault::DrippingBody,
        Fault::Redirect,
        Fault::Page(401),
        Fault::Page(502),
    ] {
        let client = match fault {
            Fault::SlowHeaders | Fault::SlowBody | Fault::DrippingBody => &impatient,
            _ => &patient,
        };
        // A call that succeeds leaves a connection in the pool, which then fails.
        let reply = client.access(account("alice")).user().await;
        reply.result.unwrap();
        nextcloud.fault(fault).await;
        let Reply { result, login } = client.access(account("alice")).user().await;
        let error = result.expect_err("a fault");
        use GroupwareError::*;
        let expected = match fault {
            Fault::Close | Fault::Reset => matches!(error, Unreachable(_)),
            Fault::SlowHeaders | Fault::SlowBody | Fault::DrippingBody => {
                matches!(error, TimedOut { .. })
            }
            Fault::EndlessBody | Fault::HugeLength => matches!(error, TooLarge(100_000)),
            Fault::ShortBody
            | Fault::GarbageStatusLine
            | Fault::TwoLengths
            | Fault::EndlessHeaders
            | Fault::EndlessInterim => matches!(error, Unreadable { .. }),
            Fault::Redirect => matches!(error, Redirected(status) if status == 302),
            Fault::Page(status) => matches!(error, InFront { status: it, .. } if it == status),
            Fault::GoAway => unreachable!("only in HTTP/2: goaway.rs"),
        };
        assert!(expected, "{fault:?}: {error:?}");
        assert_eq!(error.effect(), Effect::Unknown, "{fault:?}");
        let evidence = match fault {
            Fault::Page(401) => LoginEvidence::Intercepted,
            _ => LoginEvidence::None,
        };
        assert_eq!(login, evidence);
        nextcloud.heal().await;
    }
    let reply = patient.access(account("alice")).user().await;
    reply.result.unwrap();
}

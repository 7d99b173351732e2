//! Faults of a connection, and what is known of a call that failed (docs/API.md, sections 6.2, 6.3 and 8).

use std::sync::{Arc, Mutex};
use std::time::Duration;

use portreeve::groupware::{
    CallObserver, ClientSettings, Effect, EndedCall, Groupware, GroupwareError, LoginEvidence,
    Reply, WriteError,
};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;

use crate::own_server::{BODY, call};
use crate::recorded::{account, client_with};
use crate::support::nextcloud::{Fault, Nextcloud};

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

#[tokio::test]
async fn api_7_the_head_of_an_answer_over_http_1_has_at_most_100_fields() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let client = Groupware::new(url.parse().unwrap(), ClientSettings::default()).unwrap();
    for (fields, is_read) in [(100, true), (101, false)] {
        let serving = async {
            let mut stream = BufReader::new(listener.accept().await.unwrap().0);
            let mut line = String::new();
            while stream.read_line(&mut line).await.unwrap() > 2 {
                line.clear();
            }
            let more = "Link: </>\r\n".repeat(fields - 2);
            let length = BODY.len();
            let answer = format!(
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {length}\r\n{more}\r\n{BODY}"
            );
            stream.write_all(answer.as_bytes()).await.unwrap();
        };
        let (called, ()) = tokio::join!(call(&client), serving);
        match called {
            Ok(()) => assert!(is_read, "{fields}"),
            Err(error) => {
                assert!(!is_read && error.to_string().contains("100 fields"), "{fields}: {error}");
            }
        }
    }
}

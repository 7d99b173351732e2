//! Calls that the server carries out after the gateway gave up on them, and calls that were given up
//! before they began: the answer names exactly the webhooks that may be left.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::future::join_all;
use portreeve::gateway::{BearerLogins, LoginPolicy};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

use super::{Bench, URI, limits, named};
use crate::support::gateway::{Answer, TestGateway, Unstarted};
use crate::support::nextcloud::{Break, Release, Slip};

/// The webhooks of the preset `notes`.
const COUNT: usize = 5;
const UNKNOWN: &str = "It is not known whether the server still registers the one that failed.";
const UNDONE: &str = "What was registered before was deleted again.";

/// How a call is given up, with the time that the gateway allows a call. The server works on it
/// nevertheless.
const GIVEN_UP: [(Break, Duration); 3] = [
    (Break::Page(504), Duration::from_secs(20)),
    (Break::Reset, Duration::from_secs(20)),
    (Break::Hang, Duration::from_millis(600)),
];

async fn bench(timeout: Duration) -> Bench {
    let whole = limits(Duration::from_secs(30));
    Bench::of(Release::default(), timeout, |it| it.limits(whole)).await
}

/// `count` calls succeed, then one is given up, and carried out `after` a time.
fn late(count: usize, what: Break, after: Duration) -> Vec<Option<Slip>> {
    let mut slips = vec![None; count];
    slips.push(Some(Slip::Late(what, after)));
    slips
}

fn not_enabled(answer: &Answer) -> String {
    let message = answer.assert_error(500, "Internal error");
    assert!(
        message.starts_with("The preset was not enabled: "),
        "{message}"
    );
    message
}

#[tokio::test]
async fn api_4_6_a_registration_that_comes_late_is_deleted() {
    for failing in 0..COUNT {
        join_all(GIVEN_UP.map(|(what, timeout)| async move {
            let bench = bench(timeout).await;
            bench.put("carol", "tags", URI).await;
            let before = bench.ids();
            // It takes effect after the gateway first lists the webhooks, which it does at once.
            let after = match what {
                Break::Hang => timeout + Duration::from_millis(300),
                _ => Duration::from_millis(300),
            };
            bench.nextcloud.slip(late(1 + failing, what, after), None);
            let message = not_enabled(&bench.put("admin", "notes", URI).await);
            assert_eq!(bench.ids(), before, "{what:?} {failing}: {message}");
            assert!(named(&message).is_empty(), "{message}");
            assert!(!message.contains(UNKNOWN), "{what:?} {failing}: {message}");
            assert_eq!(message.contains(UNDONE), failing > 0, "{message}");
            // Nothing is registered after the answer, either.
            tokio::time::sleep(after).await;
            assert_eq!(bench.ids(), before, "{what:?} {failing}");
        }))
        .await;
    }
}

#[tokio::test]
async fn api_4_6_a_registration_that_may_come_after_the_answer_is_announced_in_it() {
    join_all(GIVEN_UP.map(|(what, timeout)| async move {
        let bench = bench(timeout).await;
        bench.put("carol", "tags", URI).await;
        let before = bench.ids();
        let after = timeout.min(Duration::from_secs(1)) + Duration::from_secs(8);
        bench.nextcloud.slip(late(3, what, after), None);
        let message = not_enabled(&bench.put("admin", "notes", URI).await);
        assert_eq!(bench.ids(), before, "{what:?}: {message}");
        assert!(message.contains(UNKNOWN), "{what:?}: {message}");
        assert!(named(&message).is_empty(), "{message}");
        let deadline = tokio::time::Instant::now() + Duration::from_secs(60);
        while bench.ids() == before {
            assert!(tokio::time::Instant::now() < deadline, "it never comes");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        // It is the one that failed, it is shown, and a new request registers the rest or deletes it.
        let came: BTreeSet<_> = bench.ids().difference(&before).copied().collect();
        assert_eq!(came.len(), 1);
        assert_eq!(bench.counts("notes", URI).await, [0, 0, 1, 0, 0]);
        assert_eq!(bench.show("notes", Some(URI)).await["state"], "partly");
        let answer = match what {
            Break::Reset => bench.delete("admin", "notes", URI).await,
            _ => bench.put("admin", "notes", URI).await,
        };
        assert_eq!(answer.status, 200, "{answer:?}");
        match what {
            Break::Reset => assert_eq!(bench.ids(), before),
            _ => assert_eq!(bench.counts("notes", URI).await, [1; COUNT]),
        }
    }))
    .await;
}

#[tokio::test]
async fn api_4_6_a_deletion_that_comes_late_harms_nothing() {
    join_all((0..COUNT).map(|failing| async move {
        for (what, timeout) in GIVEN_UP {
            let bench = bench(timeout).await;
            bench.put("carol", "tags", URI).await;
            let before = bench.ids();
            bench.put("carol", "notes", URI).await;
            let after = Duration::from_millis(300);
            bench.nextcloud.slip(late(1 + failing, what, after), None);
            let answer = bench.delete("admin", "notes", URI).await;
            assert_eq!(answer.status, 200, "{what:?} {failing}: {answer:?}");
            assert_eq!(bench.ids(), before);
            tokio::time::sleep(after).await;
            assert_eq!(bench.ids(), before);
        }
    }))
    .await;
}

/// If the server takes no bearer tokens, the registration may wait in the gateway for a permit until it
/// times out.
#[tokio::test]
async fn api_4_6_a_registration_that_never_began_is_not_in_doubt() {
    let bench = Bench::of(
        Release::default(),
        Duration::from_secs(20),
        |gateway: Unstarted| {
            let policy = LoginPolicy::default()
                .refused_login_budget(1)
                .bearer(BearerLogins::Off);
            gateway
                .limits(limits(Duration::from_secs(4)))
                .logins(policy)
        },
    )
    .await;
    bench.nextcloud.delay(Duration::from_millis(300));
    // The list is read, and then another request holds the permit.
    let slips = [None, Some(Slip::Before(Break::Hang))];
    bench.nextcloud.slip(slips, None);
    let taking = async {
        while bench.nextcloud.seen().is_empty() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        bench.call("carol", "GET", "/api/v1/webhooks", "").await
    };
    let (_, answer) = tokio::join!(taking, bench.put("admin", "notes", URI));
    let message = not_enabled(&answer);
    assert!(
        message.ends_with("The request was not answered in time."),
        "{message}"
    );
    let posts = bench.nextcloud.seen();
    assert!(posts.iter().all(|it| it.method != "POST"), "{posts:?}");
    assert!(bench.ids().is_empty());
}

/// The server goes down before the first registration, so that none can have reached it.
#[tokio::test]
async fn api_4_6_a_registration_that_was_never_sent_is_not_in_doubt() {
    let bench = bench(Duration::from_secs(20)).await;
    let gateway = TestGateway::with(&two_exchanges(bench.nextcloud.url()).await, |it| it).await;
    let path = "/api/v1/webhook-presets/notes";
    let body = serde_json::json!({ "uri": URI }).to_string();
    let message = not_enabled(&gateway.call("admin", "PUT", path, &body).await);
    assert!(
        message.ends_with("The groupware server could not be reached."),
        "{message}"
    );
    assert_eq!(bench.nextcloud.seen().len(), 1);
}

/// A proxy to the server at `url` that closes after two exchanges: its version, and the list.
async fn two_exchanges(url: &str) -> String {
    let server = url.strip_prefix("http://").unwrap().to_owned();
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let mut listener = Some(listener);
        for is_last in [false, true] {
            let (mut client, _) = listener.as_ref().unwrap().accept().await.unwrap();
            if is_last {
                listener = None;
            }
            let mut server = TcpStream::connect(&server).await.unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                client.read_buf(&mut request).await.unwrap();
            }
            // The server closes after its answer, and says so.
            let request = String::from_utf8(request).unwrap();
            let request = request.replacen("\r\n", "\r\nconnection: close\r\n", 1);
            server.write_all(request.as_bytes()).await.unwrap();
            copy_bidirectional(&mut client, &mut server).await.ok();
        }
    });
    format!("http://{address}")
}

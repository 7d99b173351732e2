//! Calls that the server carries out after the gateway gave up on them: the answer says that it is not
//! known, and a repeated request mends what comes of it.

use std::time::Duration;

use futures_util::future::join_all;

use super::{Bench, URI};
use crate::support::gateway::{Answer, set};
use crate::support::nextcloud::{Break, Release, Slip};

/// The webhooks of the preset `notes`.
const COUNT: usize = 5;

/// How a call is given up, with the time that the gateway allows a call. The server works on it
/// nevertheless.
const GIVEN_UP: [(Break, Duration); 3] = [
    (Break::Page(504), Duration::from_secs(20)),
    (Break::Reset, Duration::from_secs(20)),
    (Break::Hang, Duration::from_millis(600)),
];

async fn bench(timeout: Duration) -> Bench {
    let change = set(|settings| settings.request_timeout = Duration::from_secs(30));
    Bench::of(Release::default(), timeout, change).await
}

/// `count` calls succeed, then one is given up, and carried out later.
fn late(count: usize, what: Break) -> Vec<Option<Slip>> {
    let mut slips = vec![None; count];
    slips.push(Some(Slip::Held(what)));
    slips
}

fn effect(answer: &Answer) -> String {
    assert_eq!(answer.status, 500, "{answer:?}");
    let effect = &answer.json()["outcome"]["failed"]["effect"];
    effect.as_str().unwrap().to_owned()
}

#[tokio::test]
async fn api_4_6_a_registration_that_comes_late_is_mended_by_a_repeat() {
    for failing in 0..COUNT {
        join_all(GIVEN_UP.map(|(what, timeout)| async move {
            let bench = bench(timeout).await;
            bench.put("carol", "tags", URI).await;
            let before = bench.ids();
            bench.nextcloud.slip(late(1 + failing, what), None);
            let answer = bench.put("admin", "notes", URI).await;
            assert_eq!(effect(&answer), "unknown", "{what:?} {failing}");
            assert_eq!(bench.ids().len(), before.len() + failing);
            // The repeat comes after it, or before it.
            if failing % 2 == 0 {
                bench.nextcloud.release();
                assert_eq!(bench.ids().len(), before.len() + failing + 1);
            }
            let answer = bench.put("admin", "notes", URI).await;
            assert_eq!(answer.status, 200, "{answer:?}");
            if failing % 2 == 1 {
                bench.nextcloud.release();
                assert_eq!(bench.ids().len(), before.len() + COUNT + 1);
                assert_eq!(bench.show("notes", Some(URI)).await["state"], "partly");
                let answer = bench.put("admin", "notes", URI).await;
                assert_eq!(answer.json()["state"], "enabled", "{answer:?}");
            }
            assert_eq!(bench.counts("notes", URI).await, [1; COUNT]);
            let left = bench.ids();
            assert!(before.is_subset(&left) && left.len() == before.len() + COUNT);
        }))
        .await;
    }
}

#[tokio::test]
async fn api_4_6_a_deletion_that_comes_late_harms_nothing() {
    for failing in 0..COUNT {
        join_all(GIVEN_UP.map(|(what, timeout)| async move {
            let bench = bench(timeout).await;
            bench.put("carol", "tags", URI).await;
            let before = bench.ids();
            bench.put("carol", "notes", URI).await;
            bench.nextcloud.slip(late(1 + failing, what), None);
            let answer = bench.delete("admin", "notes", URI).await;
            assert_eq!(effect(&answer), "unknown", "{what:?} {failing}");
            for answer in [
                bench.delete("admin", "notes", URI).await,
                // What is registered now has a new id, which the late deletion does not name.
                bench.put("admin", "notes", URI).await,
            ] {
                assert_eq!(answer.status, 200, "{what:?} {failing}: {answer:?}");
            }
            bench.nextcloud.release();
            assert_eq!(bench.counts("notes", URI).await, [1; COUNT]);
            assert!(before.is_subset(&bench.ids()));
        }))
        .await;
    }
}

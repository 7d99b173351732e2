//! Faults of the server at every step of a preset: afterwards it has the whole preset, or what it had
//! before, or what the answer names.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;

use super::{Bench, URI, limits, named};
use crate::support::gateway::Answer;
use crate::support::nextcloud::{Break, Release, Slip};

/// Timeouts: short for calls that are meant to time out, long for all others, so that a slow machine does
/// not change an answer.
const SHORT: Duration = Duration::from_millis(800);
const LONG: Duration = Duration::from_secs(20);

const ENABLED: &str = "The preset was not enabled: ";
const DISABLED: &str = "The preset was not disabled. ";
const UNDONE: &str = "What was registered before was deleted again.";
const GOES_ON: &str = "The gateway goes on trying to delete them for ten minutes.";
const UNKNOWN: &str = "It is not known whether the server still registers the one that failed.";

/// Each with the message for the caller.
const BREAKS: [(Break, &str); 7] = [
    (
        Break::Page(502),
        "Something in front of the groupware server got no answer from it.",
    ),
    (
        Break::Internal,
        "The groupware server answered with an internal error.",
    ),
    (
        Break::Page(401),
        "Something in front of the groupware server wants a login of its own.",
    ),
    (
        Break::Maintenance,
        "The groupware server is in maintenance mode, or its upgrade is pending.",
    ),
    (
        Break::Reset,
        "The connection to the groupware server was closed before its answer.",
    ),
    (Break::Hang, "The groupware server did not answer in time."),
    (
        Break::Revoked,
        "The groupware server did not accept the stored app password.",
    ),
];

/// Each of them before and after the server carries the call out. A refused login and maintenance carry
/// nothing out.
fn slips() -> impl Iterator<Item = (Break, Slip, &'static str)> {
    let both = |(what, cause)| [Slip::Before(what), Slip::After(what)].map(|it| (what, it, cause));
    let slips = BREAKS.into_iter().flat_map(both);
    slips.filter(|(_, slip, _)| !matches!(slip, Slip::After(Break::Revoked | Break::Maintenance)))
}

/// The webhooks of the preset `notes`.
const COUNT: usize = 5;

fn timeout(what: Break) -> Duration {
    if what == Break::Hang { SHORT } else { LONG }
}

async fn bench(what: Break) -> Bench {
    bench_with(what, Duration::from_secs(30)).await
}

/// For faults that do not pass: the answer comes after nine tenths of the time at the latest.
async fn impatient_bench(what: Break) -> Bench {
    bench_with(what, Duration::from_secs(4)).await
}

async fn bench_with(what: Break, whole: Duration) -> Bench {
    Bench::of(Release::default(), timeout(what), |it| {
        it.limits(limits(whole))
    })
    .await
}

/// `count` calls succeed, then one fails as `slip` says.
fn after(count: usize, slip: Slip) -> Vec<Option<Slip>> {
    let mut slips = vec![None; count];
    slips.push(Some(slip));
    slips
}

/// New registrations are named in the message, and those that existed `before` still exist.
fn assert_truthful(bench: &Bench, before: &BTreeSet<i64>, message: &str) {
    let now = bench.ids();
    assert!(before.is_subset(&now), "{message}");
    let extra: BTreeSet<_> = now.difference(before).copied().collect();
    let named = named(message);
    // The one that failed may be registered if the message says so.
    let unnamed = extra.difference(&named).count();
    assert!(
        unnamed <= usize::from(message.contains(UNKNOWN)),
        "{extra:?}: {message}"
    );
    // No detail of the server is shown.
    for inside in ["http://127", "html", "os error", "ocs", "admin"] {
        assert!(!message.to_lowercase().contains(inside), "{message}");
    }
}

fn failed(answer: &Answer, expected: &str) -> String {
    let message = answer.assert_error(500, "Internal error");
    assert!(message.starts_with(expected), "{message}");
    message
}

/// After a fault everything works again, unless the password was refused.
async fn works_again(bench: &Bench, what: Break) {
    bench.nextcloud.slip([], None);
    if what == Break::Revoked {
        return;
    }
    let mut answer = bench.put("admin", "notes", URI).await;
    // Work in the background ends first.
    while answer.status == 504 {
        answer = bench.put("admin", "notes", URI).await;
    }
    assert_eq!(answer.json()["state"], "enabled", "{answer:?}");
    assert_eq!(bench.counts("notes", URI).await, [1; COUNT]);
}

#[tokio::test]
async fn api_4_6_a_list_that_fails_changes_nothing() {
    for (what, cause) in BREAKS {
        let bench = bench(what).await;
        bench.put("carol", "tags", URI).await;
        let before = bench.ids();
        for method in ["PUT", "DELETE", "GET"] {
            bench.nextcloud.slip([Some(Slip::Before(what))], None);
            let answer = match method {
                "PUT" => bench.put("admin", "notes", URI).await,
                "DELETE" => bench.delete("admin", "tags", URI).await,
                _ => {
                    bench
                        .call("admin", "GET", &super::at("tags", URI), "")
                        .await
                }
            };
            match (what, method) {
                // It was refused before, and is suspended.
                (Break::Revoked, "DELETE" | "GET") => {
                    answer.assert_error(428, "Provisioning required");
                }
                _ => assert_eq!(
                    answer.assert_error(500, "Internal error"),
                    cause,
                    "{method}"
                ),
            }
            assert_eq!(bench.ids(), before, "{what:?} {method}");
        }
        works_again(&bench, what).await;
    }
}

#[tokio::test]
async fn api_4_6_a_webhook_that_cannot_be_registered_undoes_those_before() {
    for failing in 0..COUNT {
        join_all(slips().map(|(what, slip, cause)| async move {
            let bench = bench(what).await;
            bench.put("carol", "tags", URI).await;
            let before = bench.ids();
            // The list and the registrations before it succeed.
            bench.nextcloud.slip(after(1 + failing, slip), None);
            let answer = bench.put("admin", "notes", URI).await;
            let message = failed(&answer, ENABLED);
            let said = format!("could not be registered. {cause}");
            assert!(message.contains(&said), "{slip:?} {failing}: {message}");
            assert_truthful(&bench, &before, &message);
            if what == Break::Revoked {
                assert_eq!(named(&message).len(), failing, "{message}");
                return;
            }
            assert_eq!(message.contains(UNDONE), failing > 0, "{message}");
            // Everything is undone, including webhooks whose registration got no answer.
            assert_eq!(bench.ids(), before, "{slip:?} {failing}: {message}");
            assert!(named(&message).is_empty(), "{message}");
            let may_come =
                matches!(slip, Slip::Before(what) if !matches!(what, Break::Maintenance));
            assert_eq!(message.contains(UNKNOWN), may_come, "{slip:?}: {message}");
            works_again(&bench, what).await;
        }))
        .await;
    }
}

#[tokio::test]
async fn api_4_6_a_password_that_is_refused_is_not_tried_again_to_undo() {
    for failing in 0..COUNT {
        let bench = bench(Break::Revoked).await;
        let slips = after(1 + failing, Slip::Before(Break::Revoked));
        bench.nextcloud.slip(slips, None);
        let answer = bench.put("admin", "notes", URI).await;
        let message = failed(&answer, ENABLED);
        assert_eq!(named(&message), bench.ids(), "{message}");
        assert_eq!(bench.ids().len(), failing);
        assert_eq!(bench.nextcloud.failed_logins(), 1);
        let seen = bench.nextcloud.seen().len();
        assert_eq!(seen, 2 + failing);
        // Another user with a valid password can finish it or undo it.
        let answer = match failing % 2 {
            0 => bench.put("carol", "notes", URI).await,
            _ => bench.delete("carol", "notes", URI).await,
        };
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(bench.ids().len(), if failing % 2 == 0 { COUNT } else { 0 });
    }
}

#[tokio::test]
async fn api_4_6_registrations_are_undone_despite_another_fault() {
    // The third webhook cannot be registered; then one of the deletions fails, or the list.
    for undoing in 0..4 {
        let slips = slips().filter(|(what, ..)| *what != Break::Revoked);
        join_all(slips.map(|(what, slip, _)| async move {
            let bench = bench(what).await;
            bench.put("carol", "tags", URI).await;
            let before = bench.ids();
            let mut slips = after(3, Slip::Before(Break::Internal));
            slips.extend(after(undoing, slip));
            bench.nextcloud.slip(slips, None);
            let answer = bench.put("admin", "notes", URI).await;
            let message = failed(&answer, ENABLED);
            assert_truthful(&bench, &before, &message);
            assert_eq!(bench.ids(), before, "{slip:?} {undoing}: {message}");
            works_again(&bench, what).await;
        }))
        .await;
    }
}

#[tokio::test]
async fn api_4_6_registrations_that_cannot_be_undone_are_named() {
    join_all(slips().map(|(what, slip, _)| async move {
        let bench = impatient_bench(what).await;
        bench.put("carol", "tags", URI).await;
        let before = bench.ids();
        // From the third webhook on every call fails.
        bench.nextcloud.slip(vec![None; 3], Some(slip));
        let answer = bench.put("admin", "notes", URI).await;
        let message = failed(&answer, ENABLED);
        assert_truthful(&bench, &before, &message);
        let extra: BTreeSet<_> = bench.ids().difference(&before).copied().collect();
        if let Slip::Before(_) = slip {
            assert_eq!(named(&message), extra, "{message}");
            assert_eq!(extra.len(), 2);
            let may_work_again = what != Break::Revoked;
            assert_eq!(message.contains(GOES_ON), may_work_again, "{message}");
        }
        works_again(&bench, what).await;
    }))
    .await;
}

#[tokio::test]
async fn api_4_6_a_final_list_that_fails_undoes_nothing() {
    for (what, _) in BREAKS {
        let bench = bench(what).await;
        let slips = after(1 + COUNT, Slip::Before(what));
        bench.nextcloud.slip(slips, None);
        let answer = bench.put("admin", "notes", URI).await;
        assert_eq!(answer.status, 200, "{what:?} {answer:?}");
        assert_eq!(answer.json()["state"], "enabled");
        let ids: Vec<_> = bench.ids().into_iter().collect();
        assert_eq!(answer.json()["created"], json!(ids));
        assert_eq!(ids.len(), COUNT);
    }
}

#[tokio::test]
async fn api_4_6_a_webhook_that_cannot_be_deleted_once_is_tried_again() {
    for failing in 0..COUNT {
        join_all(slips().map(|(what, slip, cause)| async move {
            let bench = bench(what).await;
            bench.put("carol", "tags", URI).await;
            let before = bench.ids();
            bench.put("carol", "notes", URI).await;
            bench.nextcloud.slip(after(1 + failing, slip), None);
            let answer = bench.delete("admin", "notes", URI).await;
            if what != Break::Revoked {
                assert_eq!(answer.status, 200, "{slip:?} {failing}: {answer:?}");
                assert_eq!(bench.ids(), before);
                return;
            }
            let message = failed(&answer, DISABLED);
            assert!(message.contains(cause), "{message}");
            let left: BTreeSet<_> = bench.ids().difference(&before).copied().collect();
            assert_eq!(named(&message), left, "{message}");
            assert_eq!(left.len(), COUNT - failing);
            assert_eq!(bench.nextcloud.failed_logins(), 1);
        }))
        .await;
    }
}

#[tokio::test]
async fn api_4_6_webhooks_that_cannot_be_deleted_are_named() {
    join_all(slips().map(|(what, slip, cause)| async move {
        let bench = impatient_bench(what).await;
        bench.put("carol", "notes", URI).await;
        // From the third one on every call fails.
        bench.nextcloud.slip(vec![None; 3], Some(slip));
        let answer = bench.delete("admin", "notes", URI).await;
        let message = failed(&answer, DISABLED);
        assert!(message.contains(cause), "{message}");
        let left = bench.ids();
        assert!(left.is_subset(&named(&message)), "{left:?}: {message}");
        if let Slip::Before(_) = slip {
            assert_eq!(named(&message), left, "{message}");
            assert_eq!(left.len(), COUNT - 2);
        }
        works_again(&bench, what).await;
        if what != Break::Revoked {
            let answer = bench.delete("admin", "notes", URI).await;
            assert_eq!(answer.status, 200, "{answer:?}");
            assert!(bench.ids().is_empty());
        }
    }))
    .await;
}

/// A restart of PHP takes some seconds.
#[tokio::test]
async fn api_4_6_registrations_are_deleted_when_the_server_is_back() {
    let bench = bench(Break::Page(502)).await;
    bench.put("carol", "tags", URI).await;
    let before = bench.ids();
    let down = Slip::Before(Break::Page(502));
    bench.nextcloud.slip(vec![None; 3], Some(down));
    let (answer, ()) = tokio::join!(bench.put("admin", "notes", URI), async {
        tokio::time::sleep(Duration::from_secs(3)).await;
        bench.nextcloud.slip([], None);
    });
    let message = failed(&answer, ENABLED);
    assert!(
        message.contains(UNDONE) && !message.contains(GOES_ON),
        "{message}"
    );
    assert_eq!(bench.ids(), before, "{message}");
}

#[tokio::test]
async fn api_4_6_webhooks_not_deleted_in_time_are_deleted_in_the_background() {
    for deletes in [false, true] {
        let bench = impatient_bench(Break::Maintenance).await;
        bench.put("carol", "tags", URI).await;
        let before = bench.ids();
        if deletes {
            bench.put("carol", "notes", URI).await;
        }
        let down = Slip::Before(Break::Maintenance);
        bench.nextcloud.slip(vec![None; 3], Some(down));
        let answer = match deletes {
            true => bench.delete("admin", "notes", URI).await,
            false => bench.put("admin", "notes", URI).await,
        };
        let message = failed(&answer, if deletes { DISABLED } else { ENABLED });
        assert!(message.contains(GOES_ON), "{message}");
        let left: BTreeSet<_> = bench.ids().difference(&before).copied().collect();
        assert_eq!(named(&message), left, "{message}");
        assert!(!left.is_empty());
        bench.nextcloud.slip([], None);
        let gone = async {
            while bench.ids() != before {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let gone = tokio::time::timeout(Duration::from_secs(20), gone).await;
        assert!(gone.is_ok(), "{:?}: {message}", bench.ids());
    }
}

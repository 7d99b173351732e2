//! Faults of the server at every call of a preset: what was done stays, the answer says what is there, and a
//! repeated request continues. Other registrations are never touched.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::future::join_all;
use portreeve::groupware::{ClientSettings, DeliveryAuth, Groupware, KnownEvent};
use serde_json::{Value, json};

use super::{Bench, URI, ids};
use crate::support::gateway::{Answer, Unstarted, set};
use crate::support::nextcloud::{Break, Release, Slip};

/// Timeouts: short for requests of which a call is meant to time out, long for all others, so that a slow machine
/// does not change an answer.
const SHORT: Duration = Duration::from_millis(1500);
const LONG: Duration = Duration::from_secs(20);

/// Each with the message for the caller.
const BREAKS: [(Break, &str); 7] = [
    (Break::Page(502), "Something in front of the groupware server got no answer from it."),
    (Break::Internal, "The groupware server answered with an internal error."),
    (Break::Page(401), "Something in front of the groupware server wants a login of its own."),
    (Break::Maintenance, "The groupware server is in maintenance mode, or its upgrade is pending."),
    (Break::Reset, "The connection to the groupware server was closed before its answer."),
    (Break::Hang, "The groupware server did not answer in time."),
    (Break::Revoked, "The groupware server did not accept the stored app password."),
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

/// A client of the server.
fn client(bench: &Bench, timeout: Duration) -> Groupware {
    let mut settings = ClientSettings::default();
    settings.timeout = timeout;
    Groupware::new(bench.nextcloud.url().parse().unwrap(), settings).unwrap()
}

fn timeout(what: Break) -> Duration {
    if what == Break::Hang { SHORT } else { LONG }
}

/// The request under test: if a call is to hang, through a gateway of its own that waits for it no longer than necessary.
async fn request(bench: &Bench, what: Break, method: &str, preset: &str) -> Answer {
    let (path, body) = match method {
        "PUT" => (format!("{}/{preset}", super::PRESETS), json!({"uri": URI}).to_string()),
        _ => (super::at(preset, URI), String::new()),
    };
    if what != Break::Hang {
        return bench.call("admin", method, &path, &body).await;
    }
    let with = |it: Unstarted| it.groupware(client(bench, SHORT));
    let hurried = bench.gateway.beside(bench.nextcloud.url(), with).await;
    hurried.call("admin", method, &path, &body).await
}

/// A bench, and the registrations of another preset and of a user at the same address.
async fn bench() -> (Bench, BTreeSet<i64>) {
    let bench = Bench::of(Release::default(), LONG, |it| it).await;
    bench.put("carol", "tags", URI).await;
    let own = json!({"event": KnownEvent::named("NodeCreatedEvent").unwrap().class, "uri": URI});
    let own = bench.call("admin", "POST", "/api/v1/webhooks", &own.to_string()).await;
    assert_eq!(own.status, 200);
    let others = bench.ids();
    assert_eq!(others.len(), 3);
    (bench, others)
}

/// `count` calls succeed, then one fails as `slip` says.
fn after(count: usize, slip: Slip) -> Vec<Option<Slip>> {
    let mut slips = vec![None; count];
    slips.push(Some(slip));
    slips
}

/// The outcome in an error whose message is `cause`; it says what is at the server, beside `others`.
fn outcome(bench: &Bench, others: &BTreeSet<i64>, answer: &Answer, cause: &str) -> Value {
    let said = answer.json();
    assert_eq!((answer.status, &said["message"]), (500, &json!(cause)));
    let outcome = &said["outcome"];
    assert_eq!((&outcome["preset"], &outcome["uri"]), (&json!("notes"), &json!(URI)));
    let now = bench.ids();
    assert!(others.is_subset(&now), "{said}");
    if !outcome["state"].is_null() {
        let webhooks = outcome["webhooks"].as_array().unwrap();
        let listed = webhooks.iter().flat_map(|webhook| ids(&webhook["ids"]));
        let ours: BTreeSet<_> = now.difference(others).copied().collect();
        assert_eq!(listed.collect::<BTreeSet<_>>(), ours, "{said}");
    }
    outcome.clone()
}

/// A repeated request reaches its goal, whatever was there before, and changes nothing the next time.
async fn repeat_reaches(bench: &Bench, others: &BTreeSet<i64>, method: &str) {
    bench.nextcloud.slip([], None);
    // `admin` may have lost the password.
    for is_again in [false, true] {
        let (answer, state) = match method {
            "PUT" => (bench.put("carol", "notes", URI).await, "enabled"),
            _ => (bench.delete("carol", "notes", URI).await, "disabled"),
        };
        assert_eq!(answer.status, 200, "{answer:?}");
        let answer = answer.json();
        assert_eq!(answer["state"], state);
        let changed = ids(&answer["created"]).len() + ids(&answer["deleted"]).len();
        assert!(!is_again || changed == 0, "{answer}");
    }
    let count = if method == "PUT" { 1 } else { 0 };
    assert_eq!(bench.counts("notes", URI).await, [count; COUNT]);
    let now = bench.ids();
    assert!(others.is_subset(&now));
    assert_eq!(now.len(), others.len() + count * COUNT);
}

#[tokio::test]
async fn api_4_6_a_first_list_that_fails_changes_nothing() {
    for (what, cause) in BREAKS {
        let (bench, others) = bench().await;
        for method in ["PUT", "DELETE", "GET"] {
            // A read is repeated once if its connection ends.
            let slips = if what == Break::Reset { 2 } else { 1 };
            let slips = vec![Some(Slip::Before(what)); slips];
            bench.nextcloud.slip(slips, None);
            let preset = if method == "PUT" { "notes" } else { "tags" };
            let answer = request(&bench, what, method, preset).await;
            match (what, method) {
                // It was refused before, and is suspended.
                (Break::Revoked, "DELETE" | "GET") => {
                    answer.assert_error(428, "Provisioning required");
                }
                _ => assert_eq!(answer.assert_error(500, "Internal error"), cause, "{method}"),
            }
            assert!(answer.json().get("outcome").is_none());
            assert_eq!(bench.ids(), others, "{what:?} {method}");
        }
        repeat_reaches(&bench, &others, "PUT").await;
    }
}

#[tokio::test]
async fn api_4_6_a_registration_that_fails_ends_the_request_and_a_repeat_continues() {
    for failing in 0..COUNT {
        join_all(slips().map(|(what, slip, cause)| async move {
            let (bench, others) = bench().await;
            // The list and the registrations before it succeed.
            bench.nextcloud.slip(after(1 + failing, slip), None);
            let answer = request(&bench, what, "PUT", "notes").await;
            let is_done = matches!(slip, Slip::After(_));
            if is_done && failing + 1 == COUNT {
                // Only the answer was lost, and the server shows that the goal is reached.
                assert_eq!(answer.status, 200, "{slip:?}: {answer:?}");
            } else {
                let outcome = outcome(&bench, &others, &answer, cause);
                let failed = &outcome["failed"];
                assert_eq!(failed["call"], "register");
                let made: BTreeSet<_> = bench.ids().difference(&others).copied().collect();
                assert_eq!(made.len(), failing + usize::from(is_done), "{slip:?}");
                if what != Break::Revoked {
                    assert_eq!(ids(&outcome["created"]), made);
                    let state = if made.is_empty() { "disabled" } else { "partly" };
                    assert_eq!(outcome["state"], state, "{slip:?} {failing}");
                    let event = &outcome["webhooks"][failing]["event"];
                    assert_eq!(&failed["event"], event);
                } else {
                    // The password is not tried again, not even to look.
                    assert!(outcome.get("state").is_none() && outcome.get("created").is_none());
                    assert_eq!(bench.nextcloud.failed_logins(), 1);
                }
                let expected = match slip {
                    Slip::After(_) => "done",
                    Slip::Before(Break::Revoked | Break::Maintenance) => "not_done",
                    _ => "unknown",
                };
                assert_eq!(failed["effect"], expected, "{slip:?}: {outcome}");
            }
            repeat_reaches(&bench, &others, if failing % 2 == 0 { "PUT" } else { "DELETE" }).await;
        }))
        .await;
    }
}

#[tokio::test]
async fn api_4_6_what_is_there_is_not_said_if_the_server_cannot_be_asked_again() {
    join_all(slips().map(|(what, slip, cause)| async move {
        for (method, calls) in [("PUT", 3), ("PUT", 1 + COUNT), ("DELETE", 3)] {
            let (bench, others) = bench().await;
            if method == "DELETE" {
                bench.put("carol", "notes", URI).await;
            }
            bench.nextcloud.slip(vec![None; calls], Some(slip));
            let answer = request(&bench, what, method, "notes").await;
            let outcome = outcome(&bench, &others, &answer, cause);
            let call = match (method, calls) {
                ("DELETE", _) => "delete",
                (_, 3) => "register",
                // Everything was registered, but that is not seen.
                _ => "list",
            };
            assert_eq!(outcome["failed"]["call"], call, "{slip:?}");
            for member in ["state", "webhooks", "created", "deleted"] {
                assert!(outcome.get(member).is_none(), "{outcome}");
            }
            // No detail of the server is shown.
            let text = answer.body.to_lowercase();
            for inside in ["http://127", "html", "os error", "ocs"] {
                assert!(!text.contains(inside), "{text}");
            }
            repeat_reaches(&bench, &others, method).await;
        }
    }))
    .await;
}

#[tokio::test]
async fn api_4_6_a_deletion_that_fails_ends_the_request_and_a_repeat_continues() {
    for failing in 0..COUNT {
        join_all(slips().map(|(what, slip, cause)| async move {
            let (bench, others) = bench().await;
            bench.put("carol", "notes", URI).await;
            let before: Vec<_> = bench.ids().difference(&others).copied().collect();
            bench.nextcloud.slip(after(1 + failing, slip), None);
            let answer = request(&bench, what, "DELETE", "notes").await;
            let is_done = matches!(slip, Slip::After(_));
            if is_done && failing + 1 == COUNT {
                assert_eq!(answer.status, 200, "{slip:?}: {answer:?}");
            } else {
                let outcome = outcome(&bench, &others, &answer, cause);
                let failed = &outcome["failed"];
                assert_eq!(
                    (&failed["call"], &failed["id"]),
                    (&json!("delete"), &json!(before[failing]))
                );
                assert_eq!(failed["effect"] == "done", is_done, "{slip:?} {outcome}");
                let gone = &before[..failing + usize::from(is_done)];
                if what != Break::Revoked {
                    assert_eq!(outcome["deleted"], json!(gone), "{slip:?}");
                }
                let left = bench.ids().difference(&others).count();
                assert_eq!(left, COUNT - gone.len());
            }
            repeat_reaches(&bench, &others, if failing % 2 == 0 { "DELETE" } else { "PUT" }).await;
        }))
        .await;
    }
}

/// At no moment an event has no registration, and no registration that replaces another one is lost.
#[tokio::test]
async fn api_4_6_what_is_outdated_goes_only_once_its_replacement_is_there() {
    // A list, five updates, a list.
    for failing in 0..2 + COUNT {
        let slips = slips().filter(|(what, ..)| *what != Break::Revoked);
        join_all(slips.map(|(what, slip, _)| async move {
            let (bench, others) = bench().await;
            bench.put("carol", "notes", URI).await;
            // Deliveries of the present ones carry no credential.
            let put = async |timeout| {
                let with = |it: Unstarted| {
                    let auth = DeliveryAuth::derived("a secret".into()).unwrap();
                    let it = it.groupware(client(&bench, timeout));
                    set(|settings| settings.delivery = Some(auth))(it)
                };
                let gateway = bench.gateway.beside(bench.nextcloud.url(), with).await;
                let path = format!("{}/notes", super::PRESETS);
                let body = json!({"uri": URI}).to_string();
                gateway.call("admin", "PUT", &path, &body).await
            };
            bench.nextcloud.slip(after(failing, slip), None);
            put(timeout(what)).await;
            let events = |with_credential_too: bool| -> BTreeSet<_> {
                let webhooks = bench.nextcloud.webhooks().into_iter();
                let ours = webhooks.filter(|it| !others.contains(&it["id"].as_i64().unwrap()));
                let counted = ours.filter(|it| with_credential_too || it["authMethod"] == "header");
                counted.map(|it| it["event"].as_str().unwrap().to_owned()).collect()
            };
            assert_eq!(events(true).len(), COUNT, "{slip:?} {failing}");
            bench.nextcloud.slip([], None);
            for changes in [true, false] {
                let answer = put(LONG).await;
                assert_eq!(answer.json()["state"], "enabled", "{answer:?}");
                assert!(changes || answer.json()["created"] == json!([]), "{answer:?}");
            }
            assert_eq!(events(false).len(), COUNT);
            assert_eq!(bench.ids().len(), others.len() + COUNT, "{slip:?} {failing}");
            assert!(others.is_subset(&bench.ids()));
        }))
        .await;
    }
}

#[tokio::test]
async fn api_4_6_webhooks_that_something_else_changes_meanwhile_are_reported() {
    let (bench, others) = bench().await;
    // One change of this request is undone, and then each further one.
    bench.nextcloud.slip(after(2, Slip::Undone), None);
    let answer = bench.put("admin", "notes", URI).await;
    assert_eq!(answer.json()["state"], "enabled", "{answer:?}");
    bench.delete("admin", "notes", URI).await;
    let undone = |count| std::iter::repeat_n([Some(Slip::Undone), None], count).flatten();
    let first = [None, None, None, None, None];
    bench.nextcloud.slip(first.into_iter().chain(undone(20)), None);
    let answer = bench.put("admin", "notes", URI).await;
    let cause = "The webhooks of the preset were changed by something else at the same time: repeat the request";
    let said = outcome(&bench, &others, &answer, cause);
    assert!(said["state"] == "partly" && said.get("failed").is_none());
    repeat_reaches(&bench, &others, "PUT").await;
    let first = [None, None, None, None, None];
    bench.nextcloud.slip(first.into_iter().chain(undone(20)), None);
    let answer = bench.delete("admin", "notes", URI).await;
    outcome(&bench, &others, &answer, cause);
    repeat_reaches(&bench, &others, "DELETE").await;
}

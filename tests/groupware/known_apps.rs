//! The list of apps, which the server sends again only if it has changed (docs/API.md, section 3).

use std::sync::{Arc, Mutex};

use portreeve::groupware::{
    AppIds, CallObserver, CallOutcome, EndedCall, Groupware, GroupwareError, LoginEvidence, Reply,
};

use crate::recorded::{PASSWORD, account, client, client_with};
use crate::support::nextcloud::{Nextcloud, Release};

const WHOLE: &str = "capabilities-user-app-password";
const UNCHANGED: &str = "capabilities-if-none-match";

async fn ask(client: &Groupware, user: &str) -> Reply<AppIds> {
    client.access(account(user)).app_ids().await
}

async fn apps(client: &Groupware, user: &str) -> AppIds {
    let Reply { result, login } = ask(client, user).await;
    assert_eq!(login, LoginEvidence::Accepted);
    result.unwrap()
}

/// The `If-None-Match` of each request, in order.
fn asked(nextcloud: &Nextcloud) -> Vec<Option<String>> {
    let seen = nextcloud.seen();
    let fields = seen.iter().map(|seen| seen.headers.get("if-none-match"));
    fields.map(|field| field.map(|field| field.to_str().unwrap().to_owned())).collect()
}

fn tag(nextcloud: &Nextcloud, recording: &str) -> String {
    let headers = nextcloud.recording(recording).response.headers;
    let mut tags = headers.into_iter().filter(|(name, _)| name == "ETag");
    tags.next().expect("it has a tag").1
}

/// An answer with the apps `names`, for `user`, with `tag`, and otherwise as recorded.
fn answer(nextcloud: &Nextcloud, user: &str, tag: &str, names: &[&str]) {
    let members: Vec<_> = names.iter().map(|name| format!("\"{name}\":{{}}")).collect();
    let members = members.join(",");
    let body = format!(
        r#"{{"ocs":{{"meta":{{"status":"ok","statuscode":200}},"data":{{"capabilities":{{{members}}}}}}}}}"#
    );
    nextcloud.answer_tagged_for(user, WHOLE, tag, body);
}

#[tokio::test]
async fn api_3_an_unchanged_list_is_not_sent_again() {
    for version in Release::ALL {
        let nextcloud = Nextcloud::of(version).await;
        nextcloud.answer(WHOLE);
        let client = client(&nextcloud);
        let first = apps(&client, "alice").await;
        assert!(first.to_vec().len() > 10);
        // The recorded answer.
        nextcloud.answer_once(UNCHANGED);
        assert_eq!(apps(&client, "alice").await, first);
        assert_eq!(apps(&client, "alice").await, first);
        let tag = tag(&nextcloud, WHOLE);
        assert_eq!(asked(&nextcloud), [None, Some(tag.clone()), Some(tag)]);
    }
}

#[tokio::test]
async fn api_3_each_account_sends_its_own_etag() {
    let nextcloud = Nextcloud::start().await;
    let client = client(&nextcloud);
    answer(&nextcloud, "alice", "\"a\"", &["files"]);
    answer(&nextcloud, "bob", "\"b\"", &["files", "notes"]);
    for _ in 0..2 {
        assert_eq!(apps(&client, "alice").await.to_vec(), ["files"]);
        assert_eq!(apps(&client, "bob").await.to_vec(), ["files", "notes"]);
    }
    // An app is installed for alice alone.
    answer(&nextcloud, "alice", "\"c\"", &["deck", "files"]);
    for _ in 0..2 {
        assert_eq!(apps(&client, "alice").await.to_vec(), ["deck", "files"]);
        assert_eq!(apps(&client, "bob").await.to_vec(), ["files", "notes"]);
    }
    let named = |tag: &str| Some(format!("\"{tag}\""));
    assert_eq!(
        asked(&nextcloud),
        [None, None, named("a"), named("b"), named("a"), named("b"), named("c"), named("b")]
    );
}

/// The login is checked with each call: an answer without a body does not prove it.
#[tokio::test]
async fn api_3_an_unchanged_list_is_not_returned_for_a_refused_login() {
    for version in Release::ALL {
        let nextcloud = Nextcloud::of(version).await;
        nextcloud.answer(WHOLE);
        let client = client(&nextcloud);
        apps(&client, "alice").await;
        nextcloud.answer_once("capabilities-if-none-match-wrong-password");
        let Reply { result, login } = ask(&client, "alice").await;
        assert!(matches!(result, Err(GroupwareError::Refused)));
        assert_eq!(login, LoginEvidence::Refused);
        // After a refusal the list is forgotten.
        apps(&client, "alice").await;
        assert_eq!(asked(&nextcloud).pop(), Some(None));
    }
}

#[tokio::test]
async fn api_2_2_a_304_for_another_account_is_an_error() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.accounts([("alice", "alice", PASSWORD)]);
    nextcloud.answer(WHOLE);
    let client = client(&nextcloud);
    apps(&client, "alice").await;
    // From now on the same login name and password belong to another account.
    nextcloud.accounts([("mallory", "alice", PASSWORD)]);
    let Reply { result, login } = ask(&client, "alice").await;
    assert!(matches!(result, Err(GroupwareError::OtherAccount)));
    assert_eq!(login, LoginEvidence::None);
    assert!(asked(&nextcloud)[1].is_some());
}

/// An answer that names no account may be the answer to a refused password.
#[tokio::test]
async fn api_3_an_answer_that_names_no_account_is_not_kept() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("capabilities-anonymous");
    nextcloud.answer_with("user-alice", 503, "nonsense");
    let client = client(&nextcloud);
    for _ in 0..2 {
        let Reply { result, login } = ask(&client, "alice").await;
        assert!(result.is_ok());
        assert_eq!(login, LoginEvidence::None);
    }
    assert_eq!(asked(&nextcloud), [None, None, None, None]);
}

#[tokio::test]
async fn api_3_a_weak_etag_is_sent_back_as_it_came() {
    let nextcloud = Nextcloud::start().await;
    let client = client(&nextcloud);
    answer(&nextcloud, "alice", "W/\"weak\"", &["files"]);
    for _ in 0..2 {
        assert_eq!(apps(&client, "alice").await.to_vec(), ["files"]);
    }
    // As a 304 may name it that does not come from whatever has weakened the first answer.
    nextcloud.answer_tagged_for("alice", UNCHANGED, "\"weak\"", String::new());
    assert_eq!(apps(&client, "alice").await.to_vec(), ["files"]);
    let weak = Some("W/\"weak\"".to_owned());
    assert_eq!(asked(&nextcloud), [None, weak.clone(), weak]);
}

#[tokio::test]
async fn api_3_malformed_etags_are_not_used() {
    let nextcloud = Nextcloud::start().await;
    let client = client(&nextcloud);
    let long = format!("\"{}\"", "x".repeat(1000));
    for tag in ["w/\"weak\"", "W/weak", "bare", "\"\"", "\"", &long] {
        answer(&nextcloud, "alice", tag, &["files"]);
        for _ in 0..2 {
            assert_eq!(apps(&client, "alice").await.to_vec(), ["files"], "{tag}");
        }
    }
    assert!(asked(&nextcloud).iter().all(Option::is_none));
    // The same tag for two lists.
    answer(&nextcloud, "alice", "\"same\"", &["files"]);
    answer(&nextcloud, "bob", "\"same\"", &["notes"]);
    for _ in 0..3 {
        assert_eq!(apps(&client, "alice").await.to_vec(), ["files"]);
        assert_eq!(apps(&client, "bob").await.to_vec(), ["notes"]);
    }
}

/// `304` to a call without a tag is treated like any other 3xx.
#[tokio::test]
async fn api_3_an_unexpected_304_is_an_error() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer(UNCHANGED);
    let fault = ask(&client(&nextcloud), "alice").await.result;
    assert!(matches!(fault, Err(GroupwareError::Redirected(_))));
}

#[tokio::test]
async fn a_304_counts_as_a_successful_call() {
    #[derive(Debug, Default)]
    struct Outcomes(Mutex<Vec<CallOutcome>>);
    impl CallObserver for Outcomes {
        fn call_ended(&self, call: &EndedCall) {
            self.0.lock().unwrap().push(call.outcome);
        }
    }
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer(WHOLE);
    let outcomes = Arc::<Outcomes>::default();
    let observer = outcomes.clone();
    let client = client_with(&nextcloud, |it| it.observer = Some(observer));
    apps(&client, "alice").await;
    apps(&client, "alice").await;
    assert_eq!(asked(&nextcloud).len(), 2);
    assert!(asked(&nextcloud)[1].is_some());
    assert_eq!(*outcomes.0.lock().unwrap(), [CallOutcome::Ok; 2]);
}

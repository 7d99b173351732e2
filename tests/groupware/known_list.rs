//! The last checked list of registrations, which is not checked again if its bytes are the same (docs/API.md, section 4.2).

use portreeve::groupware::{Groupware, GroupwareError, LoginEvidence};

use crate::recorded::{account, client};
use crate::support::nextcloud::Nextcloud;

const LIST: &str = "webhooks-list-admin";

async fn list(client: &Groupware, user: &str) -> Result<String, GroupwareError> {
    let reply = client.access(account(user)).webhooks().await;
    assert_eq!(reply.result.is_ok(), reply.login == LoginEvidence::Accepted);
    let list = reply.result?;
    Ok(String::from_utf8(list.as_bytes().to_vec()).unwrap())
}

/// An envelope with `data`, whose length does not depend on what is in it.
fn envelope(code: u16, data: &str) -> String {
    format!(r#"{{"ocs":{{"meta":{{"status":"ok","statuscode":{code}}},"data":{data}}}}}"#)
}

#[tokio::test]
async fn api_4_2_a_list_is_always_the_one_of_this_answer() {
    let nextcloud = Nextcloud::start().await;
    let client = client(&nextcloud);
    for data in ["[1]", "[1]", "[2]", "[1]", "[]", "[ ]", "[1]"] {
        nextcloud.answer_with(LIST, 200, envelope(200, data));
        for _ in 0..2 {
            assert_eq!(list(&client, "admin").await.unwrap(), data);
        }
    }
    // As long as the one before, and nothing that may be passed on.
    for body in [envelope(200, "[}"), envelope(200, "{}"), envelope(997, "[]")] {
        nextcloud.answer_with(LIST, 200, envelope(200, "[]"));
        assert_eq!(list(&client, "admin").await.unwrap(), "[]");
        nextcloud.answer_with(LIST, 200, body);
        list(&client, "admin").await.unwrap_err();
    }
    // One byte more than is kept.
    let large = format!("[{}1]", " ".repeat(64 * 1024));
    nextcloud.answer_with(LIST, 200, envelope(200, &large));
    for _ in 0..2 {
        assert_eq!(list(&client, "admin").await.unwrap(), large);
    }
    assert_eq!(nextcloud.seen().len(), 22);
}

/// The same bytes with the status of a refusal, for somebody else, and from a proxy.
#[tokio::test]
async fn api_4_2_the_head_decides_about_the_login_of_a_known_list() {
    let nextcloud = Nextcloud::start().await;
    let client = client(&nextcloud);
    let body = envelope(200, "[1]");
    nextcloud.answer_with(LIST, 200, body.clone());
    list(&client, "admin").await.unwrap();
    let other = list(&client, "alice").await;
    assert!(matches!(other, Err(GroupwareError::OtherAccount)), "{other:?}");
    for status in [401, 403, 404, 500, 502] {
        nextcloud.answer_with(LIST, status, body.clone());
        list(&client, "admin").await.unwrap_err();
    }
    assert!(!format!("{client:?}").contains("[1]"));
}

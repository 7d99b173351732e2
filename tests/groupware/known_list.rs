//! A list of webhooks that was checked before is not checked again, and nothing else is taken for one
//! (docs/API.md, sections 4.1 and 6.2).

use portreeve::groupware::{Account, Groupware, GroupwareError, LoginEvidence};

use crate::support::nextcloud::Nextcloud;

const LIST: &str = "webhooks-list-admin";

async fn list(client: &Groupware) -> Result<String, GroupwareError> {
    let account = Account::new("admin", "admin", "FAKEAppPassword00000000").unwrap();
    let reply = client.access(account).webhooks().await;
    assert_eq!(reply.login == LoginEvidence::Accepted, reply.result.is_ok());
    let list = reply.result?.into_bytes();
    Ok(String::from_utf8(list.into()).unwrap())
}

#[tokio::test]
async fn api_4_1_each_answer_is_taken_for_what_it_is() {
    let nextcloud = Nextcloud::start().await;
    let url = nextcloud.url().parse().unwrap();
    let client = Groupware::builder(url).build().unwrap();
    let of = |data: &str| {
        format!(r#"{{"ocs":{{"meta":{{"status":"ok","statuscode":200}},"data":{data}}}}}"#)
    };
    let long = format!("[\"{}\"]", "x".repeat(200_000));
    let lists = ["[1,2]", "[1,3]", "[]", long.as_str(), "[1,2,3]"];
    // All of the same size, so that none differs in more than its bytes.
    let faulty = [
        "[1,2", "[1;2]", "{\"\"}", "[1,\"]", "[1,,]", "12345", "[1,2}",
    ];
    for before in lists {
        for _ in 0..3 {
            nextcloud.answer_with(LIST, 200, of(before));
            assert_eq!(list(&client).await.unwrap(), before);
        }
        for data in faulty {
            nextcloud.answer_with(LIST, 200, of(data));
            assert!(list(&client).await.is_err(), "{data}");
            // It did not take the place of what is one.
            nextcloud.answer_with(LIST, 200, of(before));
            assert_eq!(list(&client).await.unwrap(), before);
        }
        // Cut off, and longer than what was checked.
        let whole = of(before);
        for at in 0..whole.len().min(80) {
            nextcloud.answer_with(LIST, 200, &whole[..at]);
            assert!(list(&client).await.is_err(), "{at}");
        }
        nextcloud.answer_with(LIST, 200, format!("{whole} ]"));
        assert!(list(&client).await.is_err());
        // The same bytes with another status are no list.
        nextcloud.answer_with(LIST, 500, whole);
        assert!(list(&client).await.is_err());
    }
}

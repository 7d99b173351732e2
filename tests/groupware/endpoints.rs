//! The calls of the groupware server, with recorded answers (docs/API.md, sections 2.2, 3, 4 and 8).

use portreeve::groupware::{
    DeliveryAuth, EventClasses, EventFilter, Groupware, GroupwareError, LoginEvidence, NewWebhook,
    Reply,
};

use crate::recorded::{PASSWORD, access, account, client, user_of};
use crate::support::nextcloud::{Nextcloud, Recording, Release, Seen, basic};

fn webhook() -> NewWebhook {
    NewWebhook::new(r"OCP\Files\Events\Node\NodeCreatedEvent", "http://127.0.0.1:8190/hook")
}

/// The `data` of a recorded answer, as text.
fn data(recording: &Recording) -> String {
    let body = recording.response.body.as_deref().unwrap();
    let start = body.find("\"data\":").unwrap() + "\"data\":".len();
    body[start..body.len() - 2].to_owned()
}

fn headers(seen: &Seen) -> Vec<(&str, &str)> {
    let fields = seen.headers.iter();
    let mut fields: Vec<_> = fields.map(|(n, v)| (n.as_str(), v.to_str().unwrap())).collect();
    fields.sort_unstable();
    fields
}

#[tokio::test]
async fn api_3_the_request_for_the_app_list_is_as_documented() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("capabilities-user-app-password");
    let reply = access(&nextcloud, "alice").app_ids().await;
    reply.result.unwrap();
    let [seen] = &nextcloud.seen()[..] else {
        panic!("one request");
    };
    assert_eq!(seen.method, "GET");
    assert_eq!(seen.target, "/ocs/v2.php/cloud/capabilities?format=json");
    assert!(seen.body.is_empty());
    assert_eq!(
        headers(seen),
        [
            ("accept", "application/json"),
            ("accept-encoding", "identity"),
            ("authorization", &*basic("alice", PASSWORD)),
            ("host", &nextcloud.url()["http://".len()..]),
            ("ocs-apirequest", "true"),
            ("user-agent", concat!("portreeve/", env!("CARGO_PKG_VERSION"))),
        ]
    );
}

#[tokio::test]
async fn api_3_the_apps_are_the_sorted_keys_of_the_capabilities() {
    for version in Release::ALL {
        let nextcloud = Nextcloud::of(version).await;
        // The call that would tell whose account it is fails.
        nextcloud.answer_with("user-alice", 503, "nonsense");
        for (name, proved) in [
            ("capabilities-admin-app-password", true),
            ("capabilities-user-app-password", true),
            ("capabilities-carol-delegated", true),
            ("capabilities-login-case-differs-app-password", true),
            ("capabilities-app-password-two-factor-enforced", true),
            ("capabilities-v1", true),
            // Public: no proof of a good password.
            ("capabilities-anonymous", false),
            ("capabilities-basic-empty-password", false),
            ("capabilities-login-password-two-factor-enforced", false),
            ("capabilities-wrong-password-two-factor-enforced", false),
        ] {
            let recording = nextcloud.recording(name);
            let body: serde_json::Value =
                serde_json::from_str(recording.response.body.as_deref().unwrap()).unwrap();
            let capabilities = body["ocs"]["data"]["capabilities"].as_object().unwrap();
            let mut expected: Vec<_> = capabilities.keys().collect();
            expected.sort();
            nextcloud.answer(name);
            let access = access(&nextcloud, user_of(&recording));
            let Reply { result, login } = access.app_ids().await;
            assert!(result.unwrap().to_vec().iter().eq(expected), "{name}");
            assert_eq!(login == LoginEvidence::Accepted, proved, "{name}");
        }
    }
}

#[tokio::test]
async fn api_3_absent_capabilities_are_an_empty_list() {
    let nextcloud = Nextcloud::start().await;
    let envelope = |data: &str| {
        format!(r#"{{"ocs":{{"meta":{{"status":"ok","statuscode":200}},"data":{data}}}}}"#)
    };
    for (given, expected) in [
        ("{}", "[]"),
        ("[]", "[]"),
        (r#"{"version":{}}"#, "[]"),
        (r#"{"capabilities":[]}"#, "[]"),
        (r#"{"capabilities":{}}"#, "[]"),
        (r#"{"capabilities":null}"#, "[]"),
        // Sorted by code point, with escapes decoded and without duplicates.
        (
            r#"{"capabilities":{"b":1,"B":{"x":[1]},"\u00e9":2,"\ud83d\ude00":3,"\uffee":4,"a\/\"":5,"b":6,"":7}}"#,
            r#"["","B","a/\"","b","é","￮","😀"]"#,
        ),
    ] {
        nextcloud.answer_with("capabilities-user-app-password", 200, envelope(given));
        let reply = access(&nextcloud, "alice").app_ids().await;
        let apps = reply.result.unwrap();
        assert_eq!(serde_json::to_string(&apps.to_vec()).unwrap(), expected, "{given}");
    }
    for given in [r#"{"capabilities":[1]}"#, r#"{"capabilities":"x"}"#, "true", "[1]"] {
        nextcloud.answer_with("capabilities-user-app-password", 200, envelope(given));
        let reply = access(&nextcloud, "alice").app_ids().await;
        let fault = reply.result.unwrap_err();
        assert!(matches!(fault, GroupwareError::Unreadable { .. }), "{given}: {fault}");
    }
}

#[tokio::test]
async fn api_4_1_the_list_is_returned_as_the_server_wrote_it() {
    for version in Release::ALL {
        let nextcloud = Nextcloud::of(version).await;
        for name in [
            "webhooks-list-admin",
            "webhooks-list-empty-admin",
            "webhooks-list-delegated",
            "webhooks-list-v1-admin",
        ] {
            nextcloud.answer(name);
            let recording = nextcloud.recording(name);
            let reply = access(&nextcloud, user_of(&recording)).webhooks().await;
            let list = reply.result.unwrap();
            assert_eq!(list.as_bytes(), data(&recording).as_bytes(), "{name}");
        }
        let values =
            r#"[{"id":9223372036854775807,"f":1.50,"e":1E2,"s":"\/\u00e9\ud800","d":1,"d":2}]"#;
        let body =
            format!(" {{\"ocs\" : {{\"data\": {values} ,\"meta\":{{\"statuscode\":200}}}} }}\n");
        nextcloud.answer_with("webhooks-list-admin", 200, body);
        let reply = access(&nextcloud, "admin").webhooks().await;
        let list = reply.result.unwrap();
        assert_eq!(list.into_bytes(), values);
        let seen = nextcloud.seen();
        assert_eq!(
            (seen[0].method.as_str(), &*seen[0].target),
            ("GET", "/ocs/v2.php/apps/webhook_listeners/api/v1/webhooks?format=json")
        );
    }
}

#[tokio::test]
async fn api_4_6_the_list_can_be_that_of_one_address() {
    let nextcloud = Nextcloud::start().await;
    let access = access(&nextcloud, "admin");
    for name in ["webhooks-list-by-uri-admin", "webhooks-list-by-uri-none-admin"] {
        nextcloud.answer(name);
        let list = access.webhooks_at("http://127.0.0.1:8190/hook").await;
        let recording = nextcloud.recording(name);
        assert_eq!(list.result.unwrap().as_bytes(), data(&recording).as_bytes());
    }
    // Too long for the request line: everything is listed.
    access.webhooks_at(&"ü".repeat(4000)).await.result.unwrap();
    access.webhooks_at("a=b&c+%20#ü").await.result.unwrap();
    let seen = nextcloud.seen();
    let queries: Vec<_> = seen.iter().map(|it| it.target.split_once('?').unwrap().1).collect();
    assert_eq!(
        queries,
        [
            "format=json&uri=http%3A%2F%2F127%2E0%2E0%2E1%3A8190%2Fhook",
            "format=json&uri=http%3A%2F%2F127%2E0%2E0%2E1%3A8190%2Fhook",
            "format=json",
            "format=json&uri=a%3Db%26c%2B%2520%23%C3%BC",
        ]
    );
}

#[tokio::test]
async fn api_4_2_the_created_record_is_returned_as_the_server_wrote_it() {
    for version in Release::ALL {
        let nextcloud = Nextcloud::of(version).await;
        for name in [
            "webhooks-create-minimal-admin",
            "webhooks-create-minimal-delegated",
            "webhooks-create-minimal-limited-app-password",
            "webhooks-create-auth-header",
            "webhooks-create-token-needed",
            "webhooks-create-event-filter",
            "webhooks-create-event-filter-operators",
            "webhooks-create-everything",
            "webhooks-create-empty-collections",
            "webhooks-create-filter-malformed-list",
            "webhooks-create-filter-unknown-operator",
            "webhooks-create-leading-backslash-event",
        ] {
            nextcloud.answer(name);
            let recording = nextcloud.recording(name);
            let access = access(&nextcloud, user_of(&recording));
            let record = access.create_webhook(&webhook()).await.result.unwrap();
            assert_eq!(record.as_bytes(), data(&recording).as_bytes(), "{name}");
        }
    }
}

#[tokio::test]
async fn api_4_2_the_request_for_a_webhook_is_as_documented() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-create-minimal-admin");
    let filter = r#"{"event.node.path" : "\/^\\\/alice\/", "time":{"$gt":1.0}}"#;
    let secret = DeliveryAuth::derived("key".into()).unwrap();
    let shape = EventClasses::default().shape(&webhook().event);
    let mut whole = NewWebhook::new(webhook().event, "The quick brown fox jumps over the lazy dog");
    whole.filter = EventFilter::parse(filter, shape).unwrap();
    whole.authorization = Some(secret.authorization_for(&whole.uri));
    for webhook in [&webhook(), &whole] {
        let reply = access(&nextcloud, "admin").create_webhook(webhook).await;
        reply.result.unwrap();
    }
    let seen = nextcloud.seen();
    assert_eq!(
        (seen[0].method.as_str(), &*seen[0].target),
        ("POST", "/ocs/v2.php/apps/webhook_listeners/api/v1/webhooks?format=json")
    );
    assert_eq!(seen[0].headers["content-type"], "application/json");
    assert_eq!(
        seen[0].body,
        r#"{"httpMethod":"POST","uri":"http://127.0.0.1:8190/hook","event":"OCP\\Files\\Events\\Node\\NodeCreatedEvent"}"#
    );
    let authorization = "Bearer 97yD9DBThCSxMpjmqm-xQ-9NWaFJRhdZl0edvC0aPNg";
    assert_eq!(
        seen[1].body,
        format!(
            r#"{{"httpMethod":"POST","uri":"The quick brown fox jumps over the lazy dog","event":"OCP\\Files\\Events\\Node\\NodeCreatedEvent","eventFilter":{filter},"authMethod":"header","authData":{{"Authorization":"{authorization}"}}}}"#
        )
    );
}

#[tokio::test]
async fn api_4_3_delete_reports_whether_there_was_one() {
    for version in Release::ALL {
        let nextcloud = Nextcloud::of(version).await;
        for (name, deleted) in [
            ("webhooks-delete-admin", true),
            ("webhooks-delete-delegated", true),
            ("webhooks-delete-delegated-foreign", true),
            ("webhooks-delete-again-admin", false),
            ("webhooks-delete-missing-admin", false),
        ] {
            nextcloud.answer(name);
            let access = access(&nextcloud, user_of(&nextcloud.recording(name)));
            let answer = access.delete_webhook(15).await.result;
            assert_eq!(answer.unwrap(), deleted, "{name}");
        }
        for id in [i64::MIN, -1, 0, i64::MAX] {
            let reply = access(&nextcloud, "admin").delete_webhook(id).await;
            reply.result.unwrap();
            let seen = nextcloud.seen();
            let last = seen.last().unwrap();
            let path = "/ocs/v2.php/apps/webhook_listeners/api/v1/webhooks";
            assert_eq!(last.target, format!("{path}/{id}?format=json"));
            assert_eq!(last.method, "DELETE");
        }
    }
}

#[tokio::test]
async fn api_8_the_address_of_the_caller_is_sent_if_it_is_given() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("user-alice");
    let client = client(&nextcloud);
    for (given, sent) in [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8::1", "2001:db8::1"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
    ] {
        let mut access = client.access(account("alice"));
        access.client_address = Some(given.parse().unwrap());
        access.user().await.result.unwrap();
        assert_eq!(nextcloud.seen().last().unwrap().headers["x-forwarded-for"], sent);
    }
}

#[tokio::test]
async fn a_path_prefix_is_put_before_every_route() {
    let nextcloud = Nextcloud::start().await;
    for name in [
        "capabilities-user-app-password",
        "webhooks-delete-admin",
        "login-flow-v2-init",
        "login-flow-v2-poll-before-grant",
    ] {
        nextcloud.answer(name);
    }
    let url = format!("{}/next/cloud/", nextcloud.url()).parse().unwrap();
    let client = Groupware::new(url, Default::default()).unwrap();
    let reply = client.access(account("alice")).app_ids().await;
    reply.result.unwrap();
    let reply = client.access(account("admin")).delete_webhook(1).await;
    reply.result.unwrap();
    let flow = client.start_login_flow(None, None, None).await.unwrap();
    client.poll_login_flow(&flow, None).await.unwrap();
    let seen = nextcloud.seen();
    assert!(seen.iter().all(|seen| seen.target.starts_with("/next/cloud/")));
    assert_eq!(seen[3].target, "/next/cloud/login/v2/poll");
}

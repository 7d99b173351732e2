//! What is sent where somebody else wants it than the maker, and what to a target that is suspended.

use super::*;

const TEST: &str = r"OCP\Files\Events\Node\NodeCreatedEvent";

/// A gateway where alice, root and boss have their accounts by bindings.
async fn bound() -> (House, Service) {
    let house = House::new().await;
    let service = house.gateway(|settings| {
        settings.account = AccountPolicy::Bound(BindingPolicy::Operator);
        settings.administrators.scope = Some("admin".into());
    });
    for (subject, account) in [("f3a1", "alice"), ("root", "root"), ("boss", "boss")] {
        house.vault.bind(ISSUER, subject, account).await.unwrap();
    }
    (house, service)
}

/// Otherwise the events would go on to their address when the account is not theirs any more.
#[tokio::test]
async fn api_12_2_who_redirects_a_target_that_an_administrator_made_answers_for_it() {
    let (house, service) = bound().await;
    let target = Target::ok().await;
    let made = json!({"uri": "http://127.0.0.1:9/", "user": "alice"});
    let path = make(&service, "root~admin", made).await;
    let change =
        async |what| call(&service, "f3a1", "PATCH", &path, what).await.1["made_by"].clone();
    assert_eq!(change(json!({"paused": false})).await, "root");
    assert_eq!(change(json!({"uri": target.uri()})).await, "alice");
    house.receive("alice").await;
    until("it arrives", async || target.received() == 1).await;
    assert!(house.vault.unbind(ISSUER, "f3a1").await.unwrap());
    house.vault.bind(ISSUER, "b7c2", "alice").await.unwrap();
    house.receive("alice").await;
    until_state(&house, &path, Some("unbound")).await;
    assert_eq!(target.received(), 1);
}

#[tokio::test]
async fn api_12_2_a_suspended_target_gets_no_sample() {
    let (house, service) = bound().await;
    let target = Target::ok().await;
    let mine = make(&service, "f3a1", json!({"uri": target.uri()})).await;
    let made = json!({"uri": target.uri(), "user": "alice"});
    let roots = make(&service, "root~admin", made).await;
    let test = async |token, path: &str| {
        let path = format!("{path}/test");
        call(&service, token, "POST", &path, json!({"event": TEST})).await
    };
    for path in [&mine, &roots] {
        assert_eq!(test("f3a1", path).await.1["outcome"], "delivered");
    }
    // Before anything has arrived, nobody has looked at the binding.
    assert!(house.vault.unbind(ISSUER, "f3a1").await.unwrap());
    house.vault.bind(ISSUER, "b7c2", "alice").await.unwrap();
    call(&service, "root", "GET", "events", Value::Null).await;
    until_state(&house, &roots, Some("not_administrator")).await;
    for path in [&mine, &roots] {
        for token in ["b7c2", "boss~admin"] {
            let (status, answer) = test(token, path).await;
            let message = answer["message"].as_str().unwrap();
            assert_eq!(status, 400, "{message}");
            assert!(message.contains("suspended"), "{message}");
        }
    }
    assert_eq!(target.received(), 2);
    // The cause has ended.
    assert!(house.vault.unbind(ISSUER, "b7c2").await.unwrap());
    house.vault.bind(ISSUER, "f3a1", "alice").await.unwrap();
    assert_eq!(test("f3a1", &mine).await.1["outcome"], "delivered");
    assert_eq!(state(&service, "f3a1", &mine).await.0, "active");
}

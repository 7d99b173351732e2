//! What targets get whose maker has lost the authority for them.

use super::*;

#[tokio::test]
async fn api_12_2_a_target_of_a_former_member_of_the_administrators_is_suspended() {
    let house = House::new().await;
    let target = Target::ok().await;
    let first = house.gateway(|_| {});
    let all = make(&first, "admin=", json!({"uri": target.uri(), "user": "*"})).await;
    let bobs = make(&first, "admin=", json!({"uri": target.uri(), "user": "bob"})).await;
    let own = make(&first, "admin=", json!({"uri": target.uri()})).await;
    house.receive("alice").await;
    until("it arrives", async || target.received() == 1).await;

    // He leaves the group. The server is asked once in an hour, by one gateway of all.
    let former = house.nextcloud.recording("user-admin");
    let former = former.response.body.unwrap().replace(r#""groups":["admin"]"#, r#""groups":[]"#);
    house.nextcloud.answer_with("user-admin", 200, former);
    let seen = house.nextcloud.seen().len();
    let second = house.gateway(|_| {});
    assert_eq!(house.nextcloud.seen().len(), seen);
    house.pass(HOUR);
    let (third, _fourth) = (house.gateway(|_| {}), house.gateway(|_| {}));
    for path in [&all, &bobs] {
        until_state(&house, path, Some("not_administrator")).await;
    }
    assert_eq!(house.nextcloud.seen().len(), seen + 1);
    until_state(&house, &own, None).await;
    assert_eq!(house.deliveries.queue().counts().await.unwrap().suspended, 2);

    // Nothing arrives but what is his own, and bob sees why.
    for user in ["alice", "bob", "admin"] {
        house.receive(user).await;
    }
    until("his own arrives", async || target.received() == 2).await;
    let waiting = async || call(&third, "bob=", "GET", &bobs, Value::Null).await.1;
    until("it waits", async || waiting().await["pending"] == 1).await;
    let shown = waiting().await;
    assert_eq!(
        (&shown["state"], &shown["suspended"], &shown["made_by"]),
        (&json!("suspended"), &json!("not_administrator"), &json!("admin"))
    );
    let resumed = call(&third, "bob=", "PATCH", &bobs, json!({"paused": false})).await;
    assert_eq!(resumed.1["state"], "suspended");
    let warning = resumed.1["warnings"][0].as_str().unwrap();
    assert!(warning.contains("stays suspended"), "{warning}");
    let (_, listed) = call(&third, "bob=", "GET", &format!("{bobs}/deliveries"), Value::Null).await;
    let retry = format!("{}/retry", listed["deliveries"][0]["id"].as_str().unwrap());
    let (_, retried) = call(&third, "bob=", "POST", &retry, Value::Null).await;
    let later = "Delivery is sent again once its target is active (it is suspended)";
    assert_eq!(retried["message"], later);
    assert_eq!(call(&third, "admin=", "GET", &all, Value::Null).await.0, 404);
    assert_eq!(target.received(), 2);

    // Bob may have his own events; and whoever is an administrator again, those of all.
    let adopted = call(&third, "bob=", "PATCH", &bobs, json!({"adopt": true})).await.1;
    assert_eq!(
        (&adopted["state"], &adopted["suspended"], &adopted["made_by"]),
        (&json!("active"), &Value::Null, &json!("bob"))
    );
    until("it arrives", async || target.received() == 3).await;
    house.nextcloud.answer("user-admin");
    house.pass(HOUR);
    let fifth = house.gateway(|_| {});
    until_state(&house, &all, None).await;
    until("what waited arrives", async || target.received() == 6).await;
    assert_eq!(state(&fifth, "admin=", &all).await.0, "active");
    drop(second);
    let recorded = house.recorded();
    for line in [
        "create done of * by admin",
        "create done of admin by admin",
        "suspend done of * by gateway not_administrator",
        "suspend done of bob by gateway not_administrator",
        "change done of bob by bob",
        "replay done of bob by bob",
        "adopt done of bob by bob",
        "resume done of * by gateway",
        "read done of * by admin",
    ] {
        assert!(recorded.iter().any(|it| it == line), "{line}: {recorded:#?}");
    }
}

#[tokio::test]
async fn api_12_2_who_cannot_be_asked_about_counts_as_an_administrator_for_a_day() {
    for has_password in [true, false] {
        let house = House::new().await;
        let first = house.gateway(|_| {});
        let uri = "http://127.0.0.1:9/";
        let all = make(&first, "admin=", json!({"uri": uri, "user": "*"})).await;
        match has_password {
            true => house.nextcloud.answer_with("user-admin", 503, "busy"),
            false => assert!(house.vault.remove("admin").await.unwrap()),
        }
        house.pass(23 * HOUR);
        let seen = house.nextcloud.seen().len();
        let _second = house.gateway(|_| {});
        if has_password {
            house.nextcloud.until_seen(seen + 1).await;
        }
        until_state(&house, &all, None).await;
        house.pass(HOUR);
        let _third = house.gateway(|_| {});
        until_state(&house, &all, Some("unconfirmed")).await;
        // It ends when an answer can be had.
        house.nextcloud.answer("user-admin");
        let password = AppPassword::new(PASSWORD).unwrap();
        house.vault.put("admin", "admin", &password).await.unwrap();
        house.pass(HOUR);
        let _fourth = house.gateway(|_| {});
        until_state(&house, &all, None).await;
    }
}

#[tokio::test]
async fn api_12_2_who_redirects_a_target_of_somebody_else_answers_for_it() {
    let house = House::new().await;
    let service = house.gateway(|settings| settings.administrators.scope = Some("admin".into()));
    let made = json!({"uri": "http://127.0.0.1:9/", "headers": {"x-token": "of alice"}});
    let alices = make(&service, "alice", made).await;
    let change = async |what| {
        let (status, shown) = call(&service, "root~admin", "PATCH", &alices, what).await;
        assert_eq!((status, &shown["user"]), (200, &json!("alice")), "{shown}");
        (shown["made_by"].clone(), shown["headers"].clone())
    };
    let headers = json!(["x-token"]);
    assert_eq!(change(json!({"paused": false})).await, (json!("alice"), headers.clone()));
    let moved = json!({"uri": "http://127.0.0.1:9/of-alice"});
    let (_, shown) = call(&service, "alice", "PATCH", &alices, moved).await;
    assert_eq!(shown["headers"], headers);
    let elsewhere = json!({"uri": "http://127.0.0.1:9/of-root"});
    // Where somebody else says, her token is not sent, so that they do not learn it.
    assert_eq!(change(elsewhere).await, (json!("root"), Value::Null));
    // Her own change of what she made for others renews her authority, and adopts nothing.
    let of_root =
        json!({"uri": "http://127.0.0.1:9/", "user": "*", "headers": {"x-token": "of root"}});
    let all = make(&service, "root~admin", of_root).await;
    let moved = json!({"uri": "http://127.0.0.1:9/moved"});
    let (_, shown) = call(&service, "root~admin", "PATCH", &all, moved).await;
    assert_eq!((&shown["headers"], &shown["made_by"]), (&headers, &json!("root")));
    // Nor does whoever adopts a target learn them by a second change.
    let of_alice =
        json!({"uri": "http://127.0.0.1:9/", "user": "alice", "headers": {"x-token": "of root"}});
    let given = make(&service, "root~admin", of_alice).await;
    let (_, shown) = call(&service, "alice", "PATCH", &given, json!({"adopt": true})).await;
    assert_eq!((&shown["headers"], &shown["made_by"]), (&Value::Null, &json!("alice")));
    assert!(shown["warnings"][0].as_str().unwrap().contains("headers were removed"), "{shown}");
    let recorded = house.recorded();
    let adopted = recorded.iter().filter(|it| it.starts_with("adopt")).count();
    assert_eq!(adopted, 2, "{recorded:?}");
    let recorded = &recorded[..recorded.len() - 4];
    let last = recorded.last_chunk().unwrap();
    assert_eq!(*last, ["adopt done of alice by root", "change done of alice by root"]);
    call(&service, "root", "GET", "events", Value::Null).await;
    until_state(&house, &alices, Some("not_administrator")).await;
}

#[tokio::test]
async fn api_12_2_a_request_without_the_scope_of_administrators_suspends_at_once() {
    let house = House::new().await;
    let by_scope = |settings: &mut Settings| settings.administrators.scope = Some("admin".into());
    let service = house.gateway(by_scope);
    let uri = json!({"uri": "http://127.0.0.1:9/", "user": "*"});
    let all = make(&service, "root~admin", uri.clone()).await;
    let others = make(&service, "boss~admin", uri).await;
    // Somebody else of this name, and any other request with it.
    for token in ["root=", "root~admin", "alice"] {
        let (status, _) = call(&service, token, "GET", "targets", Value::Null).await;
        assert_eq!(status, 200);
    }
    assert_eq!(state(&service, "boss~admin", &all).await.0, "active");
    call(&service, "root", "GET", "events", Value::Null).await;
    until_state(&house, &all, Some("not_administrator")).await;
    assert_eq!(state(&service, "boss~admin", &others).await.0, "active");
    // A token with the scope does not end it; another administrator's adopting it does.
    let (_, shown) = call(&service, "root~admin", "GET", &all, Value::Null).await;
    assert_eq!(shown["suspended"], "not_administrator");
    assert_eq!(
        (&shown["made_by_issuer"], &shown["made_by_subject"]),
        (&json!(ISSUER), &json!("root"))
    );
    let (_, adopted) = call(&service, "boss~admin", "PATCH", &all, json!({"adopt": true})).await;
    assert_eq!(
        (&adopted["made_by"], &adopted["user"], &adopted["suspended"]),
        (&json!("boss"), &json!("*"), &Value::Null)
    );
    assert_eq!(adopted["made_by_subject"], "boss");

    // For thirty days, or as long as requests have the scope.
    let day = 24 * HOUR;
    house.pass(29 * day);
    let before = house.last_confirmed();
    call(&service, "boss~admin", "GET", "targets", Value::Null).await;
    until("it is noted", async || house.last_confirmed() > before).await;
    house.pass(29 * day);
    let again = house.gateway(by_scope);
    assert_eq!(state(&again, "boss~admin", &all).await.0, "active");
    house.pass(31 * day);
    let _last = house.gateway(by_scope);
    for path in [&all, &others] {
        until_state(&house, path, Some("unconfirmed")).await;
    }
}

#[tokio::test]
async fn api_12_2_a_target_goes_with_the_binding_of_its_maker() {
    let house = House::new().await;
    let target = Target::ok().await;
    let service = house.gateway(|settings| {
        settings.account = AccountPolicy::Bound(BindingPolicy::Operator);
    });
    house.vault.bind(ISSUER, "f3a1", "alice").await.unwrap();
    let path = make(&service, "f3a1", json!({"uri": target.uri()})).await;
    let of_token = make(&service, "alice=", json!({"uri": target.uri()})).await;
    house.receive("alice").await;
    until("it arrives at both", async || target.received() == 2).await;

    // The account is given to somebody else: not one event more, before anybody has looked.
    assert!(house.vault.unbind(ISSUER, "f3a1").await.unwrap());
    house.vault.bind(ISSUER, "b7c2", "alice").await.unwrap();
    house.receive("alice").await;
    until_state(&house, &path, Some("unbound")).await;
    until("that of the token goes on", async || target.received() == 3).await;
    assert_eq!(state(&service, "b7c2", &of_token).await.0, "active");
    let (_, shown) = call(&service, "b7c2", "GET", &path, Value::Null).await;
    assert_eq!(
        (&shown["state"], &shown["suspended"], shown.get("made_by_subject")),
        (&json!("suspended"), &json!("unbound"), None)
    );
    // It ends when the account is theirs again, or with whoever has it now.
    assert!(house.vault.unbind(ISSUER, "b7c2").await.unwrap());
    house.vault.bind(ISSUER, "f3a1", "alice").await.unwrap();
    let _looks = house.gateway(|_| {});
    until_state(&house, &path, None).await;
    until("what waited arrives", async || target.received() == 4).await;
    assert!(house.vault.unbind(ISSUER, "f3a1").await.unwrap());
    house.vault.bind(ISSUER, "b7c2", "alice").await.unwrap();
    let _looks = house.gateway(|_| {});
    until_state(&house, &path, Some("unbound")).await;
    let (_, adopted) = call(&service, "b7c2", "PATCH", &path, json!({"adopt": true})).await;
    assert_eq!(adopted["state"], "active");
    house.receive("alice").await;
    until("it arrives at both", async || target.received() == 6).await;
    let lines = house.recorded();
    assert!(lines.contains(&"suspend done of alice by gateway unbound".to_owned()), "{lines:#?}");
}

/// What was made while accounts went by a claim, too.
#[tokio::test]
async fn api_12_2_a_target_goes_with_the_account_when_that_is_bound_to_somebody_else() {
    let house = House::new().await;
    let target = Target::ok().await;
    let path = make(&house.gateway(|_| {}), "f3a1", json!({"uri": target.uri()})).await;
    house.receive("f3a1").await;
    until("it arrives", async || target.received() == 1).await;
    let _bound = house.gateway(|settings| {
        settings.account = AccountPolicy::Bound(BindingPolicy::Operator);
    });
    house.vault.bind(ISSUER, "b7c2", "f3a1").await.unwrap();
    until_state(&house, &path, Some("unbound")).await;
    house.receive("f3a1").await;
    house.vault.unbind(ISSUER, "b7c2").await.unwrap();
    house.vault.bind(ISSUER, "f3a1", "f3a1").await.unwrap();
    assert_eq!(target.received(), 1);
    let _looks = house.gateway(|settings| {
        settings.account = AccountPolicy::Bound(BindingPolicy::Operator);
    });
    until("what waited arrives", async || target.received() == 2).await;
}

/// Who has the account again may be no administrator any more.
#[tokio::test]
async fn api_12_2_what_was_unbound_waits_until_its_maker_is_confirmed() {
    let house = House::new().await;
    let bound = || {
        house.gateway(|settings| {
            settings.account = AccountPolicy::Bound(BindingPolicy::Operator);
        })
    };
    house.vault.bind(ISSUER, "f3a1", "admin").await.unwrap();
    let all = json!({"uri": "http://127.0.0.1:9/", "user": "*"});
    let path = make(&bound(), "f3a1", all).await;
    assert!(house.vault.unbind(ISSUER, "f3a1").await.unwrap());
    let _looks = bound();
    until_state(&house, &path, Some("unbound")).await;
    house.nextcloud.answer_with("user-admin", 503, "busy");
    house.pass(25 * HOUR);
    house.vault.bind(ISSUER, "f3a1", "admin").await.unwrap();
    let _looks_again = bound();
    until_state(&house, &path, Some("unconfirmed")).await;
    let lines = house.recorded();
    let [.., unbound, unconfirmed] = &*lines else { panic!("{lines:#?}") };
    assert_eq!(unbound, "suspend done of * by gateway unbound");
    assert_eq!(unconfirmed, "suspend done of * by gateway unconfirmed");
}

/// Whether somebody else's exists is not told by a question that fails.
#[tokio::test]
async fn api_12_2_the_id_of_a_target_of_somebody_else_is_like_one_of_none() {
    let house = House::new().await;
    let service = house.gateway(|_| {});
    let path = make(&service, "alice=", json!({"uri": "http://127.0.0.1:9/"})).await;
    let none = "targets/0000000000000000";
    house.nextcloud.answer_with("user-admin", 503, "busy");
    for token in ["admin=", "bob="] {
        let [found, unknown] = [&*path, none].map(|path| {
            let service = service.clone();
            let path = path.to_owned();
            async move { call(&service, token, "GET", &path, Value::Null).await }
        });
        assert_eq!(found.await, unknown.await, "{token}");
    }
}

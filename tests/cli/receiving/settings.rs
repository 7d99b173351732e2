//! What receiving needs: rights at the database, and settings, also while they change.

use super::*;

/// A gateway starts, receives and delivers as a role with the rights of docs/OPERATIONS.md, on tables that their owner
/// made; without one of them, the error says which rights it needs.
#[cfg(feature = "postgres")]
#[test]
fn the_documented_rights_are_enough_to_start_and_to_deliver() {
    let Some(server) = crate::support::postgres::shared() else {
        return;
    };
    let (url, dir) = (server.database(), tempfile::tempdir().unwrap());
    let database = url.rsplit('/').next().unwrap();
    let role = format!("documented_{database}");
    server.psql(database, &format!("CREATE ROLE {role} LOGIN"));
    let as_role = url.replace("//port@", &format!("//{role}@"));
    let list = |url| crate::several::on(url, dir.path(), &["credentials", "list"]);
    // The owner makes the tables.
    success(&mut list(&url), "");
    let grant = "GRANT SELECT, INSERT, UPDATE, DELETE";
    let refused = failure(&mut list(&as_role), 1);
    assert_contains(&refused, &["permission denied", "GRANT USAGE", grant]);
    let page = include_str!("../../../docs/OPERATIONS.md");
    let rights = page.split("<!-- rights -->\n```sql").nth(1).unwrap();
    let rights = rights.split("```").next().unwrap();
    server.psql(database, &rights.replace("gateway_role", &role));
    let target = "portreeve.delivery_target";
    server.psql(database, &format!("REVOKE SELECT ON {target} FROM {role}"));
    let refused = failure(&mut list(&as_role), 1);
    assert_contains(&refused, &["permission denied", "delivery_target", grant]);
    server.psql(database, &format!("GRANT SELECT ON {target} TO {role}"));

    let alice = token(dir.path(), "alice");
    let served = Served::start(receiving(&mut crate::several::serve(&as_role, dir.path())));
    let (address, receiver) = (served.address, Target::start());
    let made = json!({"uri": receiver.uri()});
    let made = call(address, &alice, "POST targets", made);
    assert_eq!(deliver(address, &event(7, 1)).unwrap().status, 200);
    wait("it arrives", || receiver.numbers().contains(&7));
    let id = made["id"].as_str().unwrap();
    call(address, &alice, &format!("DELETE targets/{id}"), Value::Null);
    // What was removed is cleaned up, and no statement was refused.
    wait("the target is gone", || {
        server.psql(database, "SELECT count(*) FROM portreeve.delivery_target") == "0"
    });
    let lines = served.lines().join("\n");
    assert!(!lines.contains("permission denied"), "{lines}");
}

#[test]
fn a_reload_changes_how_filters_are_interpreted_and_cannot_end_receiving() {
    let dir = tempfile::tempdir().unwrap();
    // Of all accounts: an event of a class that nobody knows belongs to none.
    let tokens = portreeve::identity::TokensFile::new(dir.path().join("tokens"));
    let token = tokens.new_token("root", ["admin"], None).unwrap().token;
    let token = token.expose().to_owned();
    let config = dir.path().join("portreeve.toml");
    let secret = format!("deliveries = true\nwebhook_secret = \"{SECRET}\"\n");
    fs::write(&config, &secret).unwrap();
    let mut serve = serve_in(dir.path());
    serve.arg("--config").arg(&config);
    serve.args([
        "--public-url",
        ADDRESS,
        "--delivery-networks",
        "127.0.0.0/8",
        "--admin-scope",
        "admin",
    ]);
    let served = Served::start(&mut serve);
    let address = served.address;
    let filter = json!({"event.level": {"$in": [3]}});
    let target = json!({"uri": "http://127.0.0.1:9/", "user": "*", "eventFilter": filter});
    let target = call(address, &token, "POST targets", target);
    let path = format!("GET targets/{}/deliveries", target["id"].as_str().unwrap());
    let deliver_level = |level: u32| {
        let event = json!({"class": r"OCA\Approval\Events\ApprovedEvent", "level": level});
        let body = json!({"event": event, "user": {"uid": "alice"}, "time": 1}).to_string();
        assert_eq!(deliver(address, &body).unwrap().status, 200);
    };
    let delivered = || {
        let list = call(address, &token, &path, Value::Null);
        let list = list["deliveries"].as_array().unwrap().clone();
        let classes = list.iter().map(|it| it["event"].as_str().unwrap().to_owned());
        classes.collect::<Vec<_>>()
    };
    // A filter that may not be evaluated lets all pass.
    deliver_level(1);
    wait("it passes", || delivered().len() == 1);

    let trusted = r"trusted_event_classes = ['OCA\Approval\Events\ApprovedEvent']";
    fs::write(&config, format!("{secret}{trusted}\n")).unwrap();
    served.signal("HUP");
    served.line_with("reloaded the settings");
    deliver_level(1);
    // This one comes after it, and passes: its class is not trusted.
    let other = json!({"event": {"class": "A"}, "user": null}).to_string();
    assert_eq!(deliver(address, &other).unwrap().status, 200);
    wait("the second passes", || delivered().iter().any(|it| it == "A"));
    assert_eq!(delivered().len(), 2);

    // Switching them off needs a restart; what the running gateway needs until then cannot go.
    fs::write(&config, "").unwrap();
    served.signal("HUP");
    let refused = served.line_with("the settings were not reloaded");
    let reason = "is needed until the gateway has restarted without deliveries";
    assert!(refused.contains(reason), "{refused}");
    deliver_level(3);

    // What changes the credential of registrations is said.
    let shared = format!("webhook_auth = \"shared\"\nwebhook_shared_origins = \"{ADDRESS}\"\n");
    let secret = secret.replace(SECRET, &SECRET.replace(' ', "-"));
    fs::write(&config, secret + &shared).unwrap();
    served.signal("HUP");
    let warned = served.line_with("are refused with 401, and lost");
    assert!(warned.contains("webhook_auth"), "{warned}");
    served.line_with("reloaded the settings");
    assert_eq!(deliver(address, &other).unwrap().status, 401);
}

/// What was registered with the former secret is accepted as long as that is set.
#[test]
fn api_12_1_the_credential_of_the_former_secret_is_accepted() {
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "alice");
    for (previous, status) in [(Some(SECRET), 200), (Some("another"), 401), (None, 401)] {
        let mut serve = serve_in(dir.path());
        receiving(&mut serve).env("WEBHOOK_SECRET", "the new secret");
        serve.envs(previous.map(|secret| ("WEBHOOK_SECRET_PREVIOUS", secret)));
        let served = Served::start(&mut serve);
        let answer = deliver(served.address, &event(1, 10)).unwrap();
        assert_eq!(answer.status, status, "{previous:?}");
    }
}

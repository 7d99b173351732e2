//! Accounts, app passwords and the login flow, with recorded answers (docs/API.md, sections
//! 5.1 and 5.5).

use portreeve::groupware::{Account, AccountError, GroupwareError, LoginEvidence};

use crate::recorded::{PASSWORD, access, account, client};
use crate::support::nextcloud::{Nextcloud, Release, basic};

#[tokio::test]
async fn api_5_1_a_password_opens_its_account() {
    for version in Release::ALL {
        let nextcloud = Nextcloud::of(version).await;
        for (name, id, groups) in [
            ("user-admin", "admin", &["admin"][..]),
            ("user-alice", "alice", &[]),
            ("user-carol", "carol", &["hookmasters"]),
            ("user-carol-delegated", "carol", &["hookmasters"]),
            ("user-app-password-from-login-flow", "alice", &[]),
            ("user-app-password-from-settings-page", "alice", &[]),
            ("user-app-password-limited", "alice", &[]),
            ("user-app-password-of-email-login-with-email", "alice", &[]),
            ("user-app-password-rotated-new", "alice", &[]),
            ("user-app-password-two-factor-enforced", "alice", &[]),
            ("user-login-case-differs-app-password", "alice", &[]),
            ("user-v1", "alice", &[]),
            ("throttle-forwarded-for-other-client", "bob", &[]),
        ] {
            nextcloud.answer(name);
            let reply = access(&nextcloud, id).user().await;
            let user = reply.result.unwrap();
            assert_eq!(
                (&*user.id, &*user.groups),
                (id, &groups.iter().map(std::string::ToString::to_string).collect::<Vec<_>>()[..]),
                "{name}"
            );
            assert_eq!(user.is_administrator(), id == "admin");
        }
        nextcloud.answer("user-app-password-of-email-login-with-email");
        let login = Account::new("alice", "alice@example.org", PASSWORD).unwrap();
        let reply = client(&nextcloud).access(login).user().await;
        reply.result.unwrap();
        let seen = nextcloud.seen();
        let last = seen.last().unwrap();
        assert_eq!(last.target, "/ocs/v2.php/cloud/user?format=json");
        assert_eq!(last.headers["authorization"], basic("alice@example.org", PASSWORD));
    }
}

#[tokio::test]
async fn an_app_password_revokes_itself() {
    for version in Release::ALL {
        let nextcloud = Nextcloud::of(version).await;
        nextcloud.answer("apppassword-delete");
        let reply = access(&nextcloud, "alice").delete_app_password().await;
        reply.result.unwrap();
        let seen = nextcloud.seen();
        assert_eq!(seen[0].method, "DELETE");
        assert_eq!(seen[0].target, "/ocs/v2.php/core/apppassword?format=json");
        for (name, expected) in [
            ("apppassword-delete-again", GroupwareError::Refused),
            ("apppassword-delete-anonymous", GroupwareError::Anonymous),
            ("apppassword-delete-with-login-password", GroupwareError::NotAnAppPassword),
        ] {
            nextcloud.answer(name);
            let fault = access(&nextcloud, "alice").delete_app_password().await.result;
            assert_eq!(fault.unwrap_err().to_string(), expected.to_string(), "{name}");
        }
    }
}

#[tokio::test]
async fn a_login_flow_from_start_to_pickup() {
    for version in Release::ALL {
        let nextcloud = Nextcloud::of(version).await;
        nextcloud.answer("login-flow-v2-init");
        nextcloud.answer_once("login-flow-v2-poll-before-grant");
        nextcloud.answer_once("login-flow-v2-poll-before-grant-again");
        nextcloud.answer_once("login-flow-v2-poll-after-grant-email-login");
        nextcloud.answer("login-flow-v2-poll-after-pickup");
        let client = client(&nextcloud);
        let flow = client.start_login_flow(None, None, None).await.unwrap();
        // The URL has the address at which the recorded server was called.
        let port = match version {
            Release::V32 => 8180,
            Release::V34 => 8280,
        };
        let page = format!("http://127.0.0.1:{port}/login/v2/flow/FAKElogintoken");
        assert!(flow.login_url.starts_with(&page), "{}", flow.login_url);
        assert!(!format!("{flow:?}").contains("token0"));
        for _ in 0..2 {
            assert!(matches!(client.poll_login_flow(&flow, None).await, Ok(None)));
        }
        let Ok(Some(grant)) = client.poll_login_flow(&flow, None).await else {
            panic!("granted");
        };
        assert_eq!(grant.login_name, "alice@example.org");
        let password = secrecy::ExposeSecret::expose_secret(&grant.app_password);
        assert!(password.starts_with("FAKEAppPassword"));
        assert!(!format!("{grant:?}").contains("FAKE"));
        assert!(matches!(client.poll_login_flow(&flow, None).await, Ok(None)));
        let seen = nextcloud.seen();
        assert_eq!(seen[0].target, "/index.php/login/v2");
        assert!(!seen[0].headers.contains_key("authorization"));
        let recorded = nextcloud.recording("login-flow-v2-poll-after-grant").request;
        assert_eq!(seen[1].body, recorded.body.unwrap());
        assert_eq!(seen[1].headers["content-type"], "application/x-www-form-urlencoded");
        // The endpoint named another port; only its path counts.
        assert_eq!(seen[1].target, "/login/v2/poll");
    }
}

#[tokio::test]
async fn a_login_flow_with_unusable_urls_is_refused() {
    let nextcloud = Nextcloud::start().await;
    let init = "login-flow-v2-init";
    for (login, endpoint) in [
        ("javascript:alert(1)", "https://c/login/v2/poll"),
        ("/login/v2/flow/x", "https://c/login/v2/poll"),
        ("https://c/", "https://c/login/v2/poll"),
        ("https://c/login/v2/flow/x", "https://c"),
        ("https://c/login/v2/flow/x", "no path"),
    ] {
        let body =
            format!(r#"{{"poll":{{"token":"t","endpoint":"{endpoint}"}},"login":"{login}"}}"#);
        nextcloud.answer_with(init, 200, body);
        let fault = client(&nextcloud).start_login_flow(None, None, None).await.unwrap_err();
        assert!(matches!(fault, GroupwareError::Unreadable { .. }), "{login}: {fault}");
    }
    nextcloud.answer_with(init, 200, r#"{"appPassword":"FAKE-secret""#);
    let fault = client(&nextcloud).start_login_flow(None, None, None).await.unwrap_err();
    assert!(!format!("{fault:?}").contains("FAKE"));
    nextcloud.answer_with(init, 404, "<html>");
    let fault = client(&nextcloud).start_login_flow(None, None, None).await.unwrap_err();
    assert!(matches!(fault, GroupwareError::Unexpected(404)));
}

#[tokio::test]
async fn refused_bearer_tokens_are_not_counted_and_no_public_answer_proves_one() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("user-alice");
    nextcloud.accounts([("alice", "alice", PASSWORD)]);
    let client = client(&nextcloud);
    let bearer = Account::bearer("alice", PASSWORD).unwrap();
    let user = client.access(bearer).user().await.result.unwrap();
    assert_eq!(user.id, "alice");
    let unknown = Account::bearer("bob", "WRONG-bbbbb-ccccc-ddddd-eeeee").unwrap();
    for _ in 0..20 {
        let reply = client.access(unknown.clone()).user().await;
        assert_eq!(reply.login, LoginEvidence::Refused);
        // The endpoint is public: an answer that anybody gets proves no login.
        let reply = client.access(unknown.clone()).app_ids().await;
        assert_eq!(reply.login, LoginEvidence::Refused);
        reply.result.unwrap_err();
    }
    assert_eq!(nextcloud.failed_logins(), 0);
}

#[test]
fn an_account_holds_nothing_that_a_header_field_cannot_carry() {
    let fault = |login: &str, password: &str| Account::new("u", login, password).err();
    assert_eq!(fault("a:b", "p"), Some(AccountError));
    assert_eq!(fault("a\r\nb", "p"), Some(AccountError));
    assert_eq!(fault("a", "p\0"), Some(AccountError));
    assert_eq!(fault("a@b.example", "p:q"), None);
    let fault = Account::bearer("u", "a\nb").err();
    assert_eq!(fault, Some(AccountError));
    let shown = format!("{:?}", account("alice"));
    assert!(!shown.contains("FAKE") && !shown.contains("YWxp"), "{shown}");
}

#[tokio::test]
async fn the_grant_page_names_who_asks_and_nothing_that_could_mislead() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("login-flow-v2-init");
    let client = client(&nextcloud);
    let agent = async |name: Option<&str>, subject: &str| {
        let flow = client.start_login_flow(Some((name, subject)), None, None);
        flow.await.unwrap();
        let seen = nextcloud.seen();
        let agent = &seen.last().unwrap().headers["user-agent"];
        String::from_utf8(agent.as_bytes().to_vec()).unwrap()
    };
    for (name, subject, expected) in [
        (None, "alice", "Portreeve for alice"),
        (Some("alice"), "alice", "Portreeve for alice"),
        (Some("Ana María"), "f3a1", "Portreeve for Ana María (f3a1)"),
        (Some("李雷"), "auth0|12", "Portreeve for 李雷 (auth0|12)"),
        (Some("  \t "), "f3a1", "Portreeve for f3a1"),
        (Some("alice (b5d2)"), "f3a1", "Portreeve for alice ?b5d2? (f3a1)"),
        (Some("a\r\nCookie: x"), "f3a1", "Portreeve for a Cookie: x (f3a1)"),
        (Some("a\u{202e}b\u{200b}c\0"), "f3a1", "Portreeve for a?b?c? (f3a1)"),
        (Some("<b>a</b>"), "f3a1", "Portreeve for ?b?a?/b? (f3a1)"),
    ] {
        assert_eq!(agent(name, subject).await, expected);
    }
    // The server cuts the name of an app password at 120 characters.
    let (long, spaced) = ("語".repeat(1000), format!("alice{}", " ".repeat(500)));
    for name in [&long, &spaced] {
        assert!(agent(Some(name), &"x".repeat(4000)).await.chars().count() < 120);
    }
}

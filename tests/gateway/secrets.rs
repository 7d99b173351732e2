//! No token, password or secret in a log line, an error body, a `Debug` output or an outbound
//! request (docs/API.md, sections 2.2 and 6).
//!
//! In a process of its own, since it captures every log line of the process at the finest level.

use std::time::Duration;

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD};
use portreeve::groupware::DeliveryAuth;
use portreeve::vault::AppPassword;
use secrecy::SecretString;

use crate::support::gateway::{PASSWORD, TestGateway, set};
use crate::support::log::Log;
use crate::support::nextcloud::{Fault, Nextcloud};
use crate::support::own_process;

/// A wrong password, sent by HTTP Basic.
const WRONG: &str = "WRONG-bbbbb-ccccc-ddddd-eeeee";

#[test]
fn no_log_line_answer_or_request_shows_a_secret() {
    own_process::run_async(
        "secrets::no_log_line_answer_or_request_shows_a_secret",
        every_answer_and_fault(),
    );
}

async fn every_answer_and_fault() {
    let log = Log::default();
    tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(log.clone()).init();

    let shared_key = "the-shared-key-of-the-front-end";
    let webhook_secret = "the-webhook-secret-of-the-gateway";
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::with(nextcloud.url(), |gateway| {
        let gateway = set(|settings| {
            settings.shared_key = Some(shared_key.into());
            settings.delivery = Some(DeliveryAuth::derived(webhook_secret.into()).unwrap());
            settings.request_timeout = Duration::from_millis(500);
        })(gateway);
        let shown = format!("{gateway:?}");
        assert!(!shown.contains(shared_key) && !shown.contains(webhook_secret), "{shown}");
        gateway
    })
    .await;
    let token = gateway.token("admin").to_owned();
    let mut shown = String::new();

    for (answers, fault) in [
        (
            &[
                "webhooks-list-admin",
                "webhooks-create-auth-header",
                "webhooks-delete-admin",
                "capabilities-admin-app-password",
            ][..],
            None,
        ),
        (
            &[
                "webhooks-list-wrong-password",
                "webhooks-create-minimal-user",
                "webhooks-delete-missing-admin",
            ],
            None,
        ),
        // A second refused login of the same user, which is the last that the gateway attempts.
        (&["capabilities-wrong-password", "webhooks-list-admin"], None),
        (&[], Some(Fault::Close)),
        (&[], Some(Fault::GarbageStatusLine)),
        (&[], Some(Fault::SlowBody)),
        (&[], Some(Fault::Redirect)),
    ] {
        for name in answers {
            nextcloud.answer(name);
        }
        // A password that was refused is not tried again.
        let password = AppPassword::new(PASSWORD).unwrap();
        gateway.vault.put("admin", "admin", &password).await.unwrap();
        if let Some(fault) = fault {
            nextcloud.fault(fault).await;
        }
        for (method, path, body) in [
            ("GET", "/api/v1/apps", String::new()),
            ("GET", "/api/v1/webhooks", String::new()),
            ("POST", "/api/v1/webhooks", r#"{"event":"e","uri":"https://a.example/"}"#.into()),
            ("POST", "/api/v1/webhooks", format!("not JSON {PASSWORD}")),
            ("PUT", "/api/v1/webhook-presets/tags", r#"{"uri":"https://a.example/"}"#.into()),
            ("DELETE", "/api/v1/webhooks/4", String::new()),
            ("DELETE", "/api/v1/webhooks/x", String::new()),
            ("GET", "/nowhere", String::new()),
            ("POST", "/api/v1/users/admin/app-password", String::new()),
            ("DELETE", "/api/v1/users/admin/app-password", String::new()),
        ] {
            // A password that was refused is not tried again.
            let password = AppPassword::new(PASSWORD).unwrap();
            gateway.vault.put("admin", "admin", &password).await.unwrap();
            for authorization in [
                format!("Bearer {token}"),
                format!("Bearer {token}x"),
                format!("Basic {token}"),
                format!("Basic {}", BASE64_STANDARD.encode(format!("admin:{PASSWORD}"))),
                format!("Basic {}", BASE64_STANDARD.encode(format!("admin:{WRONG}"))),
            ] {
                for key in [shared_key, "wrong-key-value"] {
                    let head = format!(
                        "{method} {path} HTTP/1.1\r\nAuthorization: {authorization}\r\nX-API-Key: {key}\r\n"
                    );
                    shown.push_str(&format!("{:?}", gateway.send(&head, &body).await));
                }
            }
        }
    }
    // The last request removed it.
    let password = AppPassword::new(PASSWORD).unwrap();
    gateway.vault.put("admin", "admin", &password).await.unwrap();
    let users_of_vault = gateway.vault.credential("admin").await.unwrap().unwrap();
    shown
        .push_str(&format!("{:?} {users_of_vault:?} {:?}", gateway.vault, users_of_vault.password));

    let logged = log.text();
    assert!(
        logged.contains("request") && logged.lines().count() > 100,
        "the capture works:\n{logged}"
    );
    let derived = DeliveryAuth::derived(SecretString::from(webhook_secret)).unwrap();
    let derived = derived.authorization_for("https://a.example/");
    let pair = format!("admin:{PASSWORD}");
    let secrets = [
        token.as_str(),
        // The token without its prefix.
        &token[4..],
        PASSWORD,
        WRONG,
        &BASE64_STANDARD.encode(format!("admin:{WRONG}")),
        &BASE64_STANDARD.encode(&pair),
        &BASE64_STANDARD_NO_PAD.encode(&pair)[..20],
        shared_key,
        "wrong-key-value",
        webhook_secret,
        derived.expose().strip_prefix("Bearer ").unwrap(),
    ];
    for secret in secrets {
        for (what, text) in [("log", &logged), ("answers", &shown)] {
            let line = text.lines().find(|line| line.contains(secret));
            assert_eq!(line, None, "{secret} is in the {what}");
        }
    }

    // The groupware server gets the password, once in each call, and nothing else that is secret.
    let seen = nextcloud.seen();
    assert!(seen.len() >= 8);
    for mut seen in seen {
        let login = seen.headers.remove("authorization").unwrap();
        assert!(!login.to_str().unwrap().contains(&token[4..]));
        let text =
            format!("{} {:?} {}", seen.target, seen.headers, String::from_utf8_lossy(&seen.body));
        for secret in [&token, shared_key, "wrong-key-value", webhook_secret, PASSWORD] {
            assert!(!text.contains(secret), "{text}");
        }
    }
}

//! No password and no delivery credential in a log line, at any level, over HTTP/1.1 and HTTP/2.
//!
//! In a process of its own, since it captures every log line of the process at the finest level.

use portreeve::groupware::{DeliveryAuth, NewWebhook};

use crate::recorded::{PASSWORD, account, client};
use crate::support::log::Log;
use crate::support::nextcloud::basic;
use crate::support::nextcloud::{Fault, Nextcloud};
use crate::support::own_process;

#[test]
fn no_secret_in_a_log_line_of_any_level() {
    own_process::run("secrets::no_secret_in_a_log_line_of_any_level", over_each_protocol);
}

fn over_each_protocol() {
    let log = Log::default();
    tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(log.clone()).init();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        for nextcloud in [
            Nextcloud::start().await,
            Nextcloud::start_tls(false).await,
            Nextcloud::start_tls(true).await,
        ] {
            calls(&nextcloud).await;
        }
    });
    let log = log.text();
    assert!(log.contains("groupware server answered") && log.contains("h2::"));
    assert!(log.contains("call of the groupware server failed"));
    let encoded = basic("alice", PASSWORD);
    for secret in [
        PASSWORD,
        encoded.strip_prefix("Basic ").unwrap(),
        // The password as bytes, which `Debug` would print as a list.
        "70, 65, 75, 69",
        "the-secret",
        "FAKEpolltoken",
        "FAKElogintoken",
        "FAKEAppPasswordFromLoginFlow",
        // Cookies are the server's secret.
        "FAKEsessionPassphrase",
    ] {
        let line = log.lines().find(|line| line.contains(secret));
        assert_eq!(line, None, "{secret}");
    }
}

async fn calls(nextcloud: &Nextcloud) {
    for name in [
        "capabilities-admin-app-password",
        "webhooks-create-auth-header",
        "user-wrong-password",
        "login-flow-v2-init",
        "login-flow-v2-poll-after-grant",
    ] {
        nextcloud.answer(name);
    }
    let client = client(nextcloud);
    let access = client.access(account("admin"));
    let origin = "http://good:8080".parse().unwrap();
    let delivery = DeliveryAuth::shared("the-secret".into(), vec![origin]).unwrap();
    let mut webhook = NewWebhook::new("e", "http://good:8080/");
    webhook.authorization = Some(delivery.authorization_for(&webhook.uri));
    tracing::trace!(?access, ?delivery, ?webhook);
    access.app_ids().await.result.unwrap();
    access.create_webhook(&webhook).await.result.unwrap();
    access.user().await.result.unwrap_err();
    let flow = client.start_login_flow(None, None, None).await.unwrap();
    let poll = client.poll_login_flow(&flow, None).await.unwrap();
    tracing::trace!(?flow, ?poll);
    nextcloud.fault(Fault::GarbageStatusLine).await;
    let fault = access.user().await.result.unwrap_err();
    tracing::trace!(?fault, %fault);
}

//! How a person at the identity provider is mapped to an account, through the binary (docs/API.md,
//! section 2.7).

use std::path::Path;
use std::process::Command;

use crate::support::binary::{Served, credentials, get, in_dir, serve_in, success, token};
use crate::support::gateway::PASSWORD;
use crate::support::nextcloud::Nextcloud;
use crate::support::oidc::{Provider, SECRET};

const APPS: &str = "/api/v1/apps";

/// `printf '1_0_alice' | sha256sum`
const ALICE_AT_1: &str = "a0441c15fcb94c813d92cb5e5080b66747751bc42eebcac6abaf114811030f5c";

/// A server on which `account` has the app password.
async fn server(account: &str) -> Nextcloud {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("capabilities-user-app-password");
    nextcloud.accounts([(account, account, PASSWORD)]);
    nextcloud
}

/// `serve` in front of `nextcloud`, with tokens of `issuer` and accounts mapped by `rule`.
fn serve(dir: &Path, nextcloud: &Nextcloud, issuer: &str, rule: &[&str]) -> Command {
    let mut command = serve_in(dir);
    command
        .args(["--groupware-url", nextcloud.url(), "--issuer", issuer])
        .args(["--audience", "portreeve"])
        .args(rule);
    command
}

#[tokio::test(flavor = "multi_thread")]
async fn api_2_7_tokens_of_a_real_provider_are_mapped() {
    let Some(provider) = Provider::start() else {
        return;
    };
    for (rule, account) in
        [("claim", "alice"), ("user_oidc:1", ALICE_AT_1), ("user_oidc_name:office", "office-alice")]
    {
        let nextcloud = server(account).await;
        let dir = tempfile::tempdir().unwrap();
        token(dir.path(), "carol");
        credentials(dir.path(), &["put", "--user", account], PASSWORD);
        let mut command = serve(dir.path(), &nextcloud, &provider.issuer, &["--account", rule]);
        command
            .args(["--introspection-client-id", "gateway"])
            .env("PORTREEVE_INTROSPECTION_CLIENT_SECRET", SECRET);
        let served = Served::start(&mut command);
        for format in ["RS256", "EdDSA", "opaque"] {
            let alice = provider.token("alice", format).await.access;
            assert_eq!(get(served.address, APPS, &alice).status, 200, "{rule} {format}");
            let bob = provider.token("bob", format).await.access;
            get(served.address, APPS, &bob).assert_error(428, "Provisioning required");
        }
    }
}

/// `portreeve accounts` on the vault in `dir`.
fn accounts(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = in_dir(dir, &["accounts"]);
    command.args(arguments);
    command
}

#[tokio::test(flavor = "multi_thread")]
async fn api_2_7_tokens_of_a_real_provider_are_bound_by_issuer_and_subject() {
    let Some(provider) = Provider::start() else {
        return;
    };
    let nextcloud = server("Ana Maria").await;
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "carol");
    credentials(dir.path(), &["put", "--user", "Ana Maria"], PASSWORD);
    let rule = &["--account", "bound"];
    let mut command = serve(dir.path(), &nextcloud, &provider.issuer, rule);
    command
        .args(["--introspection-client-id", "gateway"])
        .env("PORTREEVE_INTROSPECTION_CLIENT_SECRET", SECRET);
    let served = Served::start(&mut command);
    let mut tokens = Vec::new();
    for format in ["RS256", "ES256", "opaque"] {
        let token = provider.token("alice", format).await.access;
        get(served.address, APPS, &token).assert_error(428, "Provisioning required");
        tokens.push(token);
    }
    let mut bind = accounts(dir.path(), &["bind", "--issuer", &provider.issuer]);
    success(bind.args(["--subject", "alice", "--user", "Ana Maria"]), "");
    for token in &tokens {
        assert_eq!(get(served.address, APPS, token).status, 200);
    }
    let bob = provider.token("bob", "RS256").await.access;
    get(served.address, APPS, &bob).assert_error(428, "Provisioning required");
    success(&mut accounts(dir.path(), &["unbind", "--user", "Ana Maria"]), "");
    for token in &tokens {
        get(served.address, APPS, token).assert_error(428, "Provisioning required");
    }
}

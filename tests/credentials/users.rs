//! Many users of one gateway, and the calls they make.

use std::time::Duration;

use portreeve::gateway::LoginPolicy;
use portreeve::vault::AppPassword;
use serde_json::json;

use crate::support::gateway::{Answer, PASSWORD, TestGateway, set};
use crate::support::nextcloud::Nextcloud;

pub(crate) const CREDENTIALS: &str = "/api/v1/background-sync/credentials";
pub(crate) const STATUS: &str = "/api/v1/background-sync/status";
pub(crate) const APPS: &str = "/api/v1/apps";
pub(crate) const WEBHOOKS: &str = "/api/v1/webhooks";
pub(crate) const OTHER: &str = "OTHER-bbbbb-ccccc-ddddd-eeeee";

pub(crate) struct User {
    pub(crate) name: String,
    /// The stored app password, in the format of the server, and different for each user.
    pub(crate) password: String,
    token: String,
}

/// A gateway with `count` more users, each with a stored password that works.
pub(crate) async fn with_users(
    count: usize,
    policy: LoginPolicy,
) -> (Nextcloud, TestGateway, Vec<User>) {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("capabilities-admin-app-password");
    nextcloud.answer("webhooks-list-admin");
    nextcloud.answer("user-alice");
    nextcloud.accounts([("admin", "admin", PASSWORD)]);
    let gateway =
        TestGateway::with(nextcloud.url(), set(|settings| settings.logins = policy)).await;
    let mut users = Vec::new();
    for number in 1..=count {
        let name = format!("user{number}");
        let password = format!("{number:05}-aaaaa-bbbbb-ccccc-ddddd");
        nextcloud.allow(&name, &name, &password);
        let stored = AppPassword::new(&password).unwrap();
        gateway.vault.put(&name, &name, &stored).await.unwrap();
        let token = gateway.tokens.new_token(&name, [], None).unwrap().token;
        users.push(User {
            name,
            password,
            token: token.expose().to_owned(),
        });
    }
    // The gateway rereads the tokens file only after a tenth of a second.
    tokio::time::sleep(Duration::from_millis(250)).await;
    (nextcloud, gateway, users)
}

pub(crate) async fn call(
    gateway: &TestGateway,
    user: &User,
    method: &str,
    path: &str,
    body: &str,
) -> Answer {
    let head = format!(
        "{method} {path} HTTP/1.1\r\nAuthorization: Bearer {}\r\n",
        user.token
    );
    gateway.send(&head, body).await
}

/// Revokes the stored password of `user`.
pub(crate) fn revoke(nextcloud: &Nextcloud, user: &User) {
    nextcloud.revoke(&user.name, &user.password);
}

pub(crate) async fn store(gateway: &TestGateway, user: &User, password: &str) -> Answer {
    let body = json!({ "appPassword": password }).to_string();
    call(gateway, user, "POST", CREDENTIALS, &body).await
}

pub(crate) fn count(answers: &[Answer], status: u16) -> usize {
    answers
        .iter()
        .filter(|answer| answer.status == status)
        .count()
}

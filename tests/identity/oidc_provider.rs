//! The verifiers against a real OpenID provider (`tests/support/src/oidc.rs`).

use std::time::Duration;

use base64::Engine as _;
use portreeve::identity::{CacheLimits, JwtVerifier, Requirements, Verifiers};
use serde_json::Value;
use tokio::time::sleep;

use crate::support::changed;
use crate::support::issuer::{b64, check, jwt, outcome, requirements};
use crate::support::oidc::{Provider, SECRET};

#[tokio::test]
async fn jwt_access_tokens_of_each_algorithm_are_accepted() {
    let Some(provider) = Provider::start() else {
        return;
    };
    let verifier = jwt(provider.openid());
    for alg in ["RS256", "PS256", "ES256", "ES384", "EdDSA"] {
        let token = provider.token("alice", alg).await;
        let caller = check(&verifier, &token.access).await.unwrap();
        assert_eq!(caller.name(), "alice", "{alg}");
        assert!(caller.has_scope("webhooks") && caller.has_scope("apps"));
        assert!(caller.expires_at.is_some());
    }
}

#[tokio::test]
async fn tokens_for_other_clients_audiences_or_scopes_are_refused() {
    let Some(provider) = Provider::start() else {
        return;
    };
    let token = provider.token("alice", "RS256").await;
    let other = provider.token("alice", "other").await;
    let verifier = jwt(provider.openid());
    assert_eq!(outcome(&verifier, &other.access).await, "not accepted");

    // The client is required, not the audience: its ID tokens must not be accepted.
    let mut by_client = Requirements::default();
    by_client.allowed_clients = vec!["front-end".into()];
    let by_client = JwtVerifier::new(provider.openid(), by_client).unwrap();
    assert_eq!(outcome(&by_client, &token.access).await, "accepted");
    assert_eq!(outcome(&by_client, &other.access).await, "accepted");
    assert_eq!(outcome(&by_client, &token.id).await, "not accepted");
    let audience_is_client = Requirements::for_audience("front-end");
    let by_audience = JwtVerifier::new(provider.openid(), audience_is_client).unwrap();
    assert_eq!(outcome(&by_audience, &token.id).await, "not accepted");

    let mut scope = requirements();
    scope.required_scopes = vec!["administrate".into()];
    let scope = JwtVerifier::new(provider.openid(), scope).unwrap();
    assert_eq!(outcome(&scope, &token.access).await, "not accepted");

    let (message, signature) = token.access.rsplit_once('.').unwrap();
    let (header, _) = message.split_once('.').unwrap();
    let claims = b64(r#"{"iss":"x","sub":"admin"}"#);
    for forged in [format!("{header}.{claims}.{signature}"), format!("{message}.{}", b64([0; 256]))]
    {
        assert_eq!(outcome(&verifier, &forged).await, "not accepted");
    }
}

#[tokio::test]
async fn rotated_keys_are_accepted_and_retired_ones_refused() {
    let Some(mut provider) = Provider::start() else {
        return;
    };
    let unknown_key = Duration::from_millis(300);
    let verifier = jwt(provider.openid_with(|it| it.unknown_key = unknown_key));
    let before = provider.token("alice", "ES256").await;
    assert_eq!(outcome(&verifier, &before.access).await, "accepted");

    provider.command("rotate");
    let after = provider.token("bob", "ES256").await;
    assert_ne!(header(&before.access)["kid"], header(&after.access)["kid"]);
    assert_eq!(check(&verifier, &after.access).await.unwrap().name(), "bob");
    assert_eq!(outcome(&verifier, &before.access).await, "accepted");

    provider.command("rotate");
    provider.command("retire");
    sleep(unknown_key).await;
    let last = provider.token("carol", "ES256").await;
    assert_eq!(check(&verifier, &last.access).await.unwrap().name(), "carol");
    for withdrawn in [before, after] {
        assert_eq!(outcome(&verifier, &withdrawn.access).await, "not accepted");
    }
}

#[tokio::test]
async fn opaque_tokens_are_introspected_at_the_discovered_endpoint() {
    let Some(provider) = Provider::start() else {
        return;
    };
    let discovered = provider.openid().discover().await.unwrap();
    assert_eq!(discovered.keys, 5);
    assert!(discovered.introspection_url.unwrap().to_string().starts_with(&provider.issuer));

    let verifier = provider.introspection(SECRET);
    let token = provider.token("alice", "opaque").await;
    assert!(!token.access.contains('.'));
    let caller = check(&verifier, &token.access).await.unwrap();
    assert_eq!(caller.name(), "alice");
    assert!(caller.has_scope("webhooks") && caller.expires_at.is_some());

    assert_eq!(outcome(&verifier, "unknown").await, "not accepted");
    let with_wrong_secret = provider.introspection("wrong");
    assert_eq!(outcome(&with_wrong_secret, &token.access).await, "unavailable");
}

#[tokio::test]
async fn a_revoked_opaque_token_is_accepted_only_while_it_is_cached() {
    let Some(provider) = Provider::start() else {
        return;
    };
    let ttl = Duration::from_millis(400);
    let limits = changed(CacheLimits::default(), |it| it.ttl = ttl);
    let mut verifiers = Verifiers::new(limits);
    verifiers.introspection = Some(provider.introspection(SECRET));
    let token = provider.token("alice", "opaque").await;
    assert_eq!(outcome(&verifiers, &token.access).await, "accepted");
    provider.post("/token/revocation", &format!("token={}", token.access)).await;
    assert_eq!(outcome(&verifiers, &token.access).await, "accepted", "within the time to live");
    sleep(ttl).await;
    assert_eq!(outcome(&verifiers, &token.access).await, "not accepted");
}

#[tokio::test]
async fn each_token_goes_to_its_verifier_also_during_an_outage() {
    let Some(mut provider) = Provider::start() else {
        return;
    };
    let limits = changed(CacheLimits::default(), |it| it.ttl = Duration::ZERO);
    let mut verifiers = Verifiers::new(limits);
    verifiers.jwt = Some(jwt(provider.openid()));
    verifiers.introspection = Some(provider.introspection(SECRET));
    let signed = provider.token("alice", "EdDSA").await;
    let opaque = provider.token("bob", "opaque").await;
    assert_eq!(check(&verifiers, &signed.access).await.unwrap().name(), "alice");
    assert_eq!(check(&verifiers, &opaque.access).await.unwrap().name(), "bob");

    provider.stop();
    assert_eq!(outcome(&verifiers, &signed.access).await, "accepted", "its key is known");
    assert_eq!(outcome(&verifiers, &opaque.access).await, "unavailable");
}

fn header(token: &str) -> Value {
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    let (header, _) = token.split_once('.').unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(header).unwrap()).unwrap()
}

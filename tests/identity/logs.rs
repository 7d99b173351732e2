//! No token and no secret in any log line, at any level.
//!
//! In a process of its own, since it captures every log line of the process at the finest level.

use portreeve::identity::{
    CacheLimits, ClientCredentials, IntrospectionEndpoint, IntrospectionVerifier, StaticTokens,
    TokensFile, Verifiers,
};
use portreeve::outbound::{HttpUrl, PlainHttp};
use serde_json::json;
use tracing_subscriber::filter::LevelFilter;

use crate::support::issuer::{Answer, Key, StandIn, check, client, jwt, requirements, with};
use crate::support::log::Log;
use crate::support::own_process;

#[test]
fn no_log_line_contains_a_token_or_a_secret() {
    own_process::run_async("logs::no_log_line_contains_a_token_or_a_secret", every_verifier());
}

async fn every_verifier() {
    let log = Log::default();
    tracing_subscriber::fmt().with_max_level(LevelFilter::TRACE).with_writer(log.clone()).init();

    let issuer = StandIn::start().await;
    let key = Key::ed25519();
    issuer.publish(&[key.jwk("k")]);
    issuer.set(
        "/introspect",
        Answer::json(&json!({"active": true, "sub": "bob", "aud": "portreeve"})),
    );
    let dir = tempfile::tempdir().unwrap();
    let file = TokensFile::new(dir.path().join("tokens"));
    let made = file.new_token("carol", [], None).unwrap();
    let credentials = ClientCredentials { id: "gate".into(), secret: "the-client-secret".into() };
    let url =
        HttpUrl::endpoint(&format!("{}/introspect", issuer.url), PlainHttp::Loopback).unwrap();
    let introspection = IntrospectionVerifier::new(
        client(),
        IntrospectionEndpoint::Url(url),
        &credentials,
        [],
        requirements(),
    )
    .unwrap();
    let mut verifiers = Verifiers::new(CacheLimits::default());
    verifiers.jwt = Some(jwt(issuer.provider()));
    verifiers.static_tokens = Some(StaticTokens::open(file.path()).unwrap());
    verifiers.introspection = Some(introspection);

    let tokens = [
        made.token.expose().to_owned(),
        "opaque-and-active".to_owned(),
        key.token("EdDSA", "k", &issuer.claims()),
        key.token("EdDSA", "unknown-kid", &issuer.claims()),
        key.token("EdDSA", "k", &with(issuer.claims(), json!({"exp": 1}))),
        Key::ed25519().token("EdDSA", "k", &issuer.claims()),
        "x.y.z".to_owned(),
        "prt_unknown".to_owned(),
    ];
    for token in &tokens {
        _ = check(&verifiers, token).await;
    }
    std::fs::write(file.path(), format!("broken {}", made.token.expose())).unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(150)).await;
    issuer.break_down();
    for token in tokens.iter().map(|token| format!("{token}=")) {
        _ = check(&verifiers, &token).await;
    }

    let log = log.text();
    for line in ["an access token was refused", "fetched the keys", "stay in force"] {
        assert!(log.contains(line), "{line} is not in: {log}");
    }
    let signatures = tokens.iter().filter_map(|token| token.rsplit('.').next());
    for secret in tokens.iter().map(String::as_str).chain(signatures).filter(|text| text.len() > 1)
    {
        assert!(!log.contains(secret), "{secret} is in: {log}");
    }
    assert!(!log.contains("client-secret"), "{log}");
}

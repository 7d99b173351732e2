//! Introspection (RFC 7662), the order of several verifiers, and the cache
//! (docs/API.md, sections 2.1 and 2.2).

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use portreeve::identity::{
    CacheLimits, ClientCredentials, IntrospectionEndpoint, IntrospectionVerifier, Requirements,
    StaticTokens, TokensFile, VerifierBuildError, Verifiers, check_destination,
};
use portreeve::outbound::{HttpUrl, PlainHttp};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::support::changed;
use crate::support::issuer::{
    Answer, DISCOVERY, Key, StandIn, b64, check, client, in_seconds, jwt, kind, outcome,
    requirements, with,
};

#[tokio::test]
async fn an_active_token_identifies_its_user() {
    let issuer = StandIn::start().await;
    issuer.set(PATH, Answer::json(&active()));
    let caller = check(&verifier(&issuer), "opaque.-_~+/token==").await.unwrap();
    assert_eq!(caller.name(), "alice");
    assert!(caller.has_scope("webhooks") && caller.expires_at.is_some());

    let seen = issuer.requests().pop().unwrap();
    assert_eq!(seen.method, "POST");
    assert_eq!(seen.headers["content-type"], "application/x-www-form-urlencoded");
    assert_eq!(seen.headers["accept"], "application/json");
    let form = "token=opaque.-_%7E%2B%2Ftoken%3D%3D&token_type_hint=access_token";
    assert_eq!(seen.body, form);
    // RFC 6749, section 2.3.1: both halves in the form encoding.
    let basic = STANDARD.encode("gate%3Away:s%3Acr%C3%A9t%20%2B");
    assert_eq!(seen.headers["authorization"], format!("Basic {basic}"));
}

#[tokio::test]
async fn answers_are_checked_as_documented() {
    let issuer = StandIn::start().await;
    for (changes, expected) in [
        (json!({}), "accepted"),
        (json!({"active": false}), "not accepted"),
        (json!({"active": null}), "unavailable"),
        (json!({"active": "true"}), "unavailable"),
        (json!({"active": 1}), "unavailable"),
        (json!({"exp": in_seconds(-60)}), "expired"),
        (json!({"exp": null}), "accepted"),
        (json!({"nbf": in_seconds(60)}), "expired"),
        (json!({"aud": "other"}), "not accepted"),
        (json!({"aud": null}), "not accepted"),
        (json!({"sub": null}), "not accepted"),
        (json!({"token_type": "Bearer"}), "accepted"),
        (json!({"token_type": "access_token"}), "accepted"),
        (json!({"token_type": "DPoP"}), "not accepted"),
        (json!({"cnf": {"jkt": "x"}}), "not accepted"),
    ] {
        issuer.set(PATH, Answer::json(&with(active(), changes.clone())));
        let result = check(&verifier(&issuer), "opaque").await;
        assert_eq!(kind(&result), expected, "{changes}");
    }
    for answer in [
        Answer::text(200, r#"{"active":false,"active":true,"sub":"alice","aud":"portreeve"}"#),
        Answer::text(200, "[]"),
        Answer::text(200, "<html>"),
        Answer::text(200, ""),
        Answer::text(200, "x".repeat(2 << 20)),
        Answer::text(401, r#"{"active":true,"sub":"alice","aud":"portreeve"}"#),
        Answer::text(403, ""),
        Answer::text(500, ""),
        Answer::text(204, ""),
    ] {
        issuer.set(PATH, answer);
        assert_eq!(outcome(&verifier(&issuer), "opaque").await, "unavailable");
    }
}

#[tokio::test]
async fn a_provider_that_is_down_admits_nobody_and_is_asked_again() {
    let issuer = StandIn::start().await;
    let verifier = verifier(&issuer);
    assert_eq!(outcome(&verifier, "opaque").await, "unavailable");
    issuer.set(PATH, Answer::json(&active()));
    assert_eq!(outcome(&verifier, "opaque").await, "accepted");
}

#[tokio::test]
async fn the_token_is_not_sent_along_a_redirect() {
    let (issuer, elsewhere) = (StandIn::start().await, StandIn::start().await);
    elsewhere.set(PATH, Answer::json(&active()));
    for status in [301, 302, 303, 307, 308] {
        let answer = Answer { status, ..Answer::redirect(&format!("{}{PATH}", elsewhere.url)) };
        issuer.set(PATH, answer);
        assert_eq!(outcome(&verifier(&issuer), "opaque").await, "unavailable");
    }
    assert!(elsewhere.requests().is_empty());
}

#[tokio::test]
async fn simultaneous_checks_of_one_token_share_one_call() {
    let issuer = StandIn::start().await;
    issuer.set(PATH, Answer::json(&active()).after(Duration::from_secs(1)));
    let verifier = verifier(&issuer);
    let checks: Vec<_> = (0..100)
        .map(|at| {
            let token = if at % 2 == 0 { "even" } else { "odd" };
            let verifier = verifier.clone();
            tokio::spawn(async move { check(&verifier, token).await })
        })
        .collect();
    for check in checks {
        assert!(check.await.unwrap().is_ok());
    }
    assert_eq!(issuer.count(PATH), 2);
}

#[tokio::test]
async fn an_inactive_token_is_cached_for_two_seconds() {
    let issuer = StandIn::start().await;
    issuer.set(PATH, Answer::json(&json!({"active": false})));
    let verifier = verifier(&issuer);
    for _ in 0..10 {
        assert_eq!(outcome(&verifier, "opaque").await, "not accepted");
    }
    assert_eq!(issuer.count(PATH), 1);
    issuer.set(PATH, Answer::json(&active()));
    sleep(Duration::from_millis(2100)).await;
    assert_eq!(outcome(&verifier, "opaque").await, "accepted");
}

// The bearer token is never sent to the groupware server.

/// What is the same server: `tests/groupware/url.rs`.
#[test]
fn api_2_2_an_endpoint_on_the_groupware_server_is_refused() {
    let never = ["https://cloud.example/nextcloud".parse::<HttpUrl>().unwrap()];
    let made = |url: &str| {
        let url = HttpUrl::endpoint(url, PlainHttp::Anywhere).unwrap();
        let checked = check_destination(&url, &never);
        let endpoint = IntrospectionEndpoint::Url(url);
        let never = never.clone();
        let made =
            IntrospectionVerifier::new(client(), endpoint, &credentials(), never, requirements());
        assert_eq!(made.err(), checked.clone().err());
        checked
    };
    let error = made("https://CLOUD.Example.:443/introspect").unwrap_err();
    assert!(error.to_string().contains("groupware server"), "{error}");
    made("https://id.example/introspect").unwrap();
}

#[tokio::test]
async fn an_endpoint_found_by_discovery_is_used_but_not_on_the_groupware_server() {
    let (issuer, groupware) = (StandIn::start().await, StandIn::start().await);
    issuer.publish(&[Key::ed25519().jwk("k")]).set(PATH, Answer::json(&active()));
    groupware.set(PATH, Answer::json(&active()));
    let never = || [groupware.url.replace("localhost", "127.0.0.1").parse::<HttpUrl>().unwrap()];
    let verifier = |never: Vec<HttpUrl>| {
        let endpoint = IntrospectionEndpoint::Discovered(issuer.provider());
        IntrospectionVerifier::new(client(), endpoint, &credentials(), never, requirements())
            .unwrap()
    };
    assert_eq!(outcome(&verifier(never().into()), "opaque").await, "accepted");

    let document = |endpoint: Value| {
        let url = &issuer.url;
        let document = json!({"issuer": url, "jwks_uri": format!("{url}/jwks")});
        issuer.set(
            DISCOVERY,
            Answer::json(&with(document, json!({"introspection_endpoint": endpoint}))),
        );
    };
    document(json!(format!("{}{PATH}", groupware.url)));
    let result = check(&verifier(never().into()), "opaque").await;
    assert_eq!(kind(&result), "unavailable");
    assert!(groupware.requests().is_empty(), "the token stayed away");

    document(Value::Null);
    assert_eq!(outcome(&verifier(Vec::new()), "opaque").await, "unavailable");
}

// The order of several verifiers.

#[tokio::test]
async fn api_2_1_each_token_goes_to_the_matching_verifier() {
    let (issuer, other) = (StandIn::start().await, StandIn::start().await);
    let key = Key::ed25519();
    issuer.publish(&[key.jwk("k")]).set(PATH, Answer::json(&json!({"active": false})));
    let dir = tempfile::tempdir().unwrap();
    let file = TokensFile::new(dir.path().join("tokens"));
    let made = file.new_token("backup", [], None).unwrap();
    let revoked = file.new_token("old", [], None).unwrap();
    file.revoke(&revoked.record.id).unwrap();
    let mut verifiers = Verifiers::new(CacheLimits::default());
    verifiers.jwt = Some(jwt(issuer.provider()));
    verifiers.static_tokens = Some(StaticTokens::open(file.path()).unwrap());
    verifiers.introspection = Some(verifier(&issuer));

    let by_jwt = check(&verifiers, &key.token("EdDSA", "k", &issuer.claims())).await.unwrap();
    assert_eq!(by_jwt.name(), "alice");
    // A token that the verifier of its issuer refuses is not passed to another one.
    let forged = Key::ed25519().token("EdDSA", "k", &issuer.claims());
    assert_eq!(outcome(&verifiers, &forged).await, "not accepted");
    assert_eq!(check(&verifiers, made.token.expose()).await.unwrap().name(), "backup");
    assert_eq!(outcome(&verifiers, revoked.token.expose()).await, "not accepted");
    assert_eq!(issuer.count(PATH), 0, "no static token was shown to the provider");

    // A JWT of another issuer is treated as an opaque token.
    issuer.set(PATH, Answer::json(&with(active(), json!({"sub": "bob"}))));
    let foreign = key.token("EdDSA", "k", &other.claims());
    assert_eq!(check(&verifiers, &foreign).await.unwrap().name(), "bob");
    assert_eq!(check(&verifiers, "opaque").await.unwrap().name(), "bob");
    assert_eq!(issuer.count(PATH), 2);

    issuer.break_down();
    assert_eq!(outcome(&verifiers, "opaque2").await, "unavailable");
    assert_eq!(outcome(&verifiers, made.token.expose()).await, "accepted");
}

#[tokio::test]
async fn with_only_a_jwt_verifier_an_opaque_token_is_malformed() {
    let issuer = StandIn::start().await;
    issuer.publish(&[Key::ed25519().jwk("k")]);
    let mut alone = Verifiers::new(CacheLimits::default());
    alone.jwt = Some(jwt(issuer.provider()));
    assert_eq!(outcome(&alone, "opaque").await, "malformed");
}

#[tokio::test]
async fn a_verifier_without_a_recipient_is_refused() {
    let issuer = StandIn::start().await;
    let url = HttpUrl::endpoint(&format!("{}{PATH}", issuer.url), PlainHttp::Loopback).unwrap();
    let make = |requirements| {
        let endpoint = IntrospectionEndpoint::Url(url.clone());
        IntrospectionVerifier::new(client(), endpoint, &credentials(), [], requirements)
    };
    let mut requirements = Requirements::default();
    requirements.required_scopes = vec!["webhooks".into()];
    let error = make(requirements.clone()).unwrap_err();
    assert_eq!(error, VerifierBuildError::NoRecipient);
    requirements.allowed_clients = vec!["front-end".into()];
    assert!(make(requirements).is_ok());
}

#[tokio::test]
async fn without_any_verifier_every_token_is_refused() {
    let none = Verifiers::new(CacheLimits::default());
    assert_eq!(outcome(&none, "opaque").await, "not accepted");
}

// The cache.

#[tokio::test]
async fn a_verified_token_is_cached_for_the_time_to_live() {
    let issuer = StandIn::start().await;
    issuer.set(PATH, Answer::json(&active()));
    let ttl = Duration::from_secs(2);
    let verifiers = cached(&issuer, changed(CacheLimits::default(), |it| it.ttl = ttl));
    for _ in 0..10 {
        assert_eq!(check(&verifiers, "opaque").await.unwrap().name(), "alice");
    }
    assert_eq!(issuer.count(PATH), 1);
    issuer.set(PATH, Answer::json(&json!({"active": false})));
    sleep(ttl).await;
    assert_eq!(outcome(&verifiers, "opaque").await, "not accepted");
}

#[tokio::test]
async fn a_token_is_not_cached_past_its_expiry() {
    let issuer = StandIn::start().await;
    let ending = in_seconds(3);
    issuer.set(PATH, Answer::json(&with(active(), json!({"exp": ending}))));
    let verifiers = cached(&issuer, CacheLimits::default());
    assert_eq!(outcome(&verifiers, "opaque").await, "accepted");
    assert_eq!(outcome(&verifiers, "opaque").await, "accepted");
    assert_eq!(issuer.count(PATH), 1);
    sleep(Duration::from_secs(3)).await;
    assert!(in_seconds(0) >= ending);
    _ = check(&verifiers, "opaque").await;
    assert_eq!(issuer.count(PATH), 2, "asked anew within the leeway");
}

#[tokio::test]
async fn nothing_is_cached_with_zero_limits_and_failures_never_are() {
    let issuer = StandIn::start().await;
    issuer.set(PATH, Answer::json(&active()));
    for limits in [
        changed(CacheLimits::default(), |it| it.ttl = Duration::ZERO),
        changed(CacheLimits::default(), |it| it.entries = 0),
    ] {
        let before = issuer.count(PATH);
        let verifiers = cached(&issuer, limits);
        for _ in 0..3 {
            assert_eq!(outcome(&verifiers, "opaque").await, "accepted");
        }
        assert_eq!(issuer.count(PATH), before + 3);
    }
    let verifiers = cached(&issuer, CacheLimits::default());
    issuer.break_down();
    assert_eq!(outcome(&verifiers, "opaque").await, "unavailable");
    issuer.set(PATH, Answer::json(&active()));
    assert_eq!(outcome(&verifiers, "opaque").await, "accepted");
}

#[tokio::test]
async fn a_cache_that_is_too_small_confuses_no_users() {
    let issuer = StandIn::start().await;
    let key = Key::ed25519();
    issuer.publish(&[key.jwk("k")]);
    let limits = changed(CacheLimits::default(), |it| it.entries = 50);
    let mut verifiers = Verifiers::new(limits);
    verifiers.jwt = Some(jwt(issuer.provider()));
    let tokens: Vec<_> = (0..500)
        .map(|at| {
            let user = format!("user-{at}");
            let token = key.token("EdDSA", "k", &with(issuer.claims(), json!({"sub": user})));
            (user, token)
        })
        .collect();
    for _ in 0..2 {
        for (user, token) in &tokens {
            assert_eq!(check(&verifiers, token).await.unwrap().name(), user);
        }
    }
    // The claims of a cached token with another signature are another token.
    let (message, _) = tokens[499].1.rsplit_once('.').unwrap();
    let forged = format!("{message}.{}", b64([0; 64]));
    assert_eq!(outcome(&verifiers, &forged).await, "not accepted");
}

#[tokio::test]
async fn no_debug_output_or_error_contains_a_secret() {
    let issuer = StandIn::start().await;
    let verifiers = Arc::new(cached(&issuer, CacheLimits::default()));
    let error = check(&*verifiers, "my-opaque-token").await.unwrap_err();
    let mut shown = format!("{verifiers:?} {:?} {error:?} {error}", credentials());
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        shown += &format!(" {cause} {cause:?}");
        source = cause.source();
    }
    for secret in ["my-opaque-token", "s:cr", "cr%C3%A9t", &STANDARD.encode("gate%3Away")] {
        assert!(!shown.contains(secret), "{shown}");
    }
    assert!(shown.contains(PATH), "but what was asked: {shown}");
}

fn credentials() -> ClientCredentials {
    ClientCredentials { id: "gate:way".into(), secret: "s:crét +".into() }
}

fn verifier(issuer: &StandIn) -> IntrospectionVerifier {
    let url = HttpUrl::endpoint(&format!("{}{PATH}", issuer.url), PlainHttp::Loopback).unwrap();
    let requirements = Requirements::for_audience("portreeve");
    IntrospectionVerifier::new(
        client(),
        IntrospectionEndpoint::Url(url),
        &credentials(),
        [],
        requirements,
    )
    .unwrap()
}

fn cached(issuer: &StandIn, limits: CacheLimits) -> Verifiers {
    changed(Verifiers::new(limits), |it| it.introspection = Some(verifier(issuer)))
}

fn active() -> Value {
    json!({
        "active": true,
        "sub": "alice",
        "aud": ["portreeve"],
        "client_id": "front-end",
        "scope": "webhooks",
        "exp": in_seconds(300),
        "token_type": "Bearer",
    })
}

const PATH: &str = "/introspect";

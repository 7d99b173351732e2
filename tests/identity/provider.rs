//! Calls of an OpenID provider: discovery, keys, outages, and invalid answers.

use std::sync::Arc;
use std::time::Duration;

use portreeve::identity::{OpenIdProvider, ProviderClient};
use portreeve::outbound::PlainHttp;
use rustls::pki_types::PrivateKeyDer;
use serde_json::json;
use tokio::time::sleep;

use crate::support::issuer::{
    Answer, DISCOVERY, Key, Seen, StandIn, check, client, issuing, jwt, outcome, with,
};

#[tokio::test]
async fn rotated_keys_are_fetched_when_first_seen() {
    let issuer = StandIn::start().await;
    let (old, new) = (Key::ed25519(), Key::p256());
    issuer.publish(&[old.jwk("old")]);
    let verifier = jwt(issuer.provider());
    let (by_old, by_new) =
        (old.token("EdDSA", "old", &issuer.claims()), new.token("ES256", "new", &issuer.claims()));
    assert_eq!(outcome(&verifier, &by_old).await, "accepted");
    assert_eq!(outcome(&verifier, &by_old).await, "accepted");
    assert_eq!(issuer.count("/jwks"), 1);

    issuer.publish(&[new.jwk("new")]);
    assert_eq!(outcome(&verifier, &by_new).await, "accepted");
    assert_eq!(issuer.count("/jwks"), 2);
    // The old key is withdrawn now. Another fetch would be too soon.
    assert_eq!(outcome(&verifier, &by_old).await, "not accepted");
    assert_eq!(issuer.count("/jwks"), 2);
}

#[tokio::test]
async fn unknown_keys_cause_at_most_one_fetch_per_interval() {
    let issuer = StandIn::start().await;
    let key = Key::ed25519();
    issuer.publish(&[key.jwk("k")]);
    let interval = Duration::from_secs(2);
    let verifier = jwt(issuer.provider_with(|it| it.unknown_key = interval));
    assert_eq!(outcome(&verifier, &key.token("EdDSA", "k", &issuer.claims())).await, "accepted");
    for kid in 0..50 {
        let token = key.token("EdDSA", &format!("unknown-{kid}"), &issuer.claims());
        assert_eq!(outcome(&verifier, &token).await, "not accepted");
    }
    assert_eq!(issuer.count("/jwks"), 2);
    sleep(interval).await;
    assert_eq!(
        outcome(&verifier, &key.token("EdDSA", "x", &issuer.claims())).await,
        "not accepted"
    );
    assert_eq!(issuer.count("/jwks"), 3);
}

#[tokio::test]
async fn tokens_that_cannot_be_accepted_cause_no_fetch() {
    let (issuer, key, verifier) = issuing().await;
    for changes in
        [json!({"iss": "https://other.example"}), json!({"exp": 1}), json!({"exp": null})]
    {
        let token = key.token("EdDSA", "unknown", &with(issuer.claims(), changes));
        assert!(check(&verifier, &token).await.is_err());
    }
    assert!(issuer.requests().is_empty());
}

#[tokio::test]
async fn simultaneous_checks_share_one_fetch() {
    let issuer = StandIn::start().await;
    let (first, second) = (Key::ed25519(), Key::ed25519());
    issuer.publish(&[first.jwk("first")]);
    issuer.set(DISCOVERY, slow_document(&issuer));
    let verifier = Arc::new(jwt(issuer.provider()));
    let all_accepted = async |token: String| {
        let checks: Vec<_> = (0..100)
            .map(|_| {
                let (verifier, token) = (verifier.clone(), token.clone());
                tokio::spawn(async move { check(&verifier, &token).await })
            })
            .collect();
        for check in checks {
            assert_eq!(check.await.unwrap().unwrap().name(), "alice");
        }
    };
    all_accepted(first.token("EdDSA", "first", &issuer.claims())).await;
    assert_eq!((issuer.count(DISCOVERY), issuer.count("/jwks")), (1, 1));

    issuer.publish(&[second.jwk("second")]);
    issuer.set(DISCOVERY, slow_document(&issuer));
    all_accepted(second.token("EdDSA", "second", &issuer.claims())).await;
    assert_eq!((issuer.count(DISCOVERY), issuer.count("/jwks")), (2, 2));
}

#[tokio::test]
async fn a_fetch_continues_when_the_caller_that_began_it_is_gone() {
    let issuer = StandIn::start().await;
    let key = Key::ed25519();
    issuer.publish(&[key.jwk("k")]);
    issuer.set(DISCOVERY, slow_document(&issuer));
    let verifier = jwt(issuer.provider());
    let token = key.token("EdDSA", "k", &issuer.claims());
    let impatient = tokio::time::timeout(Duration::from_millis(20), check(&verifier, &token)).await;
    assert!(impatient.is_err());
    assert_eq!(outcome(&verifier, &token).await, "accepted");
    assert_eq!((issuer.count(DISCOVERY), issuer.count("/jwks")), (1, 1));
}

#[tokio::test]
async fn an_outage_before_the_first_fetch_admits_nobody() {
    let issuer = StandIn::start().await;
    let key = Key::ed25519();
    let retry = Duration::from_secs(2);
    let verifier = jwt(issuer.provider_with(|it| it.retry = retry));
    let token = key.token("EdDSA", "k", &issuer.claims());
    for _ in 0..20 {
        assert_eq!(outcome(&verifier, &token).await, "unavailable");
    }
    assert_eq!(issuer.count(DISCOVERY), 1, "a provider that is down is not stormed");
    issuer.publish(&[key.jwk("k")]);
    sleep(retry).await;
    assert_eq!(outcome(&verifier, &token).await, "accepted");
}

#[tokio::test]
async fn keys_outlive_an_outage_until_they_are_too_old() {
    let issuer = StandIn::start().await;
    let key = Key::ed25519();
    issuer.publish(&[key.jwk("k")]);
    let verifier = jwt(issuer.provider_with(|it| {
        it.refresh = Duration::from_millis(100);
        it.keep = Duration::from_secs(4);
        it.retry = Duration::from_millis(50);
    }));
    let token = key.token("EdDSA", "k", &issuer.claims());
    assert_eq!(outcome(&verifier, &token).await, "accepted");
    issuer.break_down();
    for _ in 0..4 {
        sleep(Duration::from_millis(110)).await;
        assert_eq!(outcome(&verifier, &token).await, "accepted");
    }
    assert!(issuer.count(DISCOVERY) > 2, "the refresh was tried again and again");
    // An unknown key cannot be looked up now.
    let unknown = key.token("EdDSA", "unknown", &issuer.claims());
    assert_eq!(outcome(&verifier, &unknown).await, "unavailable");
    sleep(Duration::from_secs(4)).await;
    assert_eq!(outcome(&verifier, &token).await, "unavailable");
    issuer.publish(&[key.jwk("k")]);
    sleep(Duration::from_millis(60)).await;
    assert_eq!(outcome(&verifier, &token).await, "accepted");
}

#[tokio::test]
async fn keys_are_refreshed_on_schedule_without_waiting() {
    let issuer = StandIn::start().await;
    let (old, new) = (Key::ed25519(), Key::ed25519());
    issuer.publish(&[old.jwk("k")]);
    let refresh = Duration::from_millis(100);
    let verifier = jwt(issuer.provider_with(|it| it.refresh = refresh));
    let token = old.token("EdDSA", "k", &issuer.claims());
    assert_eq!(outcome(&verifier, &token).await, "accepted");
    // The key was replaced by another with the same id.
    issuer.publish(&[new.jwk("k")]);
    sleep(refresh).await;
    let first = outcome(&verifier, &token).await;
    assert_eq!(first, "accepted", "this check begins the refresh");
    while outcome(&verifier, &token).await != "not accepted" {
        sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn invalid_provider_answers_are_reported_with_the_cause() {
    let issuer = StandIn::start().await;
    let key = Key::ed25519();
    let document = |changes| {
        let url = &issuer.url;
        let document = json!({"issuer": url, "jwks_uri": format!("{url}/jwks")});
        Answer::json(&with(document, changes))
    };
    let elsewhere = StandIn::start().await;
    elsewhere.publish(&[key.jwk("k")]);
    let many: Vec<_> = (0..200).map(|at| key.jwk(&at.to_string())).collect();
    let big = "x".repeat(2 << 20);
    for (path, answer, said) in [
        (DISCOVERY, Answer::text(404, ""), "404"),
        (DISCOVERY, Answer::text(200, "<html>"), "not a discovery document"),
        (DISCOVERY, Answer::text(200, big.clone()), "cannot be read"),
        (
            DISCOVERY,
            Answer::text(200, "packed").coded("gzip"),
            "it has the content coding \"gzip\", although identity was asked for",
        ),
        ("/jwks", document(json!({})).coded("br"), "coding \"br\""),
        (DISCOVERY, Answer::redirect(&format!("{}{DISCOVERY}", elsewhere.url)), "redirect"),
        (DISCOVERY, document(json!({"issuer": format!("{}/", issuer.url)})), "exactly"),
        (DISCOVERY, document(json!({"jwks_uri": null})), "jwks_uri"),
        (DISCOVERY, document(json!({"jwks_uri": "http://keys.example/"})), "plain http"),
        (
            DISCOVERY,
            document(json!({"introspection_endpoint": "file:///x"})),
            "introspection_endpoint",
        ),
        ("/jwks", Answer::text(500, ""), "500"),
        ("/jwks", Answer::redirect(&format!("{}/jwks", elsewhere.url)), "redirect"),
        ("/jwks", Answer::text(200, "{}"), "not a JWK set"),
        ("/jwks", Answer::text(200, big.clone()), "cannot be read"),
        ("/jwks", Answer::json(&json!({"keys": []})), "none of its 0 keys"),
        (
            "/jwks",
            Answer::json(&json!({"keys": [{"kty": "oct", "k": "AAAA"}]})),
            "none of its 1 keys",
        ),
        ("/jwks", Answer::json(&json!({"keys": many})), "more than 128 keys"),
    ] {
        issuer.publish(&[key.jwk("k")]);
        issuer.set(path, answer);
        let provider = issuer.provider();
        let error = provider.discover().await.unwrap_err().to_string();
        assert!(error.contains(said) && error.contains(&issuer.url), "{said}: {error}");
        let token = key.token("EdDSA", "k", &issuer.claims());
        assert_eq!(outcome(&jwt(provider), &token).await, "unavailable");
    }
    assert!(elsewhere.requests().is_empty(), "no redirect was followed");
    let asked = issuer.requests();
    let is_plain = |seen: &Seen| seen.headers["accept-encoding"] == "identity";
    assert!(!asked.is_empty() && asked.iter().all(is_plain));
    // Said of itself, the coding changes nothing.
    issuer.publish(&[key.jwk("k")]);
    issuer.set(DISCOVERY, document(json!({})).coded("identity"));
    issuer.provider().discover().await.unwrap();
}

#[tokio::test]
async fn one_unusable_key_does_not_disable_the_others() {
    let issuer = StandIn::start().await;
    let key = Key::ed25519();
    let rsa = Key::rsa().jwk("k");
    let short = "AAAA".repeat(40);
    issuer.publish(&[
        json!(7),
        json!({}),
        json!({"kty": "new", "kid": "k"}),
        json!({"kty": "EC", "crv": "P-521", "kid": "k", "x": "AA", "y": "AA"}),
        json!({"kty": "EC", "crv": "P-256", "kid": "k", "x": "AA", "y": "AA"}),
        json!({"kty": "OKP", "crv": "Ed25519", "kid": "k", "x": "AA"}),
        json!({"kty": "OKP", "crv": "X25519", "kid": "k", "x": key.jwk("k")["x"]}),
        with(rsa.clone(), json!({"n": short})),
        with(rsa.clone(), json!({"n": "AA".repeat(4000)})),
        with(rsa.clone(), json!({"n": "!!"})),
        with(rsa, json!({"alg": "RSA-OAEP"})),
        key.jwk("k"),
    ]);
    let provider = issuer.provider();
    assert_eq!(provider.discover().await.unwrap().keys, 1);
    let token = key.token("EdDSA", "k", &issuer.claims());
    assert_eq!(outcome(&jwt(provider), &token).await, "accepted");
}

#[tokio::test]
async fn an_unreachable_provider_is_reported_with_the_cause() {
    let provider =
        OpenIdProvider::new("http://127.0.0.1:1", PlainHttp::Loopback, client()).unwrap();
    let error = provider.discover().await.unwrap_err().to_string();
    assert!(
        error.contains("http://127.0.0.1:1/.well-known") && error.contains("refused"),
        "{error}"
    );
}

#[tokio::test]
async fn discovery_of_an_issuer_with_a_path_or_a_trailing_slash_works() {
    for end in ["/realms/r", "/o/slug/", "/"] {
        let stand_in = StandIn::start().await;
        let key = Key::ed25519();
        let issuer = format!("{}{end}", stand_in.url);
        let path = format!("{}{DISCOVERY}", end.trim_end_matches('/'));
        let document = json!({"issuer": issuer, "jwks_uri": format!("{}/jwks", stand_in.url)});
        stand_in.publish(&[key.jwk("k")]).set(&path, Answer::json(&document));
        let provider = OpenIdProvider::new(&issuer, PlainHttp::Loopback, client()).unwrap();
        let claims = with(stand_in.claims(), json!({"iss": issuer}));
        let token = key.token("EdDSA", "k", &claims);
        assert_eq!(outcome(&jwt(provider), &token).await, "accepted", "{end}");
    }
}

#[tokio::test]
async fn a_provider_behind_tls_is_accepted_only_if_it_is_trusted() {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let crypto = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let tls = rustls::ServerConfig::builder_with_provider(crypto)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![made.cert.der().clone()],
            PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into()),
        )
        .unwrap();
    let issuer = StandIn::start_tls(Arc::new(tls).into()).await;
    let key = Key::rsa();
    issuer.publish(&[key.jwk("k")]);
    let token = key.token("RS256", "k", &issuer.claims());

    let trusting = ProviderClient::with_system_roots([made.cert.der().clone()]).unwrap();
    let provider = |client| OpenIdProvider::new(&issuer.url, PlainHttp::Loopback, client).unwrap();
    let trusted = provider(trusting);
    assert_eq!(outcome(&jwt(trusted), &token).await, "accepted");

    let untrusted = provider(client());
    let error = untrusted.discover().await.unwrap_err().to_string();
    assert!(error.contains("certificate"), "{error}");
    assert_eq!(outcome(&jwt(untrusted), &token).await, "unavailable");
}

fn slow_document(issuer: &StandIn) -> Answer {
    let url = &issuer.url;
    let document = json!({"issuer": url, "jwks_uri": format!("{url}/jwks")});
    Answer::json(&document).after(Duration::from_secs(1))
}

//! JWT access tokens that are accepted and those that are refused (docs/API.md, section 2.1).

use portreeve::identity::{JwtVerifier, OpenIdProvider, Requirements, VerifierBuildError};
use portreeve::outbound::{HttpUrlError, PlainHttp};
use serde_json::{Value, json};

use crate::support::issuer::{
    Key, StandIn, check, client, in_seconds, jwt, kind, outcome, requirements, with,
};

#[tokio::test]
async fn api_2_1_each_algorithm_is_accepted() {
    let issuer = StandIn::start().await;
    let keys = [
        ("RS256", Key::rsa()),
        ("PS256", Key::rsa()),
        ("ES256", Key::p256()),
        ("ES384", Key::p384()),
        ("EdDSA", Key::ed25519()),
    ];
    let jwks: Vec<Value> =
        keys.iter().map(|(alg, key)| with(key.jwk(alg), json!({"alg": alg}))).collect();
    issuer.publish(&jwks);
    let verifier = jwt(issuer.provider());
    for (alg, key) in &keys {
        let caller = check(&verifier, &key.token(alg, alg, &issuer.claims())).await.unwrap();
        assert_eq!(caller.name(), "alice", "{alg}");
        assert_eq!(caller.scopes().collect::<Vec<_>>(), ["webhooks", "apps"]);
        assert!(caller.expires_at.is_some());
    }
    assert_eq!(issuer.count("/jwks"), 1);
}

#[tokio::test]
async fn claims_are_checked_as_documented() {
    let issuer = StandIn::start().await;
    let key = Key::ed25519();
    issuer.publish(&[key.jwk("k")]);
    let base = || issuer.claims();
    let verifier = jwt(issuer.provider());
    let other = "https://other.example";
    for (changes, expected) in [
        (json!({}), "accepted"),
        // iss
        (json!({"iss": null}), "not accepted"),
        (json!({"iss": other}), "not accepted"),
        (json!({"iss": [issuer.url]}), "malformed"),
        (json!({"iss": format!("{}/", issuer.url)}), "not accepted"),
        // exp, nbf, iat; the leeway is 30 seconds
        (json!({"exp": null}), "not accepted"),
        (json!({"exp": in_seconds(-25)}), "accepted"),
        (json!({"exp": in_seconds(-35)}), "expired"),
        (json!({"exp": in_seconds(300) as f64 + 0.5}), "accepted"),
        (json!({"exp": in_seconds(300).to_string()}), "malformed"),
        (json!({"exp": -1}), "malformed"),
        (json!({"exp": 1e300}), "malformed"),
        (json!({"exp": u64::MAX}), "malformed"),
        (json!({"exp": true}), "malformed"),
        (json!({"nbf": in_seconds(25)}), "accepted"),
        (json!({"nbf": in_seconds(60)}), "expired"),
        (json!({"nbf": "soon"}), "malformed"),
        (json!({"iat": in_seconds(60)}), "expired"),
        (json!({"iat": null}), "accepted"),
        // aud
        (json!({"aud": null}), "not accepted"),
        (json!({"aud": "other"}), "not accepted"),
        (json!({"aud": []}), "not accepted"),
        (json!({"aud": ["other", "portreeve"]}), "accepted"),
        (json!({"aud": "portreeve other"}), "not accepted"),
        (json!({"aud": ["portreeve", 1]}), "malformed"),
        (json!({"aud": {"portreeve": true}}), "malformed"),
        (json!({"aud": "Portreeve"}), "not accepted"),
        // the user
        (json!({"sub": null}), "not accepted"),
        (json!({"sub": ""}), "not accepted"),
        (json!({"sub": 7}), "malformed"),
        (json!({"sub": "a:b\n"}), "accepted"),
        (json!({"sub": "x".repeat(1024)}), "accepted"),
        (json!({"sub": "x".repeat(1025)}), "not accepted"),
        (json!({"preferred_username": 7}), "accepted"),
        // scopes
        (json!({"scope": ["webhooks"]}), "accepted"),
        (json!({"scope": 1}), "malformed"),
        (json!({"scope": vec!["s"; 600]}), "malformed"),
        // tokens for something else, or not for a bearer
        (json!({"at_hash": "x"}), "not accepted"),
        (json!({"events": {}}), "not accepted"),
        (json!({"typ": "ID"}), "not accepted"),
        (json!({"typ": "Refresh"}), "not accepted"),
        (json!({"typ": "Bearer"}), "accepted"),
        (json!({"cnf": {"jkt": "x"}}), "not accepted"),
    ] {
        let token = key.token("EdDSA", "k", &with(base(), changes.clone()));
        assert_eq!(outcome(&verifier, &token).await, expected, "{changes}");
    }
}

#[tokio::test]
async fn the_leeway_can_be_set() {
    let issuer = StandIn::start().await;
    let key = Key::ed25519();
    issuer.publish(&[key.jwk("k")]);
    let mut strict = requirements();
    strict.leeway = std::time::Duration::ZERO;
    let strict = JwtVerifier::new(issuer.provider(), strict).unwrap();
    let token = key.token("EdDSA", "k", &with(issuer.claims(), json!({"exp": in_seconds(-1)})));
    assert_eq!(outcome(&strict, &token).await, "expired");
    assert_eq!(outcome(&jwt(issuer.provider()), &token).await, "accepted");
}

#[tokio::test]
async fn clients_scopes_and_the_user_claim_can_be_configured() {
    let issuer = StandIn::start().await;
    let key = Key::ed25519();
    issuer.publish(&[key.jwk("k")]);
    let mut requirements = Requirements::default();
    requirements.allowed_clients = vec!["front-end".into(), "flow".into()];
    requirements.required_scopes = vec!["webhooks".into(), "apps".into()];
    requirements.user_claim = "preferred_username".into();
    let verifier = JwtVerifier::new(issuer.provider(), requirements).unwrap();
    let base = with(issuer.claims(), json!({"preferred_username": "bob", "aud": null}));
    for (changes, expected) in [
        (json!({}), "accepted"),
        (json!({"client_id": "flow"}), "accepted"),
        (json!({"client_id": null, "azp": "flow"}), "accepted"),
        (json!({"client_id": null}), "not accepted"),
        (json!({"client_id": "other"}), "not accepted"),
        (json!({"azp": "other"}), "not accepted"),
        (json!({"client_id": ["front-end"]}), "malformed"),
        (json!({"scope": "webhooks"}), "not accepted"),
        (json!({"scope": "webhooks apps2"}), "not accepted"),
        (json!({"scope": ["apps", "webhooks"]}), "accepted"),
        (json!({"scope": null, "scp": "apps webhooks"}), "accepted"),
        (json!({"scope": "apps", "scp": ["webhooks", "apps"]}), "accepted"),
        (json!({"preferred_username": null}), "not accepted"),
    ] {
        let token = key.token("EdDSA", "k", &with(base.clone(), changes.clone()));
        let result = check(&verifier, &token).await;
        assert_eq!(kind(&result), expected, "{changes}");
        if let Ok(caller) = result {
            assert_eq!(caller.name(), "bob");
            assert_eq!(caller.scopes().count(), 2);
        }
    }
    let mut both = Requirements::for_audience("portreeve");
    both.allowed_clients = vec!["front-end".into()];
    let both = JwtVerifier::new(issuer.provider(), both).unwrap();
    let token = key.token("EdDSA", "k", &with(issuer.claims(), json!({"aud": "other"})));
    assert_eq!(outcome(&both, &token).await, "not accepted");
}

#[tokio::test]
async fn a_verifier_without_audience_and_client_is_refused() {
    let provider = OpenIdProvider::new("https://id.example", PlainHttp::Loopback, client());
    let mut scope_only = Requirements::default();
    scope_only.required_scopes = vec!["webhooks".into()];
    let error = JwtVerifier::new(provider.unwrap(), scope_only).unwrap_err();
    assert_eq!(error, VerifierBuildError::NoRecipient);
}

#[tokio::test]
async fn invalid_issuer_urls_are_refused() {
    for (issuer, expected) in [
        ("http://id.example", HttpUrlError::PlainHttp),
        ("http://127.0.0.1.example.org", HttpUrlError::PlainHttp),
        ("ftp://id.example", HttpUrlError::Scheme),
        ("id.example", HttpUrlError::Malformed),
        ("", HttpUrlError::Malformed),
        ("https://user@id.example", HttpUrlError::UserInfo),
        ("https://id.example/?realm=x", HttpUrlError::Query),
        ("https://id.example/#x", HttpUrlError::Fragment),
        ("https://id.example:/", HttpUrlError::Port),
    ] {
        let error = OpenIdProvider::new(issuer, PlainHttp::Loopback, client()).unwrap_err();
        assert_eq!(error, expected, "{issuer}");
    }
    for (issuer, plain) in [
        ("http://localhost:1", PlainHttp::Loopback),
        ("http://127.1:1", PlainHttp::Loopback),
        ("http://[::1]:1/realm", PlainHttp::Loopback),
        ("http://id.example", PlainHttp::Anywhere),
    ] {
        assert!(OpenIdProvider::new(issuer, plain, client()).is_ok(), "{issuer}");
    }
}

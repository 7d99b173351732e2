//! Why a token is refused: each reason of its own, in the error, in the log and for metrics (docs/IDENTITY.md, "Why a
//! token is refused").

use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex};

use portreeve::identity::{
    BearerToken, CacheLimits, Caller, CheckObserver, CheckOutcome, ClientCredentials,
    IntrospectionEndpoint, IntrospectionVerifier, JwtVerifier, Requirements, TokenVerifier as _,
    VerifierKind, Verifiers, VerifyError,
};
use portreeve::outbound::{HttpUrl, PlainHttp};
use serde_json::{Value, json};

use crate::support::issuer::{
    Answer, Key, StandIn, check, client, head, in_seconds, issuing, jwt, requirements, with,
};

/// The reason and the text of a refusal; `accepted` without one.
fn reason(result: &Result<Caller, VerifyError>) -> (&'static str, String) {
    match result {
        Ok(_) => ("accepted", String::new()),
        Err(VerifyError::Refused(refusal)) => (refusal.reason.as_str(), refusal.to_string()),
        Err(error) => panic!("{error}"),
    }
}

/// Claims without a sign of an access token, as Auth0's of a token without scopes.
fn bare(issuer: &StandIn) -> Value {
    let unmarked = json!({"scope": null, "client_id": null, "azp": "front-end"});
    with(issuer.claims(), unmarked)
}

#[tokio::test]
async fn an_access_token_shows_that_it_is_one_and_each_other_has_its_reason() {
    let (issuer, key, verifier) = issuing().await;
    for (changes, expected) in [
        // Entra, version 1: for a user, for an application.
        (json!({"appid": "front-end", "scp": "a"}), "accepted"),
        (json!({"appid": "front-end", "appidacr": "1", "roles": ["r"]}), "accepted"),
        // Entra, version 2, for an application.
        (json!({"azpacr": "1", "roles": ["r"]}), "accepted"),
        (json!({"idtyp": "app", "roles": ["r"]}), "accepted"),
        // Its ID tokens may have roles, too.
        (json!({"roles": ["r"]}), "not_access_token"),
        (json!({}), "not_access_token"),
        (json!({"uid": "a"}), "accepted"),
        (json!({"typ": "Bearer"}), "accepted"),
        (json!({"token_use": "access"}), "accepted"),
        (json!({"scope": "a", "at_hash": "x"}), "id_token"),
        (json!({"scope": "a", "events": {}}), "logout_token"),
        (json!({"scope": "a", "typ": "ID"}), "id_token"),
        (json!({"scope": "a", "typ": "Refresh"}), "refresh_token"),
        (json!({"scope": "a", "typ": "Offline"}), "refresh_token"),
        (json!({"scope": "a", "typ": "Logout"}), "logout_token"),
        (json!({"scope": "a", "typ": "Surprise"}), "not_access_token"),
        (json!({"scope": "a", "token_use": "id"}), "id_token"),
        (json!({"client_id": "c", "nonce": "n"}), "id_token"),
        (json!({"typ": "Bearer", "nonce": "n"}), "accepted"),
        (json!({"client_id": "c", "token_type": "refresh_token"}), "refresh_token"),
        (json!({"scope": "a", "azp": "portreeve"}), "not_access_token"),
        (json!({"scope": "a", "azp": "front-end"}), "accepted"),
        (json!({"scope": "a", "azp": null, "auth_time": 1}), "not_access_token"),
        (json!({"scope": "a", "azp": null, "auth_time": 1, "client_id": "c"}), "accepted"),
        (json!({"scope": "a", "purpose": "password-reset"}), "not_access_token"),
        (json!({"scope": "a", "token_use": "refresh"}), "refresh_token"),
    ] {
        let header = json!({"alg": "EdDSA", "kid": "k", "typ": "JWT"}).to_string();
        let claims = with(bare(&issuer), changes.clone()).to_string();
        let (reason, text) = reason(&check(&verifier, &key.token_of(&header, &claims)).await);
        assert_eq!(reason, expected, "{changes}: {text}");
    }
    // The header says enough.
    let header = json!({"alg": "EdDSA", "kid": "k", "typ": "at+jwt"}).to_string();
    let token = key.token_of(&header, &bare(&issuer).to_string());
    check(&verifier, &token).await.unwrap();
}

#[tokio::test]
async fn a_client_is_client_id_appid_or_azp_and_each_present_one_must_be_allowed() {
    let issuer = StandIn::start().await;
    let key = Key::ed25519();
    issuer.publish(&[key.jwk("k")]);
    let mut requirements = Requirements::default();
    requirements.allowed_clients = vec!["mine".into()];
    let verifier = JwtVerifier::new(issuer.provider(), requirements).unwrap();
    for (claims, expected) in [
        (json!({"client_id": "mine"}), "accepted"),
        (json!({"appid": "mine"}), "accepted"),
        (json!({"azp": "mine"}), "accepted"),
        (json!({"azp": "mine", "appid": "other"}), "client"),
        (json!({"azp": "other", "client_id": "mine"}), "client"),
        (json!({}), "client"),
    ] {
        let token = with(issuer.claims(), json!({"client_id": null}));
        let token = key.token("EdDSA", "k", &with(token, claims.clone()));
        let (reason, text) = reason(&check(&verifier, &token).await);
        assert_eq!(reason, expected, "{claims}: {text}");
    }
}

#[tokio::test]
async fn a_refusal_says_what_exactly_is_wrong() {
    let (issuer, key, verifier) = issuing().await;
    let long = format!("https://other.example/\u{1b}{}", "x".repeat(5000));
    let milliseconds = in_seconds(300) * 1000;
    for (changes, expected, parts) in [
        (
            json!({"iss": "https://other.example"}),
            "issuer",
            vec!["\"https://other.example\"", issuer.url.as_str()],
        ),
        (json!({"iss": long}), "issuer", vec![r"\u{1b}xxx", "x\"\u{2026}"]),
        (json!({"iss": null}), "issuer", vec!["no `iss`"]),
        (json!({"exp": milliseconds}), "malformed", vec!["`exp`", "milliseconds"]),
        (json!({"exp": in_seconds(-100)}), "expired", vec!["`exp`", "seconds ago"]),
        (json!({"nbf": in_seconds(100)}), "not_yet_valid", vec!["`nbf`", "seconds ahead"]),
        (json!({"iat": in_seconds(100)}), "not_yet_valid", vec!["`iat`", "seconds ahead"]),
        (json!({"azp": 7}), "accepted", vec![]),
        (json!({"scope": 7}), "malformed", vec!["`scope`"]),
        (json!({"sub": null}), "user", vec!["\"sub\""]),
    ] {
        let token = key.token("EdDSA", "k", &with(issuer.claims(), changes.clone()));
        let (reason, text) = reason(&check(&verifier, &token).await);
        assert_eq!(reason, expected, "{changes}: {text}");
        assert!(text.len() < 500, "{text}");
        for part in parts {
            assert!(text.contains(part), "{part:?} is not in {text}");
        }
    }
}

/// The signature of a token that names no key is checked with some of the keys only.
#[tokio::test]
async fn a_token_without_a_key_id_is_not_called_forged_if_not_all_keys_were_tried() {
    let issuer = StandIn::start().await;
    let keys: Vec<_> = (0..4).map(|_| Key::ed25519()).collect();
    let named = |(at, key): (usize, &Key)| key.jwk(&at.to_string());
    issuer.publish(&keys.iter().enumerate().map(named).collect::<Vec<_>>());
    let verifier = jwt(issuer.provider());
    let header = json!({"alg": "EdDSA"}).to_string();
    let claims = issuer.claims().to_string();
    check(&verifier, &keys[2].token_of(&header, &claims)).await.unwrap();
    let result = check(&verifier, &keys[3].token_of(&header, &claims)).await;
    let (reason, text) = reason(&result);
    assert_eq!(reason, "key", "{text}");
    assert!(text.contains("it names no key (`kid`)"), "{text}");
}

/// To try all of them at once would keep a thread busy for longer than one caller may.
#[tokio::test]
async fn several_keys_are_tried_in_a_poll_each() {
    let issuer = StandIn::start().await;
    let keys: Vec<_> = (0..3).map(|_| Key::ed25519()).collect();
    let named = |(at, key): (usize, &Key)| key.jwk(&at.to_string());
    issuer.publish(&keys.iter().enumerate().map(named).collect::<Vec<_>>());
    let verifier = jwt(issuer.provider());
    let header = json!({"alg": "EdDSA"}).to_string();
    let token = keys[2].token_of(&header, &issuer.claims().to_string());
    check(&verifier, &token).await.unwrap();

    // From here on, the keys are known.
    let (token, head) = (BearerToken::new(&token).unwrap(), head());
    assert!(verifier.verify_now(&token, &head).is_none());
    let mut checked = pin!(verifier.verify(&token, &head));
    let mut polls = 0;
    let polled = poll_fn(|cx| {
        polls += 1;
        checked.as_mut().poll(cx)
    });
    polled.await.unwrap();
    assert_eq!(polls, 1 + keys.len());
}

#[tokio::test]
async fn an_introspected_token_of_another_kind_or_issuer_is_refused() {
    let issuer = StandIn::start().await;
    let url = format!("{}/introspect", issuer.url);
    let credentials = ClientCredentials { id: "gate".into(), secret: "secret".into() };
    let verifier = || {
        let url = HttpUrl::endpoint(&url, PlainHttp::Loopback).unwrap();
        let endpoint = IntrospectionEndpoint::Url(url);
        IntrospectionVerifier::new(client(), endpoint, &credentials, [], requirements()).unwrap()
    };
    let active = json!({"active": true, "sub": "alice", "aud": "portreeve"});
    for (changes, expected, named) in [
        (json!({}), "accepted", "accepted"),
        (json!({"iss": "https://mine.example"}), "accepted", "accepted"),
        (json!({"iss": "https://other.example"}), "accepted", "issuer"),
        (json!({"typ": "Bearer"}), "accepted", "accepted"),
        (json!({"typ": "Refresh"}), "refresh_token", "refresh_token"),
        (json!({"typ": "ID"}), "id_token", "id_token"),
        (json!({"token_use": "access_token"}), "accepted", "accepted"),
        (json!({"token_use": "refresh_token"}), "refresh_token", "refresh_token"),
        (json!({"token_type": "refresh_token"}), "bound_to_key", "bound_to_key"),
    ] {
        issuer.set("/introspect", Answer::json(&with(active.clone(), changes.clone())));
        let (any, _) = reason(&check(&verifier(), "opaque").await);
        assert_eq!(any, expected, "{changes}");
        let of_mine = verifier().issuer("https://mine.example");
        let (of_mine, text) = reason(&check(&of_mine, "opaque").await);
        assert_eq!(of_mine, named, "{changes}: {text}");
    }
}

#[derive(Debug, Default)]
struct Observed(Mutex<Vec<(VerifierKind, CheckOutcome)>>);

impl CheckObserver for Observed {
    fn token_checked(&self, verifier: VerifierKind, outcome: CheckOutcome) {
        self.0.lock().unwrap().push((verifier, outcome));
    }
}

#[tokio::test]
async fn an_observer_learns_the_outcome_of_each_check() {
    let issuer = StandIn::start().await;
    let key = Key::ed25519();
    issuer.publish(&[key.jwk("k")]);
    let observed = Arc::new(Observed::default());
    let limits = CacheLimits::default();
    let mut verifiers = Verifiers::new(limits);
    verifiers.jwt = Some(jwt(issuer.provider()));
    verifiers.observer = Some(observed.clone());
    let expired = with(issuer.claims(), json!({"exp": 1}));
    for claims in [&issuer.claims(), &expired] {
        _ = check(&verifiers, &key.token("EdDSA", "k", claims)).await;
    }
    _ = check(&verifiers, "opaque").await;
    let outcomes = [CheckOutcome::Accepted, CheckOutcome::Expired, CheckOutcome::Malformed];
    let checks = outcomes.map(|outcome| (VerifierKind::Jwt, outcome));
    assert_eq!(*observed.0.lock().unwrap(), checks);
}

//! Attacks on JWT access tokens: those of RFC 8725 and of the published advisories of JWT libraries.

use serde_json::json;

use crate::support::issuer::{Key, StandIn, b64, check, issuing, jwt, kind, outcome, with};

#[tokio::test]
async fn unsigned_tokens_are_refused() {
    let issuer = StandIn::start().await;
    let key = Key::rsa();
    issuer.publish(&[key.jwk("k")]);
    let verifier = jwt(issuer.provider());
    let claims = b64(issuer.claims().to_string());
    for alg in ["none", "None", "NONE", "nOnE", "", "null"] {
        let header = b64(json!({"alg": alg, "kid": "k"}).to_string());
        for signature in ["", "AA", &b64("x".repeat(256))] {
            let token = format!("{header}.{claims}.{signature}");
            assert_eq!(outcome(&verifier, &token).await, "not accepted", "{alg}");
        }
    }
    let signed = key.token("RS256", "k", &issuer.claims());
    let (message, _) = signed.rsplit_once('.').unwrap();
    assert_eq!(outcome(&verifier, &format!("{message}.")).await, "not accepted");
    assert_eq!(outcome(&verifier, message).await, "malformed");
    for header in
        [json!({"kid": "k"}), json!({"alg": null}), json!({"alg": ["RS256"]}), json!({"alg": 1})]
    {
        let token = key.token_of(&header.to_string(), &issuer.claims().to_string());
        assert_eq!(outcome(&verifier, &token).await, "malformed", "{header}");
    }
}

#[tokio::test]
async fn a_public_key_is_never_an_hmac_secret() {
    use aws_lc_rs::hmac;
    let issuer = StandIn::start().await;
    let key = Key::rsa();
    let jwk = key.jwk("k");
    // A shared secret that the provider publishes is not a key either.
    let oct = json!({"kty": "oct", "kid": "oct", "k": b64("secret"), "alg": "HS256"});
    issuer.publish(&[jwk.clone(), oct]);
    let verifier = jwt(issuer.provider());
    let n = jwk["n"].as_str().unwrap();
    let secrets = [n.as_bytes().to_vec(), jwk.to_string().into_bytes(), b"secret".to_vec()];
    for (alg, algorithm) in
        [("HS256", hmac::HMAC_SHA256), ("HS384", hmac::HMAC_SHA384), ("HS512", hmac::HMAC_SHA512)]
    {
        for secret in &secrets {
            for kid in ["k", "oct"] {
                let header = json!({"alg": alg, "kid": kid}).to_string();
                let message = format!("{}.{}", b64(header), b64(issuer.claims().to_string()));
                let tag = hmac::sign(&hmac::Key::new(algorithm, secret), message.as_bytes());
                let token = format!("{message}.{}", b64(tag));
                assert_eq!(outcome(&verifier, &token).await, "not accepted");
            }
        }
    }
}

#[tokio::test]
async fn a_key_is_used_only_for_the_algorithms_of_its_type() {
    let issuer = StandIn::start().await;
    let (rsa, p256, p384, ed) = (Key::rsa(), Key::p256(), Key::p384(), Key::ed25519());
    let restricted = Key::rsa();
    issuer.publish(&[
        rsa.jwk("rsa"),
        p256.jwk("p256"),
        p384.jwk("p384"),
        ed.jwk("ed"),
        with(restricted.jwk("ps"), json!({"alg": "PS256"})),
        with(rsa.jwk("enc"), json!({"use": "enc"})),
        with(rsa.jwk("ops"), json!({"use": null, "key_ops": ["encrypt"]})),
        with(rsa.jwk("private"), json!({"d": "AAAA"})),
    ]);
    let verifier = jwt(issuer.provider());
    let claims = issuer.claims();
    for (key, kid, alg, expected) in [
        (&rsa, "rsa", "RS256", "accepted"),
        (&rsa, "rsa", "PS256", "accepted"),
        (&rsa, "rsa", "ES256", "not accepted"),
        (&rsa, "rsa", "EdDSA", "not accepted"),
        (&p256, "p256", "ES384", "not accepted"),
        (&p256, "p256", "RS256", "not accepted"),
        (&p384, "p384", "ES256", "not accepted"),
        (&ed, "ed", "ES256", "not accepted"),
        (&ed, "ed", "Ed25519", "accepted"),
        (&restricted, "ps", "PS256", "accepted"),
        (&restricted, "ps", "RS256", "not accepted"),
        (&rsa, "enc", "RS256", "not accepted"),
        (&rsa, "ops", "RS256", "not accepted"),
        (&rsa, "private", "RS256", "not accepted"),
        // The id of one key, the signature of another.
        (&restricted, "rsa", "RS256", "not accepted"),
    ] {
        let result = check(&verifier, &key.token(alg, kid, &claims)).await;
        assert_eq!(kind(&result), expected, "{kid} {alg}");
    }
}

#[tokio::test]
async fn signatures_that_other_libraries_accepted_are_refused() {
    let issuer = StandIn::start().await;
    let (p256, ed) = (Key::p256(), Key::ed25519());
    issuer.publish(&[p256.jwk("p256"), ed.jwk("ed")]);
    let verifier = jwt(issuer.provider());
    let good = p256.token("ES256", "p256", &issuer.claims());
    assert_eq!(outcome(&verifier, &good).await, "accepted");
    let (message, signature) = good.rsplit_once('.').unwrap();
    // CVE-2022-21449: r and s of zero, or of the order of the curve.
    let order = "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551";
    let order: Vec<u8> =
        (0..32).map(|at| u8::from_str_radix(&order[2 * at..2 * at + 2], 16).unwrap()).collect();
    for forged in [vec![0; 64], order.repeat(2), vec![0; 63], vec![], vec![0xff; 64]] {
        let token = format!("{message}.{}", b64(forged));
        assert_eq!(outcome(&verifier, &token).await, "not accepted");
    }
    // Another encoding of a valid signature is refused.
    for other in
        [format!("{good}="), format!("{message}.{signature}A"), format!("{message}.{signature}AA")]
    {
        assert_ne!(outcome(&verifier, &other).await, "accepted", "{other}");
    }
    // Other claims with a valid signature.
    let (header, _) = message.split_once('.').unwrap();
    let claims = b64(with(issuer.claims(), json!({"sub": "admin"})).to_string());
    let token = format!("{header}.{claims}.{signature}");
    assert_eq!(outcome(&verifier, &token).await, "not accepted");
}

#[tokio::test]
async fn key_ids_are_only_compared() {
    let (issuer, key, verifier) = issuing().await;
    for kid in [
        "../../dev/null",
        "k' UNION SELECT 'k",
        "| id",
        "http://localhost:1/k",
        "K",
        "k\0",
        " k",
        &"k".repeat(8000),
    ] {
        let result = check(&verifier, &key.token("EdDSA", kid, &issuer.claims())).await;
        assert_eq!(kind(&result), "not accepted", "{kid:.30}");
    }
    let header = json!({"alg": "EdDSA", "kid": ["k"]}).to_string();
    let token = key.token_of(&header, &issuer.claims().to_string());
    assert_eq!(outcome(&verifier, &token).await, "malformed");
    // Without a key id, each suitable key is tried.
    let header = json!({"alg": "EdDSA"}).to_string();
    let token = key.token_of(&header, &issuer.claims().to_string());
    assert_eq!(outcome(&verifier, &token).await, "accepted");
}

#[tokio::test]
async fn keys_and_tokens_of_another_issuer_are_refused() {
    let (issuer, other) = (StandIn::start().await, StandIn::start().await);
    let (ours, theirs) = (Key::rsa(), Key::rsa());
    issuer.publish(&[ours.jwk("k")]);
    other.publish(&[theirs.jwk("k")]);
    let verifier = jwt(issuer.provider());
    for (key, claims) in
        [(&theirs, issuer.claims()), (&theirs, other.claims()), (&ours, other.claims())]
    {
        let result = check(&verifier, &key.token("RS256", "k", &claims)).await;
        assert_eq!(kind(&result), "not accepted");
    }
    assert!(other.requests().is_empty(), "nobody asked the other issuer");
}

#[tokio::test]
async fn keys_in_the_token_and_links_to_them_are_ignored() {
    let (issuer, attacker) = (StandIn::start().await, StandIn::start().await);
    let (key, evil) = (Key::ed25519(), Key::ed25519());
    issuer.publish(&[key.jwk("k")]);
    attacker.publish(&[evil.jwk("k")]);
    let jwks = format!("{}/jwks", attacker.url);
    let verifier = jwt(issuer.provider());
    for extra in [
        json!({"jku": jwks}),
        json!({"x5u": jwks}),
        json!({"jwk": evil.jwk("k")}),
        json!({"x5c": ["MIIB"], "x5t": "x", "x5t#S256": "x"}),
    ] {
        let header = with(json!({"alg": "EdDSA", "kid": "k"}), extra.clone()).to_string();
        let claims = issuer.claims().to_string();
        assert_eq!(
            outcome(&verifier, &evil.token_of(&header, &claims)).await,
            "not accepted",
            "{extra}"
        );
        assert_eq!(
            outcome(&verifier, &key.token_of(&header, &claims)).await,
            "accepted",
            "{extra}"
        );
    }
    assert!(attacker.requests().is_empty());
}

#[tokio::test]
async fn critical_header_parameters_are_refused() {
    let (issuer, key, verifier) = issuing().await;
    for crit in [json!(["exp"]), json!(["b64"]), json!([]), json!("b64"), json!(null)] {
        let header = format!(r#"{{"alg":"EdDSA","kid":"k","b64":false,"crit":{crit}}}"#);
        let token = key.token_of(&header, &issuer.claims().to_string());
        assert_eq!(outcome(&verifier, &token).await, "not accepted", "{crit}");
    }
}

#[tokio::test]
async fn types_of_other_tokens_are_refused() {
    let (issuer, key, verifier) = issuing().await;
    for (typ, expected) in [
        ("at+jwt", "accepted"),
        ("AT+JWT", "accepted"),
        ("application/at+jwt", "accepted"),
        ("JWT", "accepted"),
        ("logout+jwt", "not accepted"),
        ("dpop+jwt", "not accepted"),
        ("secevent+jwt", "not accepted"),
        ("token-introspection+jwt", "not accepted"),
        ("application/application/jwt", "not accepted"),
        ("", "not accepted"),
    ] {
        let header = json!({"alg": "EdDSA", "kid": "k", "typ": typ}).to_string();
        let token = key.token_of(&header, &issuer.claims().to_string());
        assert_eq!(outcome(&verifier, &token).await, expected, "{typ:?}");
    }
}

#[tokio::test]
async fn a_token_that_may_be_an_id_token_is_refused() {
    let (issuer, key, verifier) = issuing().await;
    let bare = with(issuer.claims(), json!({"scope": null, "client_id": null, "azp": "front-end"}));
    for (typ, changes, expected) in [
        (Some("JWT"), json!({}), "not accepted"),
        (None, json!({}), "not accepted"),
        (Some("at+jwt"), json!({}), "accepted"),
        (Some("JWT"), json!({"scope": "webhooks"}), "accepted"),
        (None, json!({"scp": ["webhooks"]}), "accepted"),
        (None, json!({"client_id": "front-end"}), "accepted"),
        (Some("JWT"), json!({"typ": "Bearer"}), "accepted"),
        (Some("JWT"), json!({"uid": "x"}), "accepted"),
        (Some("at+jwt"), json!({"typ": "ID"}), "not accepted"),
        (Some("JWT"), json!({"scope": "openid", "at_hash": "x"}), "not accepted"),
    ] {
        let header = with(json!({"alg": "EdDSA", "kid": "k", "typ": "x"}), json!({"typ": typ}));
        let claims = with(bare.clone(), changes.clone()).to_string();
        let token = key.token_of(&header.to_string(), &claims);
        assert_eq!(outcome(&verifier, &token).await, expected, "{typ:?} {changes}");
    }
}

#[tokio::test]
async fn duplicate_members_are_refused() {
    let (issuer, key, verifier) = issuing().await;
    let (header, claims) = (r#"{"alg":"EdDSA","kid":"k"}"#, issuer.claims().to_string());
    assert_eq!(outcome(&verifier, &key.token_of(header, &claims)).await, "accepted");
    let rest = claims.strip_prefix('{').unwrap();
    for twice in
        [r#""sub":"admin""#, r#""s\u0075b":"admin""#, r#""exp":9999999999"#, r#""aud":"portreeve""#]
    {
        let token = key.token_of(header, &format!("{{{twice},{rest}"));
        assert_eq!(outcome(&verifier, &token).await, "malformed", "{twice}");
    }
    for twice in
        [r#"{"alg":"none","alg":"EdDSA","kid":"k"}"#, r#"{"alg":"EdDSA","kid":"x","kid":"k"}"#]
    {
        assert_eq!(outcome(&verifier, &key.token_of(twice, &claims)).await, "malformed", "{twice}");
    }
}

#[tokio::test]
async fn huge_and_deep_tokens_are_refused_quickly() {
    let (issuer, key, verifier) = issuing().await;
    let padded = |size: usize| with(issuer.claims(), json!({"pad": "x".repeat(size)}));
    assert_eq!(outcome(&verifier, &key.token("EdDSA", "k", &padded(8_000))).await, "accepted");
    assert_eq!(outcome(&verifier, &key.token("EdDSA", "k", &padded(20_000))).await, "malformed");
    assert_eq!(outcome(&verifier, &"x".repeat(10_000_000)).await, "malformed");

    let header = r#"{"alg":"EdDSA","kid":"k"}"#;
    for deep in [
        "[".repeat(5_000),
        "{\"a\":".repeat(2_000),
        format!("{}1{}", "[".repeat(200), "]".repeat(200)),
    ] {
        let claims = issuer.claims().to_string();
        let claims = format!("{{\"deep\":{deep},{}", &claims[1..]);
        assert_eq!(outcome(&verifier, &key.token_of(header, &claims)).await, "malformed");
        let header = format!("{{\"deep\":{deep}}}");
        assert_eq!(outcome(&verifier, &key.token_of(&header, "{}")).await, "malformed");
    }
}

#[tokio::test]
async fn a_token_that_is_not_a_jwt_is_malformed() {
    let (issuer, key, verifier) = issuing().await;
    let good = key.token("EdDSA", "k", &issuer.claims());
    let jwe = format!("{good}.AAAA.AAAA");
    let text = b64("text");
    for token in [
        "opaque",
        ".",
        "..",
        "a.b",
        "a.b.c",
        &jwe,
        &format!("{text}.{text}.{text}"),
        &good.replace('.', "~"),
        &format!(".{good}"),
    ] {
        assert_eq!(outcome(&verifier, token).await, "malformed", "{token:.40}");
    }
    for (header, claims) in [
        ("[]", "{}"),
        ("{}", "[]"),
        ("null", "null"),
        ("{\"alg\":\"EdDSA\"} x", "{}"),
        ("\u{feff}{}", "{}"),
    ] {
        assert_eq!(outcome(&verifier, &key.token_of(header, claims)).await, "malformed");
    }
    assert!(issuer.requests().is_empty(), "none of those was worth a fetch");
}

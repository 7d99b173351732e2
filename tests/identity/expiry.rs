//! Static tokens with an expiry (docs/IDENTITY.md, "Static tokens").

use std::fs;
use std::time::{Duration, SystemTime};

use portreeve::identity::{
    CacheLimits, ClientCredentials, IntrospectionEndpoint, IntrospectionVerifier, Requirements,
    StaticTokens, TokensFile, TokensFileError, Verifiers,
};
use portreeve::outbound::{HttpUrl, PlainHttp};
use tokio::time::sleep;

use crate::support::changed;
use crate::support::issuer::{Answer, StandIn, check, client, kind, outcome};

const PATH: &str = "/introspect";

fn in_a_while(time: Duration) -> SystemTime {
    SystemTime::now() + time
}

#[tokio::test]
async fn a_token_is_refused_from_its_expiry_on() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tokens");
    let file = TokensFile::new(&path);
    let end = in_a_while(Duration::from_millis(1200));
    let short = file.new_token("alice", ["apps"], Some(end)).unwrap();
    let long =
        file.new_token("bob", [], Some(in_a_while(Duration::from_secs(90 * 86_400)))).unwrap();
    let endless = file.new_token("carol", [], None).unwrap();
    // Not earlier than asked for, and less than a second later.
    let written = short.record.expires_at.unwrap();
    assert!(written >= end && written < end + Duration::from_secs(1));
    let tokens = StaticTokens::open(&path).unwrap();
    let caller = check(&tokens, short.token.expose()).await.unwrap();
    assert_eq!(caller.expires_at, Some(written));
    assert!(caller.has_scope("apps") && caller.scopes().count() == 1);

    // Checked all the time, so that a cached result would be fresh.
    while SystemTime::now() < written {
        let result = check(&tokens, short.token.expose()).await;
        if SystemTime::now() < written {
            assert_eq!(kind(&result), "accepted");
        }
        sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(outcome(&tokens, short.token.expose()).await, "expired");
    for other in [&long, &endless] {
        assert_eq!(outcome(&tokens, other.token.expose()).await, "accepted");
    }
    assert_eq!(file.list().unwrap(), [short.record, long.record, endless.record]);
}

/// With an identity provider there is a cache, and unknown tokens are introspected.
#[tokio::test]
async fn an_expired_token_is_neither_cached_nor_sent_to_a_provider() {
    let issuer = StandIn::start().await;
    let answer = r#"{"active":true,"sub":"mallory","aud":"portreeve"}"#;
    issuer.set(PATH, Answer::text(200, answer));
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tokens");
    let file = TokensFile::new(&path);
    let end = in_a_while(Duration::from_millis(600));
    let made = file.new_token("alice", [], Some(end)).unwrap();
    // A token that the operator chose has no `prt_` prefix.
    let chosen = "chosen-by-hand";
    let digest: String = <sha2::Sha256 as sha2::Digest>::digest(chosen)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let written = made.record.expires_at.unwrap();
    let line = format!(
        "byhand {digest} 2026-01-31T09:30:00Z alice expires={}\n",
        humantime::format_rfc3339_seconds(written)
    );
    fs::write(&path, fs::read_to_string(&path).unwrap() + &line).unwrap();

    let url = HttpUrl::endpoint(&format!("{}{PATH}", issuer.url), PlainHttp::Loopback).unwrap();
    let credentials =
        ClientCredentials { id: "gateway".into(), secret: "secret".to_owned().into() };
    let requirements = Requirements::for_audience("portreeve");
    let introspection = IntrospectionVerifier::new(
        client(),
        IntrospectionEndpoint::Url(url),
        &credentials,
        [],
        requirements,
    )
    .unwrap();
    let tokens = StaticTokens::open(&path).unwrap();
    let limits = changed(CacheLimits::default(), |it| it.ttl = Duration::from_secs(3600));
    let mut verifiers = Verifiers::new(limits);
    (verifiers.static_tokens, verifiers.introspection) = (Some(tokens), Some(introspection));
    for token in [made.token.expose(), chosen] {
        assert_eq!(check(&verifiers, token).await.unwrap().name(), "alice");
    }
    let left = written.duration_since(SystemTime::now()).unwrap_or_default();
    sleep(left + Duration::from_millis(2)).await;
    for token in [made.token.expose(), chosen] {
        assert_eq!(outcome(&verifiers, token).await, "expired");
    }
    assert!(issuer.requests().is_empty());
}

#[test]
fn the_previous_version_reads_an_expiry_as_a_scope() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tokens");
    let file = TokensFile::new(&path);
    let end = in_a_while(Duration::from_secs(60));
    let made = file.new_token("a b", ["x"], Some(end)).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let line = text.lines().last().unwrap();
    // Its grammar: id, digest, time, user, and then scopes of RFC 6749.
    let fields: Vec<_> = line.split(' ').collect();
    assert_eq!((fields.len(), fields[3], fields[5]), (6, "a%20b", "x"));
    assert!(portreeve::identity::is_scope(fields[4]));
    assert!(fields[4].starts_with("expires=2"), "{line}");
    // And it is found again by its id.
    assert_eq!(file.revoke(&made.record.id).unwrap(), made.record);
}

#[test]
fn an_invalid_expiry_is_an_error_and_not_a_scope() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tokens");
    let digest = "0".repeat(64);
    for (fields, said) in [
        ("expires=tomorrow", "its expiry is not like"),
        ("expires=", "its expiry is not like"),
        ("expires=2026-01-31T09:30:00Z expires=2027-01-31T09:30:00Z", "more than one expiry"),
    ] {
        let line = format!("a {digest} 2026-01-31T09:30:00Z alice {fields}\n");
        fs::write(&path, line).unwrap();
        let error = StaticTokens::open(&path).unwrap_err().to_string();
        assert!(error.contains(said) && error.contains("line 1"), "{error}");
    }
    fs::remove_file(&path).unwrap();
    let file = TokensFile::new(&path);
    let error = file.new_token("alice", ["expires=2099-01-01T00:00:00Z"], None);
    assert!(matches!(error, Err(TokensFileError::Scope(_))), "{error:?}");
    let far = in_a_while(Duration::from_secs(10_000 * 365 * 86_400));
    for end in [SystemTime::now(), SystemTime::UNIX_EPOCH, far] {
        let error = file.new_token("alice", [], Some(end));
        assert!(matches!(error, Err(TokensFileError::Expiry(_))), "{error:?}");
    }
    assert!(!path.exists());
}

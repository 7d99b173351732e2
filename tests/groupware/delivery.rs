//! Delivery credentials and the layer that checks them (docs/API.md, section 4.5).

use http::{Request, Response, StatusCode};
use portreeve::groupware::{CheckDeliveryLayer, DeliveryAuth, DeliveryAuthError, SharedOrigin};
use tower::{Layer as _, ServiceExt as _, service_fn};

use crate::support::nextcloud::RecordedDelivery;
use crate::support::nextcloud::Release::{V32, V34};

fn shared(origins: &[&str]) -> DeliveryAuth {
    let origins = origins.iter().map(|origin| origin.parse().unwrap()).collect();
    DeliveryAuth::shared("the-secret".into(), origins).unwrap()
}

#[test]
fn a_derived_credential_is_hmac_sha256_in_base64url() {
    let value = |secret: &str, uri: &str| {
        let auth = DeliveryAuth::derived(secret.into()).unwrap();
        auth.authorization_for(uri).expose().to_owned()
    };
    // RFC 4231, test case 2.
    assert_eq!(
        value("Jefe", "what do ya want for nothing?"),
        "Bearer W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM"
    );
    assert_ne!(value("key", "https://a.example"), value("key", "https://a.example/"));
    assert_ne!(value("key", "https://a.example"), value("kez", "https://a.example"));
}

#[test]
fn the_shared_secret_is_sent_only_to_listed_origins() {
    let auth = shared(&["http://good:8080", "https://hooks.example.org"]);
    let derived = DeliveryAuth::derived("the-secret".into()).unwrap();
    for uri in [
        "http://good:8080",
        "http://good:8080/",
        "http://good:8080/a%20b?x=[1]#y",
        "http://good:8080?x",
        "http://good:8080#x",
        "https://hooks.example.org/files",
    ] {
        assert_eq!(auth.authorization_for(uri).expose(), "Bearer the-secret", "{uri}");
    }
    for uri in [
        "",
        "http://good",
        "http://good:80801/",
        "http://good:8080@evil.example/",
        "http://good:8080:@evil.example/",
        "http://good:8080.evil.example/",
        "http://good:8080\\@evil.example/",
        "http://good:8080/\\..\\evil",
        "http://good:8080/\t",
        "http://good:8080/\n",
        "http://good:8080/ x",
        "http://good:8080/%",
        "http://good:8080/%0g",
        "http://good:8080/é",
        " http://good:8080/",
        "HTTP://good:8080/",
        "http://GOOD:8080/",
        "http://user@good:8080/",
        "http://good:8081/",
        "https://good:8080/",
        "https://hooks.example.org.evil.example/",
        "https://hooks.example.orgevil/",
        "https://hooks.example.org:8443/",
        "https://hooks.example.org@evil.example/",
        "//hooks.example.org/",
    ] {
        let sent = auth.authorization_for(uri);
        assert_eq!(sent.expose(), derived.authorization_for(uri).expose(), "{uri}");
        assert!(!sent.expose().contains("the-secret"), "{uri}");
    }
}

#[test]
fn invalid_settings_are_refused() {
    assert_eq!(DeliveryAuth::derived("".into()).err(), Some(DeliveryAuthError::Empty));
    for secret in ["two words", "new\nline", "schlüssel"] {
        let fault = DeliveryAuth::shared(secret.into(), Vec::new()).err();
        assert_eq!(fault, Some(DeliveryAuthError::NotVisible), "{secret}");
        assert!(DeliveryAuth::derived(secret.into()).is_ok());
    }
    for origin in [
        "",
        "good",
        "ftp://good",
        "http://",
        "http://good/",
        "http://good/path",
        "http://a@b",
        "http://good?",
        "http://go od",
        "http://good:8080:1",
        "http://good\\",
    ] {
        let fault = origin.parse::<SharedOrigin>();
        assert_eq!(fault, Err(DeliveryAuthError::Origin), "{origin}");
    }
}

#[test]
fn debug_shows_no_secret() {
    let auth = shared(&["http://good:8080"]);
    let layer = CheckDeliveryLayer::shared(&"the-secret".into());
    let shown = format!("{auth:?} {:?} {layer:?}", auth.authorization_for("http://good:8080"));
    assert!(!shown.contains("the-secret"), "{shown}");
}

async fn status(layer: &CheckDeliveryLayer, fields: &[&str]) -> StatusCode {
    let receiver = layer.layer(service_fn(async |_: Request<String>| {
        Ok::<_, std::convert::Infallible>(Response::new("accepted".to_owned()))
    }));
    let mut request = Request::post("/hook");
    for field in fields {
        request = request.header("Authorization", *field);
    }
    let answer = receiver.oneshot(request.body(String::new()).unwrap()).await.unwrap();
    assert_eq!(answer.body() == "accepted", answer.status() == StatusCode::OK);
    answer.status()
}

#[tokio::test]
async fn a_receiver_accepts_what_the_gateway_registered() {
    let uri = "https://hooks.example.org/files";
    let auth = DeliveryAuth::derived("key".into()).unwrap();
    let sent = auth.authorization_for(uri);
    for layer in
        [CheckDeliveryLayer::derived(&"key".into(), uri), CheckDeliveryLayer::credential(&sent)]
    {
        assert_eq!(status(&layer, &[sent.expose()]).await, StatusCode::OK);
        let other = auth.authorization_for("https://hooks.example.org/other");
        for fields in [
            &[][..],
            &[""],
            &["Bearer"],
            &[other.expose()],
            &[&sent.expose()[1..]],
            &[&format!("{}=", sent.expose())],
            &[sent.expose(), sent.expose()],
        ] {
            assert_eq!(status(&layer, fields).await, StatusCode::UNAUTHORIZED, "{fields:?}");
        }
    }
}

#[tokio::test]
async fn recorded_deliveries_pass_and_others_do_not() {
    // As the real server sends authData {"Authorization": "Bearer x"}.
    let layer = CheckDeliveryLayer::shared(&"x".into());
    for (version, name, expected) in [
        (V32, "delivery-node-created-auth-header", StatusCode::OK),
        (V32, "delivery-node-written-auth-header", StatusCode::OK),
        (V32, "delivery-headers-override", StatusCode::OK),
        (V32, "delivery-node-created-auth-none", StatusCode::UNAUTHORIZED),
        (V34, "delivery-node-created-auth-header", StatusCode::OK),
        (V34, "delivery-node-created-token-needed", StatusCode::UNAUTHORIZED),
    ] {
        assert!(version.has(name));
        let recording = RecordedDelivery::of(version, name);
        let fields = recording.request.headers.iter();
        let fields = fields.filter(|(name, _)| name.eq_ignore_ascii_case("authorization"));
        let fields: Vec<_> = fields.map(|(_, value)| &**value).collect();
        assert_eq!(status(&layer, &fields).await, expected, "{name}");
    }
}

#[tokio::test]
async fn a_delivery_with_tokens_for_users_reaches_the_receiver_unchanged() {
    let recording = RecordedDelivery::of(V34, "delivery-node-created-token-needed");
    let body = recording.request.body;
    let service = CheckDeliveryLayer::shared(&"x".into()).layer(service_fn(
        async |request: Request<String>| {
            Ok::<_, std::convert::Infallible>(Response::new(request.into_body()))
        },
    ));
    let request = Request::post("/created-tokens")
        .header("Authorization", "Bearer x")
        .body(body.clone())
        .unwrap();
    let received = service.oneshot(request).await.unwrap().into_body();
    assert_eq!(received, body);
    let event: serde_json::Value = serde_json::from_str(&received).unwrap();
    let authentication = &event["authentication"];
    assert_eq!(authentication["trigger"]["userId"], "alice");
    assert_eq!(authentication["user_ids"]["bob"]["token"].as_str().map(str::len), Some(29));
}

//! Delivery credentials, from the create request to the receiver's check (docs/API.md, section
//! 4.5).

use http::{Request, StatusCode};
use portreeve::groupware::{CheckDeliveryLayer, DeliveryAuth};
use secrecy::SecretString;
use serde_json::Value;
use tower::{ServiceBuilder, ServiceExt as _, service_fn};

use crate::support::gateway::{TestGateway, set};
use crate::support::nextcloud::Nextcloud;

const SECRET: &str = "the-delivery-secret";

/// Creates a webhook for each address; returns the credential that the groupware server is
/// to send there.
async fn authorizations(auth: DeliveryAuth, uris: &[&str]) -> Vec<String> {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-create-auth-header");
    let change = set(|settings| settings.delivery = Some(auth));
    let gateway = TestGateway::with(nextcloud.url(), change).await;
    for uri in uris {
        let body = serde_json::json!({"event": "e", "uri": uri}).to_string();
        assert_eq!(gateway.call("admin", "POST", "/api/v1/webhooks", &body).await.status, 200);
    }
    let values = nextcloud.seen().into_iter().map(|seen| {
        let sent: Value = serde_json::from_slice(&seen.body).unwrap();
        assert_eq!(sent["authMethod"], "header");
        assert_eq!(sent["authData"].as_object().unwrap().len(), 1);
        sent["authData"]["Authorization"].as_str().unwrap().to_owned()
    });
    values.collect()
}

#[tokio::test]
async fn api_4_5_each_destination_learns_only_its_own_derived_value() {
    let auth = DeliveryAuth::derived(SecretString::from(SECRET)).unwrap();
    let uris = ["https://a.example/", "https://b.example/", "https://a.example/", "x"];
    let sent = authorizations(auth, &uris).await;
    // HMAC-SHA256 of the address under the secret, by OpenSSL.
    assert_eq!(sent[0], "Bearer zWFhmlKR7qPHWZNqtjuu6rF1RYi-4Min0CIoJI8Mnhw");
    assert_eq!(sent[0], sent[2]);
    assert_ne!(sent[0], sent[1]);
    assert!(sent.iter().all(|value| !value.contains(SECRET)));
}

#[tokio::test]
async fn api_4_5_the_secret_is_shared_only_with_listed_origins() {
    let origins =
        vec!["http://good.example:8080".parse().unwrap(), "https://hooks.example".parse().unwrap()];
    let auth = DeliveryAuth::shared(SecretString::from(SECRET), origins).unwrap();
    let good = [
        "http://good.example:8080",
        "http://good.example:8080/",
        "http://good.example:8080/hook?a=b",
        "http://good.example:8080?a",
        "https://hooks.example#x",
    ];
    let evil = [
        "http://good.example:8080@evil.example/",
        "http://good.example:8080\\@evil.example/",
        "http://good.example:80801/",
        "http://good.example:8080.evil.example/",
        "http://good.example/",
        "http://GOOD.example:8080/",
        "https://good.example:8080/",
        "https://user@hooks.example/",
        "https://hooks.example.evil/",
        "https://hooks.example/\\@evil.example",
        "https://hooks.example/\n@evil.example",
        "https://hooks.example/ ",
        " https://hooks.example/",
        "https://hooks.example\t/",
        "https://hooks.example/\u{e9}",
        "https:/hooks.example/",
        "//hooks.example/",
    ];
    let uris: Vec<_> = good.iter().chain(&evil).copied().collect();
    let sent = authorizations(auth, &uris).await;
    for (uri, sent) in uris.iter().zip(sent) {
        let shared = sent == format!("Bearer {SECRET}");
        assert_eq!(shared, good.contains(uri), "{uri:?}: {sent}");
    }
}

#[tokio::test]
async fn api_4_5_a_receiver_accepts_the_credential_of_a_created_webhook() {
    let uri = "https://hooks.example.org/new?x=\u{e9}";
    let auth = DeliveryAuth::derived(SecretString::from(SECRET)).unwrap();
    let sent = authorizations(auth, &[uri]).await.remove(0);
    let receiver = ServiceBuilder::new()
        .layer(CheckDeliveryLayer::derived(&SecretString::from(SECRET), uri))
        .service(service_fn(async |_: Request<()>| {
            Ok::<_, std::convert::Infallible>(http::Response::new(()))
        }));
    for (field, status) in [
        (Some(sent.as_str()), StatusCode::OK),
        (Some("Bearer the-delivery-secret"), StatusCode::UNAUTHORIZED),
        (None, StatusCode::UNAUTHORIZED),
    ] {
        let mut request = Request::post("/new");
        if let Some(field) = field {
            request = request.header("authorization", field);
        }
        let answer = receiver.clone().oneshot(request.body(()).unwrap()).await.unwrap();
        assert_eq!(answer.status(), status, "{field:?}");
    }
}

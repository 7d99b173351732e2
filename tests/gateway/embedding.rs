//! The gateway as a `tower::Service` in somebody else's server.

use axum::Router;
use axum::body::Body;
use axum::routing::get;
use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Empty, Full, StreamBody};
use portreeve::gateway::Gateway;
use portreeve::groupware::Groupware;
use portreeve::identity::{StaticTokens, TokensFile};
use portreeve::vault::{AppPassword, Keyring, MemoryStore, Vault};
use tower::{Service, ServiceExt as _};

use crate::support::gateway::PASSWORD;
use crate::support::nextcloud::Nextcloud;

struct Made {
    gateway: Gateway<StaticTokens, MemoryStore>,
    token: String,
    _dir: tempfile::TempDir,
}

async fn make(nextcloud: &Nextcloud) -> Made {
    let dir = tempfile::tempdir().unwrap();
    let tokens = TokensFile::new(dir.path().join("tokens"));
    let token = tokens
        .new_token("admin", [])
        .unwrap()
        .token
        .expose()
        .to_owned();
    let vault = Vault::new(Keyring::generate().unwrap(), MemoryStore::new());
    vault
        .put("admin", "admin", &AppPassword::new(PASSWORD).unwrap())
        .await
        .unwrap();
    let groupware = Groupware::builder(nextcloud.url().parse().unwrap());
    let gateway = Gateway::new(StaticTokens::open(tokens.path()).unwrap(), vault)
        .groupware(groupware.build().unwrap());
    Made {
        gateway,
        token,
        _dir: dir,
    }
}

#[tokio::test]
async fn mounts_in_axum_beside_other_routes() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-admin");
    let made = make(&nextcloud).await;
    let app: Router = Router::new()
        .route("/about", get(async || "mine"))
        .fallback_service(made.gateway.into_service());

    let request = Request::get("/about").body(Body::empty()).unwrap();
    let answer = app.clone().oneshot(request).await.unwrap();
    assert_eq!(
        answer.into_body().collect().await.unwrap().to_bytes(),
        "mine"
    );

    let request =
        Request::get("/api/v1/webhooks").header("authorization", format!("Bearer {}", made.token));
    let answer = app
        .clone()
        .oneshot(request.body(Body::empty()).unwrap())
        .await
        .unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    assert!(body.starts_with(b"{\"webhooks\":["));

    let request = Request::get("/api/v1/webhooks")
        .body(Body::empty())
        .unwrap();
    assert_eq!(
        app.oneshot(request).await.unwrap().status(),
        StatusCode::UNAUTHORIZED
    );
}

#[tokio::test]
async fn takes_any_kind_of_request_body() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-create-minimal-admin");
    let made = make(&nextcloud).await;
    let (gateway, token) = (made.gateway, made.token);
    let body = r#"{"event":"e","uri":"u"}"#;
    let request =
        || Request::post("/api/v1/webhooks").header("authorization", format!("Bearer {token}"));

    let frames = body
        .as_bytes()
        .chunks(3)
        .map(|chunk| Ok::<_, std::io::Error>(http_body::Frame::data(chunk)));
    let streamed = StreamBody::new(futures_util::stream::iter(frames.collect::<Vec<_>>()));
    let mut service = gateway.into_service();
    // A service that was polled ready may be called, and polled and called again.
    for _ in 0..2 {
        service.ready().await.unwrap();
    }
    let answer = service
        .call(request().body(streamed).unwrap())
        .await
        .unwrap();
    assert_eq!(answer.status(), StatusCode::OK);

    for (body, status) in [(body, StatusCode::OK), ("[]", StatusCode::BAD_REQUEST)] {
        let made = make(&nextcloud).await;
        let request = Request::post("/api/v1/webhooks")
            .header("authorization", format!("Bearer {}", made.token));
        let answer = made
            .gateway
            .into_service()
            .oneshot(request.body(Full::<Bytes>::from(body)).unwrap())
            .await
            .unwrap();
        assert_eq!(answer.status(), status);
    }

    let made = make(&nextcloud).await;
    let request = Request::get("/api/v1/apps")
        .body(Empty::<&[u8]>::new())
        .unwrap();
    let answer = made.gateway.into_service().oneshot(request).await.unwrap();
    assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
}

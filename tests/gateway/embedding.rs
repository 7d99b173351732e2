//! The gateway as a `tower::Service` in another program's server.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::routing::get;
use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Empty, Full, StreamBody};
use portreeve::gateway::layer::account::{AccountLayer, Authenticated};
use portreeve::gateway::layer::bearer::BearerLayer;
use portreeve::gateway::layer::error_mapper::ErrorMapperLayer;
use portreeve::gateway::layer::fairness::PerCallerLimitLayer;
use portreeve::gateway::layer::shared_key::SharedKeyLayer;
use portreeve::gateway::{
    AnswerBody, Error, Gateway, IncompleteError, PageLogin, Refusal, Settings,
};
use portreeve::groupware::Groupware;
use portreeve::identity::{StaticTokens, TokensFile};
use portreeve::vault::{AppPassword, Keyring, MemoryStore, Vault};
use tower::timeout::TimeoutLayer;
use tower::util::BoxCloneSyncService;
use tower::{BoxError, Service, ServiceBuilder, ServiceExt as _};

use crate::support::gateway::PASSWORD;
use crate::support::nextcloud::Nextcloud;

struct Made {
    gateway: Gateway<StaticTokens>,
    token: String,
    _dir: tempfile::TempDir,
}

async fn make(nextcloud: &Nextcloud) -> Made {
    let dir = tempfile::tempdir().unwrap();
    let tokens = TokensFile::new(dir.path().join("tokens"));
    let token = tokens.new_token("admin", [], None).unwrap().token.expose().to_owned();
    let vault = Vault::new(Keyring::generate().unwrap(), MemoryStore::new());
    vault.put("admin", "admin", &AppPassword::new(PASSWORD).unwrap()).await.unwrap();
    let groupware = Groupware::new(nextcloud.url().parse().unwrap(), Default::default());
    let gateway = Gateway::new(StaticTokens::open(tokens.path()).unwrap(), vault)
        .groupware(groupware.unwrap());
    Made { gateway, token, _dir: dir }
}

#[tokio::test]
async fn the_gateway_mounts_in_axum_beside_other_routes() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-admin");
    let made = make(&nextcloud).await;
    let gateway = made.gateway.into_service().unwrap();
    let app: Router = Router::new()
        .route("/about", get(async || "mine"))
        .nest_service("/gate", gateway.clone())
        .route_service("/api/v1/{*path}", gateway);

    for (path, status, body) in [
        ("/about", 200, "mine"),
        // Unknown paths stay those of the router.
        ("/nowhere", 404, ""),
        ("/api/v1", 404, ""),
    ] {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let answer = app.clone().oneshot(request).await.unwrap();
        assert_eq!(answer.status(), status, "{path}");
        let received = answer.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(received, body, "{path}");
    }

    for path in ["/api/v1/webhooks", "/gate/api/v1/webhooks"] {
        let request = Request::get(path).header("authorization", format!("Bearer {}", made.token));
        let request = request.body(Body::empty()).unwrap();
        let answer = app.clone().oneshot(request).await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        assert!(body.starts_with(b"{\"webhooks\":["));
    }

    let request = Request::get("/api/v1/webhooks").body(Body::empty()).unwrap();
    assert_eq!(app.oneshot(request).await.unwrap().status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test(start_paused = true)]
async fn api_7_creating_a_webhook_at_a_server_that_hangs_takes_one_timeout() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.holds();
    let made = make(&nextcloud).await;
    let body =
        r#"{"event": "OCP\\Files\\Events\\Node\\NodeCreatedEvent", "uri": "https://a.example/"}"#;
    let request = Request::post("/api/v1/webhooks")
        .header("authorization", format!("Bearer {}", made.token))
        .body(Full::<Bytes>::from(body))
        .unwrap();
    let began = tokio::time::Instant::now();
    let answer = made.gateway.into_service().unwrap().oneshot(request).await.unwrap();
    assert_eq!(answer.status(), StatusCode::INTERNAL_SERVER_ERROR);
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    let text = String::from_utf8_lossy(&body);
    assert!(text.contains("did not answer in time"), "{text}");
    // The question for the version took five of them.
    assert_eq!(began.elapsed().as_secs(), 30);
    assert_eq!(nextcloud.all_seen().len(), 2);
}

#[tokio::test]
async fn a_page_that_nobody_could_log_in_on_is_an_error() {
    let nextcloud = Nextcloud::start().await;
    let code = PageLogin::Code { client_id: "page".into(), scope: "openid".into() };
    for (login, public_url, error) in [
        (PageLogin::Paste, None, IncompleteError::NoPageAddress),
        (code, Some("https://example.org"), IncompleteError::NoProvider),
    ] {
        let mut settings = Settings::default();
        settings.page = Some(login);
        settings.public_url = public_url.map(|url| url.parse().unwrap());
        let gateway = make(&nextcloud).await.gateway.settings(settings);
        assert_eq!(gateway.into_service::<Empty<Bytes>>().map(drop), Err(error));
    }
}

/// What a struct can hold.
struct Held(BoxCloneSyncService<Request<Body>, Response<AnswerBody>, Infallible>);

#[tokio::test]
async fn the_resource_metadata_of_a_gateway_below_a_prefix_is_a_route_of_its_own() {
    let made = make(&Nextcloud::start().await).await;
    let mut settings = Settings::default();
    settings.public_url = Some("https://example.org/gate".parse().unwrap());
    let gateway = made.gateway.settings(settings).into_service().unwrap();
    let Held(gateway) = Held(BoxCloneSyncService::new(gateway));
    let metadata = "/.well-known/oauth-protected-resource/gate";
    let app: Router =
        Router::new().route_service(metadata, gateway.clone()).nest_service("/gate", gateway);
    let call = async |path: &str| {
        let request = Request::get(path).body(Body::empty()).unwrap();
        app.clone().oneshot(request).await.unwrap()
    };
    let refused = call("/gate/api/v1/apps").await;
    let challenge = refused.headers()["www-authenticate"].to_str().unwrap();
    assert!(challenge.contains(&format!("\"https://example.org{metadata}\"")));
    assert_eq!(call(metadata).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn the_gateway_accepts_any_type_of_request_body() {
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
    let mut service = gateway.into_service().unwrap();
    // A service that was polled ready may be called, and polled and called again.
    for _ in 0..2 {
        service.ready().await.unwrap();
    }
    let answer = service.call(request().body(streamed).unwrap()).await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);

    for (body, status) in [(body, StatusCode::OK), ("[]", StatusCode::BAD_REQUEST)] {
        let made = make(&nextcloud).await;
        let request = Request::post("/api/v1/webhooks")
            .header("authorization", format!("Bearer {}", made.token));
        let answer = made
            .gateway
            .into_service()
            .unwrap()
            .oneshot(request.body(Full::<Bytes>::from(body)).unwrap())
            .await
            .unwrap();
        assert_eq!(answer.status(), status);
    }

    let made = make(&nextcloud).await;
    let request = Request::get("/api/v1/apps").body(Empty::<&[u8]>::new()).unwrap();
    let answer = made.gateway.into_service().unwrap().oneshot(request).await.unwrap();
    assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
}

/// An embedder's own layer, between authentication and decoding.
#[derive(Clone)]
struct Quota<S> {
    inner: S,
    seen: Arc<Mutex<Vec<String>>>,
}

impl<S, B> Service<Authenticated<Request<B>>> for Quota<S>
where
    S: Service<Authenticated<Request<B>>, Error = Error>,
    S::Response: 'static,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Authenticated<Request<B>>) -> Self::Future {
        let what = request.request().uri().path().to_owned();
        let who = request.principal().key();
        self.seen.lock().unwrap().push(format!("{who} {what}"));
        if what == "/api/v1/apps" {
            let refusal = Refusal::new(StatusCode::PAYMENT_REQUIRED, "Payment required", "No apps")
                .with_retry_after(Duration::from_millis(1500));
            return Box::pin(async move { Err(refusal.into()) });
        }
        Box::pin(self.inner.call(request))
    }
}

#[tokio::test]
async fn a_custom_layer_sees_the_caller_and_refuses_in_the_same_format() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-admin");
    let made = make(&nextcloud).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let outer = seen.clone();
    let service = made
        .gateway
        .layer(tower::layer::layer_fn(move |inner| Quota { inner, seen: outer.clone() }))
        .into_service()
        .unwrap();
    let call = |path: &str, token: &str| {
        let request = Request::get(path).header("authorization", format!("Bearer {token}"));
        service.clone().oneshot(request.body(Empty::<Bytes>::new()).unwrap())
    };

    let refused = call("/api/v1/apps", &made.token).await.unwrap();
    assert_eq!(refused.status(), StatusCode::PAYMENT_REQUIRED);
    assert_eq!(refused.headers()["retry-after"], "2");
    assert!(refused.headers().contains_key("x-request-id"));
    let body = refused.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(body, r#"{"error":"Payment required","message":"No apps"}"#);
    let passed = call("/api/v1/webhooks", &made.token).await.unwrap();
    assert_eq!(passed.status(), StatusCode::OK);
    // Unauthenticated requests do not reach the layer; unknown paths do, since routing comes later.
    let unknown = call("/api/v1/webhooks", "wrong").await.unwrap();
    assert_eq!(unknown.status(), StatusCode::UNAUTHORIZED);
    let missing = call("/nowhere", &made.token).await.unwrap();
    assert_eq!(missing.status(), StatusCode::NOT_FOUND);
    assert_eq!(
        *seen.lock().unwrap(),
        ["admin /api/v1/apps", "admin /api/v1/webhooks", "admin /nowhere"]
    );
    // No call was made for refused requests.
    assert_eq!(nextcloud.seen().len(), 1);
}

#[tokio::test]
async fn the_error_mapper_works_over_an_axum_router() {
    let slow = Router::new()
        .route("/slow", get(async || tokio::time::sleep(Duration::from_secs(60)).await));
    let service = ServiceBuilder::new()
        .layer(ErrorMapperLayer::default())
        .timeout(Duration::from_millis(20))
        .service(slow);
    let request = Request::get("/slow").body(Body::empty()).unwrap();
    let answer = service.oneshot(request).await.unwrap();
    assert_eq!(answer.status(), StatusCode::GATEWAY_TIMEOUT);
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    assert!(body.starts_with(br#"{"error":"Timeout""#), "{body:?}");
}

#[tokio::test]
async fn the_layers_work_with_a_custom_error_type() {
    #[derive(Debug)]
    enum Own {
        Gateway(Error),
        Mine,
    }

    impl From<Error> for Own {
        fn from(error: Error) -> Self {
            Self::Gateway(error)
        }
    }

    let dir = tempfile::tempdir().unwrap();
    let tokens = TokensFile::new(dir.path().join("tokens"));
    let token = tokens.new_token("alice", [], None).unwrap().token;
    let service = ServiceBuilder::new()
        .layer(SharedKeyLayer::new(Some("key".to_owned().into())))
        .layer(BearerLayer::new(StaticTokens::open(tokens.path()).unwrap()))
        .layer(AccountLayer::default())
        .layer(PerCallerLimitLayer::new(1))
        .service_fn(async |request: Authenticated<Request<()>>| {
            match request.request().uri().path() {
                "/mine" => Err(Own::Mine),
                _ => Ok(Response::new(request.principal().key().to_owned())),
            }
        });
    let call = |path: &str, key: &str, token: &str| {
        let request = Request::get(path)
            .header("x-api-key", key)
            .header("authorization", format!("Bearer {token}"));
        service.clone().oneshot(request.body(()).unwrap())
    };
    let answer = call("/", "key", token.expose()).await.unwrap();
    assert_eq!(answer.body(), "alice");
    for (path, key, token, expected) in [
        ("/", "another", token.expose(), "missing or wrong shared key"),
        ("/", "key", "wrong", "the token was refused: none of the configured verifiers knows it"),
        ("/mine", "key", token.expose(), "mine"),
    ] {
        let said = match call(path, key, token).await.unwrap_err() {
            Own::Gateway(error) => error.to_string(),
            Own::Mine => "mine".to_owned(),
        };
        assert_eq!(said, expected);
    }
}

#[tokio::test]
async fn the_error_mapper_finds_the_gateways_error_in_a_custom_error() {
    #[derive(Debug, thiserror::Error)]
    enum Own {
        #[error("a layer refused it")]
        Gateway(#[from] Error),
        #[error("mine")]
        Mine,
    }

    let service = ServiceBuilder::new()
        .layer(ErrorMapperLayer::default())
        .layer(SharedKeyLayer::new(Some("key".to_owned().into())))
        .service_fn(async |request: Request<()>| {
            // The layer that checks the key removes it.
            assert!(!request.headers().contains_key("x-api-key"));
            Err::<Response<Full<Bytes>>, _>(Own::Mine)
        });
    for (key, status, error) in [("wrong", 401, "Unauthorized"), ("key", 500, "Internal error")] {
        let request = Request::builder().header("x-api-key", key).body(()).unwrap();
        let answer = service.clone().oneshot(request).await.unwrap();
        assert_eq!(answer.status(), status, "{key}");
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(body["error"], error);
        assert!(!body.to_string().contains("mine"), "{body}");
    }
}

#[tokio::test]
async fn a_boxed_refusal_is_answered_as_one() {
    let service = ServiceBuilder::new().layer(ErrorMapperLayer::default()).service_fn(
        async |_: Request<()>| {
            let refusal = Refusal::new(StatusCode::PAYMENT_REQUIRED, "Payment required", "Pay");
            Err::<Response<Full<Bytes>>, BoxError>(refusal.into())
        },
    );
    let answer = service.oneshot(Request::new(())).await.unwrap();
    assert_eq!(answer.status(), StatusCode::PAYMENT_REQUIRED);
}

#[tokio::test]
async fn tower_layers_fit_between_authentication_and_decoding() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-admin");
    nextcloud.delay(Duration::from_secs(5));
    let made = make(&nextcloud).await;
    let service =
        made.gateway.layer(TimeoutLayer::new(Duration::from_millis(50))).into_service().unwrap();
    let request = Request::get("/api/v1/webhooks")
        .header("authorization", format!("Bearer {}", made.token))
        .body(Empty::<Bytes>::new())
        .unwrap();
    let answer = service.oneshot(request).await.unwrap();
    assert_eq!(answer.status(), StatusCode::GATEWAY_TIMEOUT);
}

//! The gateway's calls to list apps and to list and create webhooks, as usually written with axum and
//! reqwest and the libraries' defaults: bearer tokens and passwords in a map, the answers of the
//! groupware server as JSON values. It has no limits, no vault and no handling of refused passwords.
//!
//! The benchmark of the gateway builds and starts it: `cargo bench --bench gateway`.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use reqwest::RequestBuilder;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tower_http::timeout::TimeoutLayer;
use tower_http::trace::TraceLayer;
use tracing_subscriber::EnvFilter;

const WEBHOOKS: &str = "/ocs/v2.php/apps/webhook_listeners/api/v1/webhooks";

struct App {
    http: reqwest::Client,
    groupware: String,
    /// By bearer token.
    logins: HashMap<String, Arc<Login>>,
}

struct Login {
    user: String,
    app_password: String,
}

enum Error {
    Unauthorized,
    Groupware(reqwest::Error),
}

/// The caller, identified by the token.
struct Caller(Arc<Login>);

#[derive(Deserialize)]
struct Envelope<T> {
    ocs: Ocs<T>,
}

#[derive(Deserialize)]
struct Ocs<T> {
    data: T,
}

#[derive(Deserialize)]
struct Capabilities {
    capabilities: BTreeMap<String, IgnoredAny>,
}

#[derive(Serialize)]
struct Apps {
    apps: Vec<String>,
}

#[derive(Serialize)]
struct Webhooks {
    webhooks: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NewWebhook {
    event: String,
    uri: String,
    event_filter: Option<Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Registration {
    http_method: &'static str,
    uri: String,
    event: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    event_filter: Option<Value>,
}

#[derive(Serialize)]
struct Created {
    webhook: Value,
}

/// Serves on a free port, which it prints.
///
/// The command line is the groupware server's URL and the app password, then the users and their
/// tokens in turn.
#[tokio::main]
async fn main() {
    tracing_subscriber::fmt().with_env_filter(EnvFilter::from_default_env()).init();
    let mut words = std::env::args().skip(1);
    let mut word = || words.next().expect("URL PASSWORD (USER TOKEN)…");
    let (groupware, app_password) = (word(), word());
    let mut logins = HashMap::new();
    while let (Some(user), Some(token)) = (words.next(), words.next()) {
        let app_password = app_password.clone();
        logins.insert(token, Arc::new(Login { user, app_password }));
    }
    let http = reqwest::Client::builder().timeout(Duration::from_secs(30));
    let app = App { http: http.build().unwrap(), groupware, logins };
    let limit =
        TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, Duration::from_secs(30));
    let router = Router::new()
        .route("/healthz", get(|| async { "ok" }))
        .route("/api/v1/apps", get(apps))
        .route("/api/v1/webhooks", get(webhooks).post(create))
        .layer(limit)
        .layer(TraceLayer::new_for_http())
        .with_state(Arc::new(app));
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    println!("listening address={}", listener.local_addr().unwrap());
    axum::serve(listener, router).await.unwrap();
}

async fn apps(State(app): State<Arc<App>>, Caller(login): Caller) -> Result<Json<Apps>, Error> {
    let call = app.call(&login, Method::GET, "/ocs/v2.php/cloud/capabilities");
    let data: Capabilities = answer(call).await?;
    Ok(Json(Apps { apps: data.capabilities.into_keys().collect() }))
}

async fn webhooks(
    State(app): State<Arc<App>>,
    Caller(login): Caller,
) -> Result<Json<Webhooks>, Error> {
    let webhooks = answer(app.call(&login, Method::GET, WEBHOOKS)).await?;
    Ok(Json(Webhooks { webhooks }))
}

async fn create(
    State(app): State<Arc<App>>,
    Caller(login): Caller,
    Json(new): Json<NewWebhook>,
) -> Result<Json<Created>, Error> {
    let call = app.call(&login, Method::POST, WEBHOOKS).json(&Registration {
        http_method: "POST",
        uri: new.uri,
        event: new.event,
        event_filter: new.event_filter,
    });
    let webhook = answer(call).await?;
    Ok(Json(Created { webhook }))
}

/// Makes the call and parses the answer.
async fn answer<T: DeserializeOwned>(call: RequestBuilder) -> Result<T, Error> {
    let answer = call.send().await?.error_for_status()?;
    Ok(answer.json::<Envelope<T>>().await?.ocs.data)
}

// === impl App ===

impl App {
    fn call(&self, login: &Login, method: Method, path: &str) -> RequestBuilder {
        self.http
            .request(method, format!("{}{path}?format=json", self.groupware))
            .basic_auth(&login.user, Some(&login.app_password))
            .header("OCS-APIRequest", "true")
            .header(header::ACCEPT, "application/json")
    }
}

// === impl Caller ===

impl FromRequestParts<Arc<App>> for Caller {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Error> {
        let field = parts.headers.get(header::AUTHORIZATION);
        let token = field
            .and_then(|field| field.to_str().ok()?.strip_prefix("Bearer "))
            .ok_or(Error::Unauthorized)?;
        let login = app.logins.get(token).ok_or(Error::Unauthorized)?;
        Ok(Self(login.clone()))
    }
}

// === impl Error ===

impl From<reqwest::Error> for Error {
    fn from(error: reqwest::Error) -> Self {
        Self::Groupware(error)
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let (status, error, message) = match self {
            Self::Unauthorized => {
                let message = "Authentication failed";
                (StatusCode::UNAUTHORIZED, "Unauthorized", message)
            }
            Self::Groupware(error) => {
                tracing::error!(%error, "the groupware server did not answer");
                let message = "An internal error occurred";
                (StatusCode::INTERNAL_SERVER_ERROR, "Internal error", message)
            }
        };
        (status, Json(json!({ "error": error, "message": message }))).into_response()
    }
}

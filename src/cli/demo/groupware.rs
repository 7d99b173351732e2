//! A stand-in for Nextcloud: one account, the capabilities, and webhook registrations in memory. It checks the
//! password of each call and answers in the envelope of the real server; it delivers nothing.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::future::pending;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use portreeve::server::{self, Bounds};
use portreeve::vault::AppPassword;
use serde_json::{Value, json};
use subtle::ConstantTimeEq;
use tokio::net::TcpListener;
use tower::service_fn;

use super::traffic::{Hop, Traffic};
use crate::cli::Failure;

const CAPABILITIES: &str = "/ocs/v2.php/cloud/capabilities";
const WEBHOOKS: &str = "/ocs/v2.php/apps/webhook_listeners/api/v1/webhooks";

/// Starts the server on a free port of the loopback interface.
pub(super) async fn start(
    user: &'static str,
    password: &AppPassword,
    traffic: Traffic,
) -> Result<SocketAddr, Failure> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    let basic = format!(
        "Basic {}",
        BASE64_STANDARD.encode(format!("{user}:{}", password.expose()))
    );
    let server = Arc::new(StandIn {
        user,
        basic,
        webhooks: Mutex::default(),
    });
    let service = service_fn(move |request: Request<Incoming>| {
        traffic.request(Hop::ToGroupware, &request);
        let server = server.clone();
        async move { Ok::<_, Infallible>(server.answer(request).await) }
    });
    tokio::spawn(server::serve(
        listener,
        service,
        Bounds::default(),
        pending(),
    ));
    Ok(address)
}

struct StandIn {
    user: &'static str,
    /// The only `Authorization` field that is accepted.
    basic: String,
    webhooks: Mutex<Webhooks>,
}

#[derive(Default)]
struct Webhooks {
    last_id: i64,
    records: BTreeMap<i64, Value>,
}

impl StandIn {
    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let authorization = request
            .headers()
            .get(AUTHORIZATION)
            .map(http::HeaderValue::as_bytes);
        let path = request.uri().path();
        if authorization.is_none() && path == CAPABILITIES {
            // Available to everybody. This stand-in does not count refused logins.
            return ok(json!({
                "version": version(),
                "capabilities": {"bruteforce": {"delay": 0, "allow-listed": true}},
            }));
        }
        if !bool::from(
            authorization
                .unwrap_or_default()
                .ct_eq(self.basic.as_bytes()),
        ) {
            return envelope(StatusCode::UNAUTHORIZED, 997, "Unauthorised", json!([]));
        }
        let (parts, body) = request.into_parts();
        match (&parts.method, parts.uri.path()) {
            (&Method::GET, CAPABILITIES) => ok(capabilities()),
            (&Method::GET, "/ocs/v2.php/cloud/user") => {
                ok(json!({"id": self.user, "displayname": self.user, "groups": ["admin"]}))
            }
            (&Method::GET, WEBHOOKS) => {
                ok(self.with(|webhooks| webhooks.records.values().cloned().collect()))
            }
            (&Method::POST, WEBHOOKS) => match Limited::new(body, 1 << 20).collect().await {
                Ok(body) => self.create(&body.to_bytes()),
                Err(_) => envelope(
                    StatusCode::BAD_REQUEST,
                    400,
                    "The body cannot be read",
                    json!([]),
                ),
            },
            (&Method::DELETE, path) => match path
                .strip_prefix(WEBHOOKS)
                .and_then(|id| id.strip_prefix('/'))
            {
                Some(id) => {
                    let id: i64 = id.parse().unwrap_or(0);
                    ok(self.with(|webhooks| webhooks.records.remove(&id).is_some().into()))
                }
                None => unknown(),
            },
            _ => unknown(),
        }
    }

    fn with(&self, task: impl FnOnce(&mut Webhooks) -> Value) -> Value {
        task(&mut self.webhooks.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn create(&self, body: &[u8]) -> Response<Full<Bytes>> {
        let asked: Value = serde_json::from_slice(body).unwrap_or_default();
        let text = |name| asked.get(name).and_then(Value::as_str);
        let (Some(method), Some(uri), Some(event)) =
            (text("httpMethod"), text("uri"), text("event"))
        else {
            return envelope(
                StatusCode::INTERNAL_SERVER_ERROR,
                996,
                "Internal Server Error",
                json!([]),
            );
        };
        if !event.starts_with("OCP\\") && !event.starts_with("OCA\\") {
            return envelope(
                StatusCode::BAD_REQUEST,
                400,
                "The event is not compatible with webhooks",
                json!([]),
            );
        }
        ok(self.with(|webhooks| {
            webhooks.last_id += 1;
            let record = json!({
                "id": webhooks.last_id,
                "appId": null,
                "userId": self.user,
                "httpMethod": method,
                "uri": uri,
                "event": event,
                "eventFilter": asked.get("eventFilter").unwrap_or(&json!([])),
                "userIdFilter": "",
                "headers": null,
                "authMethod": text("authMethod").unwrap_or("none"),
                // The real server shows a ciphertext.
                "authData": asked.get("authData").map(|_| "sealed"),
            });
            webhooks.records.insert(webhooks.last_id, record.clone());
            record
        }))
    }
}

fn capabilities() -> Value {
    json!({
        "version": version(),
        "capabilities": {
            "core": {"pollinterval": 60, "webdav-root": "remote.php/webdav"},
            "dav": {"chunking": "1.0", "bulkupload": "1.0"},
            "files": {"bigfilechunking": true, "undelete": true, "versioning": true},
            "files_sharing": {"api_enabled": true},
            "provisioning_api": {"version": "1.22.0"},
            "systemtags": {"enabled": true},
            "theming": {"name": "A stand-in"},
        },
    })
}

fn version() -> Value {
    json!({"major": 32, "minor": 0, "micro": 1, "string": "32.0.1", "edition": "", "extendedSupport": false})
}

fn unknown() -> Response<Full<Bytes>> {
    envelope(StatusCode::NOT_FOUND, 998, "Invalid query", json!([]))
}

fn ok(data: Value) -> Response<Full<Bytes>> {
    envelope(StatusCode::OK, 200, "OK", data)
}

fn envelope(status: StatusCode, code: u16, message: &str, data: Value) -> Response<Full<Bytes>> {
    let outcome = if status.is_success() { "ok" } else { "failure" };
    let meta = json!({"status": outcome, "statuscode": code, "message": message});
    let body = json!({"ocs": {"meta": meta, "data": data}}).to_string();
    Response::builder()
        .status(status)
        .header(CONTENT_TYPE, "application/json; charset=utf-8")
        .body(Full::from(body))
        .expect("a status and a fixed header make a response")
}

//! A stand-in for Nextcloud: one account, the capabilities, and webhook registrations in memory. It checks the
//! password of each call and answers in the envelope of the real server. It knows one event: a file is created.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use parking_lot::Mutex;
use portreeve::groupware::{
    EventClasses, EventFilter, EventSample, JobLimit, KnownEvent, MatchResult,
};
use portreeve::vault::AppPassword;
use serde_json::{Value, json};
use subtle::ConstantTimeEq;
use tower::service_fn;
use tower::util::BoxCloneService;

use super::Handler;
use super::traffic::{Hop, Traffic, show_answer};
use crate::causes::with_causes;

const CAPABILITIES: &str = "/ocs/v2.php/cloud/capabilities";
const WEBHOOKS: &str = "/ocs/v2.php/apps/webhook_listeners/api/v1/webhooks";

/// The path at which files are uploaded: that of the file follows, with the user first.
const UPLOADS: &str = "/remote.php/dav/files";

/// The server, with the account `user`, an administrator.
pub(super) fn service(
    user: &'static str,
    password: &AppPassword,
    traffic: Traffic,
) -> Handler<Full<Bytes>> {
    let password = password.expose();
    let pair = BASE64_STANDARD.encode(format!("{user}:{password}"));
    let server = Arc::new(StandIn {
        user,
        accepted: [format!("Basic {pair}"), format!("Bearer {password}")],
        webhooks: Mutex::default(),
        traffic,
    });
    BoxCloneService::new(service_fn(move |request: Request<Incoming>| {
        let server = server.clone();
        async move { Ok::<_, Infallible>(server.answer(request).await) }
    }))
}

struct StandIn {
    user: &'static str,
    /// The only `Authorization` fields that are accepted.
    accepted: [String; 2],
    webhooks: Mutex<Webhooks>,
    traffic: Traffic,
}

#[derive(Default)]
struct Webhooks {
    last_id: i64,
    /// Each with the `Authorization` field of its deliveries, which is not shown.
    records: BTreeMap<i64, (Value, String)>,
}

impl StandIn {
    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let of_user = request.uri().path().starts_with(UPLOADS);
        let hop = if of_user {
            Hop::OF_USER
        } else {
            Hop::TO_NEXTCLOUD
        };
        self.traffic.request(hop, &request);
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
        let authorization = authorization.unwrap_or_default();
        let mut accepted = self.accepted.iter();
        if !accepted.any(|known| authorization.ct_eq(known.as_bytes()).into()) {
            return envelope(StatusCode::UNAUTHORIZED, 997, "Unauthorised", json!([]));
        }
        let (parts, body) = request.into_parts();
        match (&parts.method, parts.uri.path()) {
            (&Method::GET, CAPABILITIES) => ok(capabilities()),
            (&Method::GET, "/ocs/v2.php/cloud/user") => {
                ok(json!({"id": self.user, "displayname": self.user, "groups": ["admin"]}))
            }
            (&Method::GET, WEBHOOKS) => ok(self.with(|webhooks| {
                webhooks
                    .records
                    .values()
                    .map(|(it, _)| it.clone())
                    .collect()
            })),
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
            (&Method::PUT, _) if of_user => {
                self.deliver(parts.uri.path());
                let mut created = Response::default();
                *created.status_mut() = StatusCode::CREATED;
                created
            }
            _ => unknown(),
        }
    }

    fn with<T>(&self, task: impl FnOnce(&mut Webhooks) -> T) -> T {
        task(&mut self.webhooks.lock())
    }

    /// Delivers the example of the event to each webhook for it, later, as Nextcloud does in a background job.
    fn deliver(&self, uploaded: &str) {
        let event = KnownEvent::named("NodeCreatedEvent").expect("it is in the catalogue");
        let shape = EventClasses::default().shape(event.class);
        let mut body: Value = serde_json::from_str(&event.example()).unwrap_or_default();
        let path = uploaded.strip_prefix(UPLOADS).unwrap_or_default();
        body["event"]["node"]["path"] = path
            .replacen(self.user, &format!("{}/files", self.user), 1)
            .into();
        body["user"]["uid"] = self.user.into();
        let body = body.to_string();
        let sample = EventSample::parse(&body, event.class, shape);
        let is_for = |record: &Value| {
            let filter = EventFilter::parse(&record["eventFilter"].to_string(), shape);
            let (Ok(sample), Ok(filter)) = (&sample, filter) else {
                return false;
            };
            let found = sample.judge(filter.as_ref(), JobLimit::default());
            record["event"] == event.class && found.result == MatchResult::Matches
        };
        let records: Vec<_> = self.with(|webhooks| webhooks.records.values().cloned().collect());
        for (record, authorization) in records.into_iter().filter(|(record, _)| is_for(record)) {
            let uri = record["uri"].as_str().unwrap_or_default();
            let request = Request::post(uri).header(AUTHORIZATION, authorization);
            let request = request.header(CONTENT_TYPE, "application/json");
            match request.body(Full::<Bytes>::from(body.clone())) {
                Ok(request) => _ = tokio::spawn(post(request, self.traffic.clone())),
                Err(error) => show_answer(Hop::WEBHOOK, error),
            }
        }
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
        if KnownEvent::find(event).is_none() {
            return envelope(
                StatusCode::BAD_REQUEST,
                400,
                &format!("{event} is not an event class compatible with webhooks"),
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
            let authorization = asked["authData"]["Authorization"]
                .as_str()
                .unwrap_or_default();
            let kept = (record.clone(), authorization.to_owned());
            webhooks.records.insert(webhooks.last_id, kept);
            record
        }))
    }
}

/// Makes a delivery, by plain HTTP.
async fn post(request: Request<Full<Bytes>>, traffic: Traffic) {
    traffic.request(Hop::WEBHOOK, &request);
    let client = Client::builder(TokioExecutor::new()).build_http();
    match client.request(request).await {
        Ok(answer) => show_answer(Hop::WEBHOOK, answer.status()),
        Err(error) => show_answer(Hop::WEBHOOK, with_causes(&error)),
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

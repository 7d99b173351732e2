//! A stand-in for Nextcloud: two accounts, the capabilities, login flows, and webhook registrations in memory. It checks
//! the password of each call and answers in the envelope of the real server. It has two events: a file is new, or written.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use parking_lot::Mutex;
use portreeve::groupware::{
    EventClasses, EventFilter, EventSample, JobLimit, KnownEvent, MatchResult,
};
use portreeve::vault::AppPassword;
use rustls::ClientConfig;
use serde_json::{Value, json};
use tower::service_fn;
use tower::util::BoxCloneService;

use super::accounts::{Accounts, LOGIN, answer};
use super::traffic::{Hop, Traffic, show_answer};
use super::{ADMINISTRATOR, Answer, Handler};
use crate::causes::with_causes;

const CAPABILITIES: &str = "/ocs/v2.php/cloud/capabilities";
const WEBHOOKS: &str = "/ocs/v2.php/apps/webhook_listeners/api/v1/webhooks";

const APP_PASSWORD: &str = "/ocs/v2.php/core/apppassword";

/// The path at which files are uploaded: that of the file follows, with the user first.
const UPLOADS: &str = "/remote.php/dav/files";

type Deliverer = Client<HttpsConnector<HttpConnector>, Full<Bytes>>;

/// The server, with an app password of its administrator.
pub(super) fn service(password: &AppPassword, deliverer: Deliverer, traffic: Traffic) -> Handler {
    let server = Arc::new(StandIn {
        accounts: Accounts::new(password),
        webhooks: Mutex::default(),
        files: Mutex::default(),
        deliverer,
        traffic,
    });
    BoxCloneService::new(service_fn(move |request: Request<Incoming>| {
        let server = server.clone();
        async move { Ok::<_, Infallible>(server.answer(request).await) }
    }))
}

pub(super) fn deliverer(tls: ClientConfig) -> Deliverer {
    let connector =
        HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1().build();
    // Each delivery has a connection of its own, as from Nextcloud.
    let mut client = Client::builder(TokioExecutor::new());
    client.pool_max_idle_per_host(0).build(connector)
}

struct StandIn {
    accounts: Accounts,
    webhooks: Mutex<Webhooks>,
    /// The ids of those that were uploaded, by their paths.
    files: Mutex<BTreeMap<String, usize>>,
    deliverer: Deliverer,
    traffic: Traffic,
}

#[derive(Default)]
struct Webhooks {
    last_id: i64,
    /// Each with the `Authorization` field of its deliveries, which is not shown.
    records: BTreeMap<i64, (Value, String)>,
}

impl StandIn {
    async fn answer(&self, request: Request<Incoming>) -> Answer {
        let path = request.uri().path().to_owned();
        // Both forms lead to the same page.
        let path = path.strip_prefix("/index.php").unwrap_or(&path);
        let of_user = path.starts_with(UPLOADS) || path.starts_with(&format!("{LOGIN}/flow"));
        let hop = if of_user { Hop::OF_USER } else { Hop::TO_NEXTCLOUD };
        self.traffic.request(hop, &request);
        let (parts, body) = request.into_parts();
        let authorization = text(&parts.headers, AUTHORIZATION);
        if authorization.is_empty() && path == CAPABILITIES {
            // Available to everybody. This stand-in does not count refused logins.
            return ok(json!({
                "version": capabilities()["version"],
                "capabilities": {"bruteforce": {"delay": 0, "allow-listed": true}},
            }));
        }
        let Ok(body) = Limited::new(body, 1 << 20).collect().await else {
            return refused(StatusCode::BAD_REQUEST, 400, "The body cannot be read");
        };
        let body = body.to_bytes();
        if let Some(below) = path.strip_prefix(LOGIN) {
            let host = text(&parts.headers, HOST);
            return self.accounts.answer(&parts.method, below, &body, host);
        }
        let Some(user) = self.accounts.owner(authorization) else {
            return refused(StatusCode::UNAUTHORIZED, 997, "Unauthorised");
        };
        let mut answer = self.answer_to(user, &parts.method, path, &body);
        if path == APP_PASSWORD && parts.method == Method::DELETE {
            self.accounts.revoke(authorization);
        }
        answer.headers_mut().insert("x-user-id", HeaderValue::from_static(user));
        answer
    }

    fn answer_to(&self, user: &'static str, method: &Method, path: &str, body: &[u8]) -> Answer {
        if let Some(id) = path.strip_prefix(WEBHOOKS) {
            let id = id.strip_prefix('/').map(|id| id.parse().unwrap_or(0));
            if user != ADMINISTRATOR {
                let message = "Logged in account must be an admin, a sub admin or gotten special right to access \
                               this setting";
                return refused(StatusCode::FORBIDDEN, 403, message);
            }
            let mut webhooks = self.webhooks.lock();
            let records = webhooks.records.values().map(|(record, _)| record.clone());
            return match (method, id) {
                (&Method::GET, None) => ok(records.collect()),
                (&Method::POST, id) => webhooks.put(user, id, body),
                (&Method::DELETE, Some(id)) => ok(webhooks.records.remove(&id).is_some().into()),
                _ => refused(StatusCode::NOT_FOUND, 998, "Invalid query"),
            };
        }
        match (method, path) {
            (&Method::GET, CAPABILITIES) => ok(capabilities()),
            (&Method::GET, "/ocs/v2.php/cloud/user") => {
                let group = (user == ADMINISTRATOR).then_some("admin");
                ok(json!({"id": user, "displayname": user, "groups": group.as_slice()}))
            }
            (&Method::DELETE, APP_PASSWORD) => ok(json!([])),
            (&Method::PUT, path) if path.starts_with(&format!("{UPLOADS}/{user}/")) => {
                let uploaded = Response::builder().status(self.upload(user, path));
                uploaded.body(Bytes::new().into()).expect("it has no fields")
            }
            _ => refused(StatusCode::NOT_FOUND, 998, "Invalid query"),
        }
    }

    /// Delivers the event of the file to each webhook for it, later, as Nextcloud does in a background job.
    fn upload(&self, user: &str, uploaded: &str) -> StatusCode {
        let path = uploaded.replacen(&format!("{UPLOADS}/{user}"), &format!("/{user}/files"), 1);
        let mut files = self.files.lock();
        let next = 114 + files.len();
        let id = *files.entry(path.clone()).or_insert(next);
        let (event, status) = match id == next {
            true => ("NodeCreatedEvent", StatusCode::CREATED),
            false => ("NodeWrittenEvent", StatusCode::NO_CONTENT),
        };
        let event = KnownEvent::named(event).expect("it is in the catalogue");
        let shape = EventClasses::default().shape(event.class);
        let mut body: Value = serde_json::from_str(&event.example()).unwrap_or_default();
        body["event"]["node"] = json!({"id": id, "path": path});
        body["user"] = json!({"uid": user, "displayName": user});
        body["time"] = std::time::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_secs()).into();
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
        let webhooks = self.webhooks.lock();
        for (record, authorization) in webhooks.records.values().filter(|(it, _)| is_for(it)) {
            let request = Request::post(record["uri"].as_str().unwrap_or_default())
                .header(AUTHORIZATION, authorization)
                .header(CONTENT_TYPE, "application/json");
            match request.body(Full::<Bytes>::from(body.clone())) {
                Ok(request) => {
                    self.traffic.request(Hop::WEBHOOK, &request);
                    let answer = self.deliverer.request(request);
                    tokio::spawn(async {
                        match answer.await {
                            Ok(answer) => show_answer(Hop::WEBHOOK, answer.status()),
                            Err(error) => show_answer(Hop::WEBHOOK, with_causes(&error)),
                        }
                    });
                }
                Err(error) => show_answer(Hop::WEBHOOK, error),
            }
        }
        status
    }
}

impl Webhooks {
    /// Makes a registration, or replaces the one with this id.
    fn put(&mut self, user: &str, id: Option<i64>, body: &[u8]) -> Answer {
        let asked: Value = serde_json::from_slice(body).unwrap_or_default();
        let text = |name| asked.get(name).and_then(Value::as_str);
        let (Some(method), Some(uri), Some(event)) =
            (text("httpMethod"), text("uri"), text("event"))
        else {
            let message = "Internal Server Error";
            return refused(StatusCode::INTERNAL_SERVER_ERROR, 996, message);
        };
        if KnownEvent::find(event).is_none() {
            let message = format!("{event} is not an event class compatible with webhooks");
            return refused(StatusCode::BAD_REQUEST, 400, &message);
        }
        let id = id.unwrap_or_else(|| {
            self.last_id += 1;
            self.last_id
        });
        let record = json!({
            "id": id,
            "appId": null,
            "userId": user,
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
        let authorization = asked["authData"]["Authorization"].as_str().unwrap_or_default();
        self.records.insert(id, (record.clone(), authorization.to_owned()));
        ok(record)
    }
}

fn capabilities() -> Value {
    serde_json::from_str(include_str!("capabilities.json")).expect("it is JSON")
}

fn refused(status: StatusCode, code: u16, message: &str) -> Answer {
    envelope(status, code, message, json!([]))
}

fn ok(data: Value) -> Answer {
    envelope(StatusCode::OK, 200, "OK", data)
}

fn envelope(status: StatusCode, code: u16, message: &str, data: Value) -> Answer {
    let outcome = if status.is_success() { "ok" } else { "failure" };
    let meta = json!({"status": outcome, "statuscode": code, "message": message});
    answer(status, &json!({"ocs": {"meta": meta, "data": data}}))
}

/// A field; empty if there is none that is text.
fn text(headers: &HeaderMap, name: HeaderName) -> &str {
    headers.get(name).and_then(|field| field.to_str().ok()).unwrap_or_default()
}

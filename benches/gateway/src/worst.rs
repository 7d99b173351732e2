//! What the costliest requests that are known take of the gateway.
//!
//! Nothing that a caller sends may keep a thread busy for more than 2 ms. Each row is the worst of many inputs that
//! were tried on its part of the gateway, as large as the gateway reads them: heads and bodies of 64 KiB, tokens of
//! 16 KiB; over HTTP/2, frames of 64 KiB; deliveries of 1 MiB.
//!
//! A message over HTTP/2 is bounded by what is read of a connection at once, 16 KiB, and by the limits of `h2`: a head
//! ends the connection after a few CONTINUATION frames, and with it what it may refer to; fields beyond 64 KiB are
//! decoded and dropped; of requests that are reset before they are answered, the connection takes 20.
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use bench_report::{Row, Table};
use portreeve::groupware::{DeliveryAuth, KnownEvent};
use serde_json::json;

use crate::client::Client;
use crate::frames::INPUTS;
use crate::servers::{ADDRESS, SECRET, Server, Wrapped};
use crate::site::Site;

/// Instructions of 2 ms, at 1.5 for each cycle of 2 GHz.
const LIMIT: f64 = 6e6;

/// The same for what is done in four polls, between which other tasks have their turn.
const FOUR_POLLS: f64 = 4.0 * LIMIT;

/// What a delivery of 1 MiB takes, which only the groupware server can send: most of it for parsing, which no thread of
/// the runtime does, and a tenth for counting brackets and levels.
const OF_A_DELIVERY: f64 = 22.0 * LIMIT;

/// How often each request is made.
const REQUESTS: usize = 4;

/// The bytes of a head or a body that fit.
const ROOM: usize = 65_000;

/// Bytes that are costly to take.
struct Worst {
    name: &'static str,
    bytes: Vec<u8>,
    /// The status of the answer, unless these are frames of HTTP/2.
    status: Option<u16>,
    /// The most instructions that they may take.
    limit: f64,
    server: Server,
}

const EVENT: &str = r"OCP\\Files\\Events\\Node\\NodeWrittenEvent";
const STATUS: &str = "GET /api/v1/background-sync/status";
const WEBHOOK: &str = "POST /api/v1/webhooks";

fn token(site: &Site, user: usize) -> String {
    format!("Authorization: Bearer {}\r\n", site.users[user].token)
}

/// A JWT that fails at its signature.
fn jwt(site: &Site, header: &str, members: &str) -> String {
    let issuer = site.stand_in.url();
    let claims = format!(
        r#"{{"iss":"{issuer}","sub":"a","aud":"portreeve","client_id":"c","exp":9999999999{members}}}"#
    );
    let [header, claims] = [header, &claims].map(|part| URL_SAFE_NO_PAD.encode(part));
    let signature = URL_SAFE_NO_PAD.encode([1; 96]);
    format!("Authorization: Bearer {header}.{claims}.{signature}\r\n")
}

/// `item` as often as it fits into `room`, with commas between.
fn list(item: &str, room: usize) -> String {
    vec![item; room / (item.len() + 1)].join(",")
}

/// Members with different names.
fn members(count: usize) -> String {
    (0..count).map(|at| format!(r#","{at:x}":0"#)).collect()
}

fn filter(filter: &str, more: &str) -> String {
    format!(r#"{{"event":"{EVENT}","uri":"http://u","eventFilter":{filter}{more}}}"#)
}

/// A request with these fields and this body, whose answer has this status.
fn worst(name: &'static str, status: u16, target: &str, fields: &str, body: &str) -> Worst {
    let length = match fields.contains("Transfer-Encoding") {
        true => String::new(),
        false => format!("Content-Length: {}\r\n", body.len()),
    };
    let connection = "Host: gateway\r\nConnection: close\r\n";
    let request = format!("{target} HTTP/1.1\r\n{connection}{fields}{length}\r\n{body}");
    Worst {
        name,
        bytes: request.into_bytes(),
        status: Some(status),
        limit: LIMIT,
        server: Server::WithIssuer,
    }
}

/// What is about deliveries.
fn deliveries(site: &Site, target: &str) -> [Worst; 4] {
    let token = &token(site, 0);
    let sender = DeliveryAuth::derived(SECRET.into()).unwrap();
    let sender = sender.authorization_for(&format!("{ADDRESS}/webhooks/nextcloud"));
    let sender = format!("Authorization: {}\r\n", sender.expose());
    // The first classes take most of the work, and the last ones find that there is none left.
    let known: Vec<_> = KnownEvent::all().map(|known| known.class).collect();
    let classes: Vec<_> = known.into_iter().cycle().take(64).collect();
    let filter = json!({"$or": vec![json!({"user.uid": "/(?:a?){300}b/i"}); 4]});
    let change = json!({"events": classes, "eventFilter": filter}).to_string();
    let mut made: serde_json::Value = serde_json::from_str(&change).unwrap();
    made["uri"] = "http://127.0.0.1:9/".into();
    let target = &format!("PATCH /api/v1/deliveries/targets/{target}");
    let event = json!({"class": EVENT.replace(r"\\", r"\")});
    let long = list("0", (1 << 20) - 200);
    let delivery = format!(r#"{{"event":{event},"authentication":[{long}]}}"#);
    let kept = format!(r#"{{"event":{event},"kept":[{long}]}}"#);
    let receive = |name, body: &str| Worst {
        limit: OF_A_DELIVERY,
        ..worst(name, 200, "POST /webhooks/nextcloud", &sender, body)
    };
    [
        worst(
            "target: a filter of patterns, for many classes",
            400,
            "POST /api/v1/deliveries/targets",
            token,
            &made.to_string(),
        ),
        worst("target: the same, as a change", 400, target, token, &change),
        receive("delivery: as large as may be", &kept),
        receive("delivery: of which most is cut out", &delivery),
    ]
    .map(|worst| Worst { server: Server::Receiving, ..worst })
}

/// The id of a target that is made.
async fn target(site: &Site) -> String {
    let process = Server::Receiving.start(site);
    let mut client = Client::connect(process.address).await.unwrap();
    let body = r#"{"uri":"http://127.0.0.1:9/"}"#;
    let fields = format!("Host: gateway\r\n{}", token(site, 0));
    let request = format!(
        "POST /api/v1/deliveries/targets HTTP/1.1\r\n{fields}Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let answer = client.exchange(request.as_bytes()).await.unwrap();
    assert_eq!(answer.status, 201);
    let made: serde_json::Value = serde_json::from_slice(answer.body).unwrap();
    made["id"].as_str().unwrap().to_owned()
}

fn requests(site: &Site) -> [Worst; 20] {
    let login = STANDARD.encode(format!("{}:{}", site.users[0].name, "F".repeat(72)));
    let basic = &format!("Authorization: Basic {login}\r\n");
    let token = &token(site, 0);
    let chunked = "Transfer-Encoding: chunked\r\n";
    let chunks = &("1\r\n \r\n".repeat(ROOM) + "0\r\n\r\n");
    let repeated = &format!("{{{}}}", list(r#""":0"#, ROOM));
    let field = |at| format!("Cookie: {at}\r\nX-{at}: {}\r\n", ",".repeat(1300));
    let scopes = format!(r#","scp":[{}]"#, list(r#""a""#, 11_000));
    let values = list(&format!(r#""{}""#, "a".repeat(14)), 50_000);
    // As many values as a filter may have, in both.
    let patterns = vec![r#"{"event.node.path":"/a|b/"}"#; 427].join(",");
    let properties = (0..999).map(|at| format!(r#""event.node.p{at}":"/a|b/""#));
    let properties = properties.collect::<Vec<_>>().join(",");
    let alternatives = list(r#"{"user.uid":"b"}"#, 3_800);
    let event = json!({"node": {"path": "a".repeat(50_000)}});
    let sample = json!({"event": event, "user": {"uid": "a"}, "time": 1});
    let optional = json!({"event.node.path": "/(?:a?){300}b/"});
    let words = (0..400).map(|at| format!("w{at}.*")).collect::<Vec<_>>();
    let words = json!({"event.node.path": format!("/.*(?:{})/iu", words.join("|"))});
    [
        worst(
            "path: percent signs",
            400,
            &format!("DELETE /api/v1/webhooks/{}", "%".repeat(ROOM)),
            token,
            "",
        ),
        worst(
            "path: an escaped user id",
            403,
            &format!("GET /api/v1/users/{}/session", "%C3%A4".repeat(ROOM / 6)),
            token,
            "",
        ),
        worst(
            "query: parameters without a name",
            200,
            &format!("DELETE /api/v1/background-sync/credentials?{}", "&".repeat(ROOM)),
            // The others need theirs.
            &self::token(site, 1),
            "",
        ),
        worst(
            "head: a long field name",
            200,
            STATUS,
            &format!("{token}{}: a\r\n", "x".repeat(60_000)),
            "",
        ),
        worst(
            "head: many fields",
            200,
            STATUS,
            &(token.clone() + &(0..47).map(field).collect::<String>()),
            "",
        ),
        worst(
            "token: a long one",
            401,
            STATUS,
            &format!("Authorization: Bearer a{}\r\n", "=".repeat(ROOM - 100)),
            "",
        ),
        Worst {
            // One poll for each key, and one before.
            limit: FOUR_POLLS,
            ..worst(
                "JWT: keys to be tried",
                401,
                STATUS,
                &jwt(site, r#"{"alg":"ES384"}"#, &members(1200)),
                "",
            )
        },
        worst(
            "JWT: audiences",
            401,
            STATUS,
            &jwt(site, r#"{"alg":"ES384","kid":"other"}"#, &scopes),
            "",
        ),
        worst(
            "HTTP Basic: a long one",
            403,
            "DELETE /api/v1/users/user0/app-password",
            &format!("Authorization: Basic {}\r\n", "Ojo6".repeat(16_000)),
            "",
        ),
        worst(
            "HTTP Basic: a body of repeated members",
            400,
            "POST /api/v1/users/user0/app-password",
            basic,
            // Refused at its last member, before the password is tried.
            &format!(r#"{{{},"username":5}}"#, list(r#""":0"#, ROOM)),
        ),
        worst("body: tiny chunks", 400, WEBHOOK, &(token.clone() + chunked), chunks),
        worst("body: tiny chunks, without a token", 401, WEBHOOK, chunked, chunks),
        worst(
            "credential: repeated members",
            400,
            "POST /api/v1/background-sync/credentials",
            token,
            repeated,
        ),
        worst(
            "preset: repeated members",
            400,
            "PUT /api/v1/webhook-presets/notes",
            token,
            repeated,
        ),
        worst(
            "webhook: a filter of long lists",
            200,
            WEBHOOK,
            token,
            &filter(&format!(r#"{{"user.uid":{{"$in":[{values}]}}}}"#), ""),
        ),
        worst(
            "webhook: a filter of alternatives",
            200,
            WEBHOOK,
            token,
            &filter(&format!(r#"{{"$or":[{patterns}]}}"#), ""),
        ),
        worst(
            "webhook: a filter of many properties",
            200,
            WEBHOOK,
            token,
            &filter(&format!("{{{properties}}}"), ""),
        ),
        worst(
            "match: alternatives, and a long sample",
            200,
            "POST /api/v1/events/match",
            token,
            &filter(&format!(r#"{{"$or":[{alternatives}]}}"#), &format!(r#","sample":{sample}"#)),
        ),
        worst(
            "match: a pattern of optional parts",
            200,
            "POST /api/v1/events/match",
            token,
            &filter(&optional.to_string(), &format!(r#","sample":{sample}"#)),
        ),
        worst(
            "match: a pattern of alternatives",
            200,
            "POST /api/v1/events/match",
            token,
            &filter(&words.to_string(), &format!(r#","sample":{sample}"#)),
        ),
    ]
}

/// Prints what each takes, beside the limit; returns whether all are within it.
pub(crate) async fn holds(site: &Site) -> bool {
    let idle = count(site, Server::WithIssuer, None).await;
    let idle_receiving = count(site, Server::Receiving, None).await;
    let target = target(site).await;
    let mut rows = Vec::new();
    let mut holds = true;
    let frames = INPUTS.iter().map(|(name, frames)| Worst {
        name,
        bytes: frames(),
        status: None,
        limit: FOUR_POLLS,
        server: Server::WithIssuer,
    });
    let requests = requests(site).into_iter().chain(deliveries(site, &target));
    for worst in requests.chain(frames) {
        let idle = match worst.server {
            Server::Receiving => idle_receiving,
            _ => idle,
        };
        let taken = count(site, worst.server, Some(&worst)).await;
        let instructions = (taken - idle) / REQUESTS as f64;
        holds &= instructions <= worst.limit;
        rows.push(Row {
            name: worst.name.to_owned(),
            values: vec![Some(instructions.round()), Some(instructions / worst.limit)],
        });
    }
    let table = Table {
        title: "Instructions of the costliest requests, beside the limit".to_owned(),
        columns: vec!["instructions", "÷ limit"],
        rows,
    };
    println!("\n{table}");
    if !holds {
        println!("Some are above their limit.");
    }
    holds
}

/// The instructions of a process that starts, takes the bytes several times, and ends.
async fn count(site: &Site, server: Server, worst: Option<&Worst>) -> f64 {
    let process = server.start_within(site, Wrapped::Callgrind);
    for worst in worst.into_iter().cycle().take(REQUESTS) {
        let client = Client::connect(process.address).await.unwrap();
        match worst.status {
            None => client.frames(worst.bytes.clone()).await,
            Some(expected) => {
                let status = client.last_exchange(worst.bytes.clone()).await.unwrap();
                assert_eq!(status, expected, "{}", worst.name);
            }
        }
    }
    let [count] = process.end(["Collected : "]);
    count
}

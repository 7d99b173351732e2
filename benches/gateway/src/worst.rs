//! What the costliest requests that are known take of the gateway.
//!
//! Nothing that a caller sends may keep a thread busy for more than 2 ms. Each row is the worst of many inputs that
//! were tried on its part of the gateway, as large as the gateway reads them: heads and bodies of 64 KiB, tokens of
//! 16 KiB; over HTTP/2, frames of 64 KiB.
//!
//! A message over HTTP/2 is bounded by what is read of a connection at once, 16 KiB, and by the limits of `h2`: a head
//! ends the connection after a few CONTINUATION frames, and with it what it may refer to; fields beyond 64 KiB are
//! decoded and dropped; of requests that are reset before they are answered, the connection takes 20.
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use bench_report::{Row, Table};
use serde_json::json;

use crate::client::Client;
use crate::frames::INPUTS;
use crate::servers::{Server, Wrapped};
use crate::site::Site;

/// Instructions of 2 ms, at 1.5 for each cycle of 2 GHz.
const LIMIT: f64 = 6e6;

/// The same for what is done in four polls, between which other tasks have their turn.
const FOUR_POLLS: f64 = 4.0 * LIMIT;

/// How often each request is made.
const REQUESTS: usize = 4;

/// The bytes of a head or a body that fit.
const ROOM: usize = 65_000;

/// A request that is costly to answer.
struct Worst {
    name: &'static str,
    /// The request line, without its version.
    target: fn() -> String,
    /// The header fields besides `Host` and `Connection`.
    fields: fn(&Site) -> String,
    body: fn() -> String,
    status: u16,
    /// The most instructions that it may take.
    limit: f64,
}

const EVENT: &str = r"OCP\\Files\\Events\\Node\\NodeWrittenEvent";

fn token(site: &Site) -> String {
    token_of(site, 0)
}

fn token_of(site: &Site, user: usize) -> String {
    format!("Authorization: Bearer {}\r\n", site.users[user].token)
}

fn basic(site: &Site) -> String {
    let login = STANDARD.encode(format!("{}:{}", site.users[0].name, "F".repeat(72)));
    format!("Authorization: Basic {login}\r\n")
}

fn chunked(site: &Site) -> String {
    format!("{}Transfer-Encoding: chunked\r\n", token(site))
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

fn no_body() -> String {
    String::new()
}

fn tiny_chunks() -> String {
    "1\r\n \r\n".repeat(ROOM) + "0\r\n\r\n"
}

fn repeated_members() -> String {
    format!("{{{}}}", list(r#""":0"#, ROOM))
}

fn filter(filter: &str, more: &str) -> String {
    format!(r#"{{"event":"{EVENT}","uri":"http://u","eventFilter":{filter}{more}}}"#)
}

const WORST: [Worst; 18] = [
    Worst {
        name: "path: percent signs",
        target: || format!("DELETE /api/v1/webhooks/{}", "%".repeat(ROOM)),
        fields: token,
        body: no_body,
        status: 400,
        limit: LIMIT,
    },
    Worst {
        name: "path: an escaped user id",
        target: || format!("GET /api/v1/users/{}/session", "%C3%A4".repeat(ROOM / 6)),
        fields: token,
        body: no_body,
        status: 403,
        limit: LIMIT,
    },
    Worst {
        name: "query: parameters without a name",
        target: || {
            let query = "&".repeat(ROOM);
            format!("DELETE /api/v1/background-sync/credentials?{query}")
        },
        // The others need theirs.
        fields: |site| token_of(site, 1),
        body: no_body,
        status: 200,
        limit: LIMIT,
    },
    Worst {
        name: "head: a long field name",
        target: || "GET /api/v1/background-sync/status".to_owned(),
        fields: |site| format!("{}{}: a\r\n", token(site), "x".repeat(60_000)),
        body: no_body,
        status: 200,
        limit: LIMIT,
    },
    Worst {
        name: "head: many fields",
        target: || "GET /api/v1/background-sync/status".to_owned(),
        fields: |site| {
            let field = |at| format!("Cookie: {at}\r\nX-{at}: {}\r\n", ",".repeat(1300));
            token(site) + &(0..47).map(field).collect::<String>()
        },
        body: no_body,
        status: 200,
        limit: LIMIT,
    },
    Worst {
        name: "token: a long one",
        target: || "GET /api/v1/background-sync/status".to_owned(),
        fields: |_| format!("Authorization: Bearer a{}\r\n", "=".repeat(ROOM - 100)),
        body: no_body,
        status: 401,
        limit: LIMIT,
    },
    Worst {
        name: "JWT: keys to be tried",
        target: || "GET /api/v1/background-sync/status".to_owned(),
        fields: |site| jwt(site, r#"{"alg":"ES384"}"#, &members(1200)),
        body: no_body,
        status: 401,
        // One poll for each key, and one before.
        limit: FOUR_POLLS,
    },
    Worst {
        name: "JWT: audiences",
        target: || "GET /api/v1/background-sync/status".to_owned(),
        fields: |site| {
            let scopes = format!(r#","scp":[{}]"#, list(r#""a""#, 11_000));
            jwt(site, r#"{"alg":"ES384","kid":"other"}"#, &scopes)
        },
        body: no_body,
        status: 401,
        limit: LIMIT,
    },
    Worst {
        name: "HTTP Basic: a long one",
        target: || "DELETE /api/v1/users/user0/app-password".to_owned(),
        fields: |_| format!("Authorization: Basic {}\r\n", "Ojo6".repeat(16_000)),
        body: no_body,
        status: 403,
        limit: LIMIT,
    },
    Worst {
        name: "HTTP Basic: a body of repeated members",
        target: || "POST /api/v1/users/user0/app-password".to_owned(),
        fields: basic,
        // Refused at its last member, before the password is tried.
        body: || format!(r#"{{{},"username":5}}"#, list(r#""":0"#, ROOM)),
        status: 400,
        limit: LIMIT,
    },
    Worst {
        name: "body: tiny chunks",
        target: || "POST /api/v1/webhooks".to_owned(),
        fields: chunked,
        body: tiny_chunks,
        status: 400,
        limit: LIMIT,
    },
    Worst {
        name: "body: tiny chunks, without a token",
        target: || "POST /api/v1/webhooks".to_owned(),
        fields: |_| "Transfer-Encoding: chunked\r\n".to_owned(),
        body: tiny_chunks,
        status: 401,
        limit: LIMIT,
    },
    Worst {
        name: "credential: repeated members",
        target: || "POST /api/v1/background-sync/credentials".to_owned(),
        fields: token,
        body: repeated_members,
        status: 400,
        limit: LIMIT,
    },
    Worst {
        name: "preset: repeated members",
        target: || "PUT /api/v1/webhook-presets/notes".to_owned(),
        fields: token,
        body: repeated_members,
        status: 400,
        limit: LIMIT,
    },
    Worst {
        name: "webhook: a filter of long lists",
        target: || "POST /api/v1/webhooks".to_owned(),
        fields: token,
        body: || {
            let values = list(&format!(r#""{}""#, "a".repeat(14)), 50_000);
            filter(&format!(r#"{{"user.uid":{{"$in":[{values}]}}}}"#), "")
        },
        status: 200,
        limit: LIMIT,
    },
    Worst {
        name: "webhook: a filter of alternatives",
        target: || "POST /api/v1/webhooks".to_owned(),
        fields: token,
        body: || {
            // As many values as a filter may have.
            let alternatives = vec![r#"{"event.node.path":"/a|b/"}"#; 427].join(",");
            filter(&format!(r#"{{"$or":[{alternatives}]}}"#), "")
        },
        status: 200,
        limit: LIMIT,
    },
    Worst {
        name: "webhook: a filter of many properties",
        target: || "POST /api/v1/webhooks".to_owned(),
        fields: token,
        body: || {
            // As many values as a filter may have.
            let members = (0..999).map(|at| format!(r#""event.node.p{at}":"/a|b/""#));
            let members: Vec<_> = members.collect();
            filter(&format!("{{{}}}", members.join(",")), "")
        },
        status: 200,
        limit: LIMIT,
    },
    Worst {
        name: "match: alternatives, and a long sample",
        target: || "POST /api/v1/events/match".to_owned(),
        fields: token,
        body: || {
            let alternatives = list(r#"{"user.uid":"b"}"#, 3_800);
            let event = json!({"node": {"path": "a".repeat(50_000)}});
            let sample = json!({"event": event, "user": {"uid": "a"}, "time": 1});
            filter(
                &format!(r#"{{"$or":[{alternatives}]}}"#),
                &format!(r#","sample":{sample}"#),
            )
        },
        status: 200,
        limit: LIMIT,
    },
];

/// Prints what each takes, beside the limit; returns whether all are within it.
pub(crate) async fn holds(site: &Site) -> bool {
    let idle = count(site, &[]).await;
    let mut rows = Vec::new();
    let mut holds = true;
    let requests = WORST.iter().map(|worst| {
        let (request, status) = (worst.request(site), Some(worst.status));
        (worst.name, request, status, worst.limit)
    });
    let frames = INPUTS
        .iter()
        .map(|(name, frames)| (*name, frames(), None, FOUR_POLLS));
    for (name, input, status, limit) in requests.chain(frames) {
        let inputs = vec![(input, status); REQUESTS];
        let instructions = (count(site, &inputs).await - idle) / REQUESTS as f64;
        holds &= instructions <= limit;
        rows.push(Row {
            name: name.to_owned(),
            values: vec![Some(instructions.round()), Some(instructions / limit)],
        });
    }
    let table = Table {
        title: "Instructions of the costliest requests, beside the limit".to_owned(),
        columns: ["instructions", "÷ limit"].map(str::to_owned).to_vec(),
        rows,
    };
    println!("\n{table}");
    if !holds {
        println!("Some are above their limit.");
    }
    holds
}

/// The instructions of a process that starts, answers `inputs`, and ends: requests, each with this status, or frames of
/// HTTP/2.
async fn count(site: &Site, inputs: &[(Vec<u8>, Option<u16>)]) -> f64 {
    let process = Server::WithIssuer.start_within(site, Wrapped::Callgrind);
    for (request, expected) in inputs {
        let client = Client::connect(process.address).await.unwrap();
        let Some(expected) = expected else {
            client.frames(request.clone()).await;
            continue;
        };
        let status = client.last_exchange(request.clone()).await.unwrap();
        let line = request.split(|byte| *byte == b'\r').next().unwrap();
        let line = String::from_utf8_lossy(&line[..line.len().min(60)]);
        assert_eq!(status, *expected, "{line}");
    }
    let [count] = process.end(["Collected : "]);
    count
}

// === impl Worst ===

impl Worst {
    fn request(&self, site: &Site) -> Vec<u8> {
        let (target, fields, body) = ((self.target)(), (self.fields)(site), (self.body)());
        let length = match fields.contains("Transfer-Encoding") {
            true => String::new(),
            false => format!("Content-Length: {}\r\n", body.len()),
        };
        format!(
            "{target} HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n{fields}{length}\r\n{body}"
        )
        .into_bytes()
    }
}

//! Stateful webhook registrations, as at the real server: the answers are recorded ones, with these
//! registrations filled in.

use std::collections::VecDeque;

use bytes::Bytes;
use http::{Method, Uri};
use serde_json::{Value, json};

use super::recording::{Recording, Release};

/// Those who may manage webhooks: an administrator, and a delegate.
const PERMITTED: [&str; 2] = ["admin", "carol"];

/// What happens instead of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slip {
    /// The request is not carried out.
    Before(Break),
    /// It is carried out, and then the answer is lost.
    After(Break),
    /// The answer is lost, and it is carried out later, at [`Registrations::release`].
    Held(Break),
    /// It is answered, but not carried out: as if somebody else undid it at once.
    Undone,
}

/// What the caller sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Break {
    /// A page of a proxy with this status.
    Page(u16),
    /// The server's own status 500.
    Internal,
    /// No answer.
    Hang,
    /// The connection is reset.
    Reset,
    /// The app password is no longer accepted.
    Revoked,
    /// Maintenance mode.
    Maintenance,
}

/// The registrations, and the failures of the next requests about them.
#[derive(Clone, Default)]
pub struct Registrations {
    last_id: i64,
    records: Vec<Value>,
    /// By the number of the request from here on; none for one that is answered.
    slips: VecDeque<Option<Slip>>,
    /// What happens to each request after those.
    from_then_on: Option<Slip>,
    /// The requests that are carried out later, with the users who made them.
    held: Vec<(String, Method, Uri, Bytes)>,
}

/// The result of a request.
pub enum Outcome {
    Answered(Recording),
    Broken(Break),
}

// === impl Registrations ===

impl Registrations {
    pub fn records(&self) -> &[Value] {
        &self.records
    }

    /// Adds a registration of another user.
    pub fn add(&mut self, mut record: Value) -> i64 {
        self.last_id += 1;
        record["id"] = self.last_id.into();
        self.records.push(record);
        self.last_id
    }

    pub fn slip(&mut self, slips: impl IntoIterator<Item = Option<Slip>>, then: Option<Slip>) {
        self.slips = slips.into_iter().collect();
        self.from_then_on = then;
    }

    /// Carries out the requests that were held.
    pub fn release(&mut self, version: Release) {
        for (user_id, method, uri, body) in std::mem::take(&mut self.held) {
            self.carry_out(version, &user_id, &method, &uri, &body);
        }
    }

    /// Carries a request out; `None` if it is not about registrations.
    pub fn serve(
        &mut self,
        version: Release,
        user_id: &str,
        method: &Method,
        uri: &Uri,
        body: &Bytes,
    ) -> Option<Outcome> {
        rest(uri)?;
        let slip = match self.slips.pop_front() {
            Some(slip) => slip,
            None => self.from_then_on,
        };
        match slip {
            Some(Slip::Before(what)) => return Some(Outcome::Broken(what)),
            Some(Slip::Held(what)) => {
                let request = (user_id.into(), method.clone(), uri.clone(), body.clone());
                self.held.push(request);
                return Some(Outcome::Broken(what));
            }
            Some(Slip::Undone) => {
                let answer = self.clone().carry_out(version, user_id, method, uri, body);
                return Some(Outcome::Answered(answer));
            }
            Some(Slip::After(_)) | None => {}
        }
        let answer = self.carry_out(version, user_id, method, uri, body);
        Some(match slip {
            Some(Slip::After(what)) => Outcome::Broken(what),
            _ => Outcome::Answered(answer),
        })
    }

    /// Carries out a request about registrations; returns the answer.
    fn carry_out(
        &mut self,
        version: Release,
        user_id: &str,
        method: &Method,
        uri: &Uri,
        body: &Bytes,
    ) -> Recording {
        if !PERMITTED.contains(&user_id) {
            return Recording::of(version, "webhooks-list-user");
        }
        match *method {
            Method::GET => {
                let selected = selected_uri(uri);
                let is_selected = |record: &&Value| match &selected {
                    Some(uri) => record["uri"] == **uri,
                    None => true,
                };
                let list = self.records.iter().filter(is_selected).cloned().collect();
                with_data(Recording::of(version, "webhooks-list-admin"), &list)
            }
            Method::POST => {
                let recording = Recording::of(version, "webhooks-create-minimal-admin");
                let sent: Value = serde_json::from_slice(body).unwrap();
                let mut record = data(&recording);
                let id: Option<i64> = rest(uri).unwrap().trim_start_matches('/').parse().ok();
                record["userId"] = user_id.into();
                for member in ["httpMethod", "uri", "event"] {
                    record[member] = sent[member].clone();
                }
                record["eventFilter"] = as_php(sent.get("eventFilter").unwrap_or(&json!([])));
                if let Some(method) = sent.get("authMethod") {
                    record["authMethod"] = method.clone();
                    record["authData"] = "fa4e|fa4e|fa4e|3".into();
                }
                // One of an id that has gone is answered in the same way, and nothing is stored.
                if let Some(id) = id {
                    record["id"] = id.into();
                    if let Some(there) = self.records.iter_mut().find(|it| it["id"] == id) {
                        *there = record.clone();
                    }
                    return with_data(recording, &record);
                }
                self.add(record);
                with_data(recording, self.records.last().unwrap())
            }
            Method::DELETE => {
                let id = rest(uri).unwrap().trim_start_matches('/');
                let id: i64 = id.parse().unwrap();
                let before = self.records.len();
                self.records.retain(|record| record["id"] != id);
                let name = if self.records.len() == before {
                    "webhooks-delete-again-admin"
                } else {
                    "webhooks-delete-admin"
                };
                Recording::of(version, name)
            }
            _ => Recording::of(version, "ocs-method-not-allowed"),
        }
    }
}

/// The rest of the path after that of all registrations.
fn rest(uri: &Uri) -> Option<&str> {
    let parts = uri.path().split_once("/webhook_listeners/api/v1/webhooks");
    parts.map(|(_, rest)| rest)
}

/// The address that the list is for.
fn selected_uri(uri: &Uri) -> Option<String> {
    let mut parameters = uri.query().unwrap_or_default().split('&');
    let encoded = parameters.find_map(|parameter| parameter.strip_prefix("uri="))?;
    let mut bytes = encoded.bytes();
    let mut decoded = Vec::new();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => {
                let digits = [bytes.next().unwrap(), bytes.next().unwrap()];
                u8::from_str_radix(str::from_utf8(&digits).unwrap(), 16).unwrap()
            }
            b'+' => b' ',
            byte => byte,
        });
    }
    Some(String::from_utf8(decoded).unwrap())
}

/// The `data` of a recorded answer.
fn data(recording: &Recording) -> Value {
    let body = recording.response.body.as_deref().unwrap();
    let body: Value = serde_json::from_str(body).unwrap();
    body["ocs"]["data"].clone()
}

/// The same answer with other `data`, in the server's spelling.
fn with_data(mut recording: Recording, data: &Value) -> Recording {
    let body = recording.response.body.as_deref().unwrap();
    let (head, _) = body.split_once("\"data\":").unwrap();
    let mut text = String::new();
    for unit in data.to_string().replace('/', "\\/").encode_utf16() {
        match char::from_u32(unit.into()).filter(char::is_ascii) {
            Some(c) => text.push(c),
            None => text += &format!("\\u{unit:04x}"),
        }
    }
    recording.response.body = Some(format!("{head}\"data\":{text}}}}}"));
    recording
}

/// The value after PHP has decoded it: there is one type for lists and objects.
fn as_php(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(as_php).collect(),
        Value::Object(members) => {
            let is_list = (0..members.len()).all(|at| members.contains_key(&at.to_string()));
            if is_list {
                (0..members.len()).map(|at| as_php(&members[&at.to_string()])).collect()
            } else {
                members.iter().map(|(key, value)| (key.clone(), as_php(value))).collect()
            }
        }
        _ => value.clone(),
    }
}

//! The successful answers (200) of the endpoints.

use std::time::SystemTime;

use bytes::Bytes;
use http::Response;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use serde::{Serialize, Serializer};

use crate::gateway::AnswerBody;

/// A complete answer of the API.
pub(crate) type Answer = Response<AnswerBody>;

pub(super) fn to_json(value: &impl Serialize) -> Answer {
    json(serialize(value))
}

pub(super) fn done(message: &str) -> Answer {
    to_json(&serde_json::json!({"success": true, "message": message}))
}

/// A value of texts, numbers and names, as JSON.
pub(crate) fn serialize(value: &impl Serialize) -> Bytes {
    serde_json::to_vec(value).expect("texts, numbers and names always serialize").into()
}

/// RFC 3339 in UTC, to the second.
pub(super) fn rfc3339(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(time).to_string()
}

/// The same, written where it is serialized.
pub(super) fn as_rfc3339<S: Serializer>(time: &SystemTime, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&humantime::format_rfc3339_seconds(*time))
}

/// The answer 200 with the JSON object `{"<name>": <value>}`; the value is raw JSON.
pub(super) fn member(name: &str, value: &[u8]) -> Answer {
    json(object(name, value))
}

/// Like [`member`] without a copy, for a large value, whose memory is released once the client has taken the answer.
pub(super) fn large_member(name: &str, value: Bytes) -> Answer {
    let begin = format!(r#"{{"{name}":"#).into();
    let mut answer = json(Bytes::new());
    *answer.body_mut() = AnswerBody::parts([begin, value, Bytes::from_static(b"}")]);
    answer
}

pub(super) fn object(name: &str, value: &[u8]) -> Bytes {
    [&b"{\""[..], name.as_bytes(), b"\":", value, b"}"].concat().into()
}

/// The answer 200 with a JSON body, of any type that converts from bytes.
pub(crate) fn json<B: From<Bytes>>(body: impl Into<Bytes>) -> Response<B> {
    of_kind("application/json", body)
}

/// The same with a body of another kind.
pub(crate) fn of_kind<B: From<Bytes>>(kind: &'static str, body: impl Into<Bytes>) -> Response<B> {
    let mut response = Response::new(B::from(body.into()));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

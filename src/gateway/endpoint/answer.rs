//! The successful answers (200) of the endpoints.

use bytes::{BufMut, Bytes, BytesMut};
use http::Response;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use http_body_util::Full;

/// A complete answer of the API.
pub(in crate::gateway) type Answer = Response<Full<Bytes>>;

/// The answer 200 with the JSON object `{"<name>": <value>}`; the value is raw JSON.
pub(super) fn member(name: &str, value: &[u8]) -> Answer {
    let mut body = BytesMut::with_capacity(name.len() + value.len() + 5);
    body.put_slice(b"{\"");
    body.put_slice(name.as_bytes());
    body.put_slice(b"\":");
    body.put_slice(value);
    body.put_u8(b'}');
    json(body.freeze())
}

/// The answer 200 with a JSON body, of any type that converts from bytes.
pub(in crate::gateway) fn json<B: From<Bytes>>(body: impl Into<Bytes>) -> Response<B> {
    let mut response = Response::new(B::from(body.into()));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

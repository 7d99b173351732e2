//! Header fields that every reader must read alike.

use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{AsHeaderName, HeaderMap, HeaderValue, RETRY_AFTER};
use zeroize::Zeroizing;

/// The field `name`, if there is exactly one: of two, a proxy in front may have checked the other one.
pub(crate) fn only(headers: &HeaderMap, name: impl AsHeaderName) -> Option<&HeaderValue> {
    let mut fields = headers.get_all(name).into_iter();
    let field = fields.next()?;
    fields.next().is_none().then_some(field)
}

/// The time in `Retry-After`: seconds, or a date (RFC 9110, section 10.2.3).
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?;
    let until = || httpdate::parse_http_date(text).ok()?.duration_since(SystemTime::now()).ok();
    text.parse().ok().map(Duration::from_secs).or_else(until)
}

/// The value of an `Authorization` field for a user-id without a colon and a password (RFC 7617, section 2).
pub(crate) fn basic(user_id: &str, password: &str) -> Zeroizing<Vec<u8>> {
    const SCHEME: &[u8] = b"Basic ";
    let pair = user_id.len() + 1 + password.len();
    let len = SCHEME.len() + pair.div_ceil(3) * 4;
    // The pair stands behind the field, in what is room to spare in the end, which is wiped like the rest. The size is
    // known beforehand, so that the text is never moved and leaves no copy behind.
    let mut field = Zeroizing::new(Vec::with_capacity(len + pair));
    field.extend_from_slice(SCHEME);
    field.resize(len, 0);
    for part in [user_id, ":", password] {
        field.extend_from_slice(part.as_bytes());
    }
    let (encoded, pair) = field.split_at_mut(len);
    let encoding = STANDARD.encode_slice(pair, &mut encoded[SCHEME.len()..]);
    encoding.expect("the field has the size of the encoded pair");
    field.truncate(len);
    field
}

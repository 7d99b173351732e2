//! Header fields that every reader must read alike.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{AsHeaderName, HeaderMap, HeaderValue};
use zeroize::Zeroizing;

/// The field `name`, if there is exactly one: of two, a proxy in front may have checked the other one.
pub(crate) fn only(headers: &HeaderMap, name: impl AsHeaderName) -> Option<&HeaderValue> {
    let mut fields = headers.get_all(name).into_iter();
    let field = fields.next()?;
    fields.next().is_none().then_some(field)
}

/// The value of an `Authorization` field for a user-id without a colon and a password (RFC 7617, section
/// 2).
pub(crate) fn basic(user_id: &str, password: &str) -> Zeroizing<String> {
    let pair = Zeroizing::new([user_id, ":", password].concat());
    // The size is known beforehand, so that the text is never moved and leaves no copy behind.
    let mut field = Zeroizing::new(String::with_capacity(6 + pair.len().div_ceil(3) * 4));
    field.push_str("Basic ");
    STANDARD.encode_string(pair.as_bytes(), &mut field);
    field
}

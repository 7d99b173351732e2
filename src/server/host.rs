//! Whether a request names the host that it is for, once and clearly.

use http::header::{HOST, HeaderValue};
use http::{Request, Version};

/// Whether `request` has the `Host` that RFC 9112 (section 3.2) requires, or over HTTP/2 the `:authority` of RFC 9113
/// (section 8.3.1). A proxy in front that reads it differently would otherwise route one request in two ways.
pub(super) fn is_named_once<B>(request: &Request<B>) -> bool {
    let mut fields = request.headers().get_all(HOST).iter();
    let host = fields.next().map(HeaderValue::as_bytes);
    let authority = request.uri().authority().map(|it| it.as_str().as_bytes());
    let are_hosts = host.is_none_or(is_host) && authority.is_none_or(is_host);
    if fields.next().is_some() || !are_hosts {
        return false;
    }
    let version = request.version();
    if version < Version::HTTP_2 {
        // The target counts where it has an authority, but does not replace the field.
        return host.is_some() || version < Version::HTTP_11;
    }
    match (authority, host) {
        (Some(authority), Some(host)) => authority.eq_ignore_ascii_case(host),
        (authority, host) => authority.is_some() || host.is_some(),
    }
}

/// Whether `bytes` has only characters of a host and a port (RFC 3986, section 3.2.2): no user.
fn is_host(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-._~%!$&'()*+,;=:[]".contains(byte))
}

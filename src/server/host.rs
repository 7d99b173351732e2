//! Whether a request names the host that it is for, once and clearly.

use http::header::HOST;
use http::{Request, Version};

/// Whether `request` has the `Host` that RFC 9112 (section 3.2) requires, or over HTTP/2 the `:authority` that RFC 9113
/// (section 8.3.1) requires. What reads it differently, such as a proxy in front, would otherwise route one request
/// in two ways.
pub(super) fn is_named_once<B>(request: &Request<B>) -> bool {
    let mut fields = request.headers().get_all(HOST).iter();
    let host = fields.next();
    if fields.next().is_some() || host.is_some_and(|host| !is_host(host.as_bytes())) {
        return false;
    }
    let version = request.version();
    if version < Version::HTTP_2 {
        // The target counts where it has an authority, but does not replace the field.
        return host.is_some() || version < Version::HTTP_11;
    }
    match (request.uri().authority(), host) {
        (Some(authority), Some(host)) => {
            (authority.as_str().as_bytes()).eq_ignore_ascii_case(host.as_bytes())
        }
        (authority, host) => authority.is_some() || host.is_some(),
    }
}

/// Whether `bytes` has only characters of a host and a port (RFC 3986, section 3.2.2).
fn is_host(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-._~%!$&'()*+,;=:[]".contains(byte))
}

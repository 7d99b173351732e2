//! The trace that a request is part of (W3C Trace Context, section 3.2).

use http::{HeaderMap, HeaderName};

use crate::headers::only;

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// The trace that a request is part of, as its caller says: 32 lower-case hexadecimal digits.
///
/// It is in the log lines of the request and goes no further: no header field of a caller is sent to the groupware server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TraceId([u8; 32]);

impl TraceId {
    /// Reads the one valid `traceparent` field; `None` if there is none: then the request is the start of a trace.
    pub(super) fn from_headers(headers: &HeaderMap) -> Option<Self> {
        only(headers, TRACEPARENT).and_then(|field| Self::parse(field.to_str().ok()?))
    }

    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let mut part =
            |len| parts.next().filter(|part| part.len() == len && part.bytes().all(is_hex));
        let (version, trace_id, parent_id, _flags) = (part(2)?, part(32)?, part(16)?, part(2)?);
        let is_whole = match version {
            "ff" => false,
            "00" => parts.next().is_none(),
            // A later version may have more, after a dash.
            _ => true,
        };
        let is_set = |id: &str| id.bytes().any(|digit| digit != b'0');
        let is_valid = is_whole && is_set(trace_id) && is_set(parent_id);
        is_valid.then(|| trace_id.as_bytes().try_into().ok().map(Self))?
    }

    pub(super) fn as_str(&self) -> &str {
        // Checked to be ASCII when it was read.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

fn is_hex(digit: u8) -> bool {
    matches!(digit, b'0'..=b'9' | b'a'..=b'f')
}

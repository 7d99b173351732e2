//! The `traceparent` of a request: the trace that it is part of (W3C Trace Context, section 3.2).

use std::fmt;

use http::{HeaderMap, HeaderName};

use crate::headers::only;

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// The trace that a request is part of, as its caller says.
///
/// It is in the log lines of the request and goes no further: no header field of a caller is sent to
/// the groupware server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TraceParent {
    trace_id: [u8; 32],
    parent_id: [u8; 16],
    is_sampled: bool,
}

// === impl TraceParent ===

impl TraceParent {
    /// Reads the one `traceparent` field; `None` if there is none, or not exactly one that is valid:
    /// then the request is the start of a trace.
    pub fn of(headers: &HeaderMap) -> Option<Self> {
        only(headers, TRACEPARENT).and_then(|field| Self::parse(field.to_str().ok()?))
    }

    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let mut part = |len| {
            parts
                .next()
                .filter(|it| it.len() == len && it.bytes().all(is_hex))
        };
        let (version, trace_id, parent_id, flags) = (part(2)?, part(32)?, part(16)?, part(2)?);
        let is_whole = match version {
            "ff" => false,
            "00" => parts.next().is_none(),
            // A later version may have more, after a dash.
            _ => true,
        };
        let parent = Self {
            trace_id: trace_id.as_bytes().try_into().ok()?,
            parent_id: parent_id.as_bytes().try_into().ok()?,
            is_sampled: u8::from_str_radix(flags, 16).ok()? & 1 == 1,
        };
        let is_named = parent.trace_id != [b'0'; 32] && parent.parent_id != [b'0'; 16];
        (is_whole && is_named).then_some(parent)
    }

    /// The trace: 32 lower-case hexadecimal digits.
    pub fn trace_id(&self) -> &str {
        // Checked to be ASCII when it was read.
        std::str::from_utf8(&self.trace_id).unwrap_or_default()
    }

    /// The operation of the caller that this request is part of: 16 lower-case hexadecimal digits.
    pub fn parent_id(&self) -> &str {
        std::str::from_utf8(&self.parent_id).unwrap_or_default()
    }

    /// Whether the caller may have recorded the trace.
    pub fn is_sampled(&self) -> bool {
        self.is_sampled
    }
}

impl fmt::Debug for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TraceParent")
            .field("trace_id", &self.trace_id())
            .field("parent_id", &self.parent_id())
            .field("is_sampled", &self.is_sampled)
            .finish()
    }
}

fn is_hex(digit: u8) -> bool {
    matches!(digit, b'0'..=b'9' | b'a'..=b'f')
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    const PARENT: &str = "00f067aa0ba902b7";

    fn read(fields: &[&str]) -> Option<TraceParent> {
        let fields = fields.iter().map(|field| {
            (
                TRACEPARENT,
                HeaderValue::from_bytes(field.as_bytes()).unwrap(),
            )
        });
        TraceParent::of(&fields.collect())
    }

    #[test]
    fn one_that_is_valid_is_adopted() {
        for (version, flags, more, is_sampled) in [
            ("00", "01", "", true),
            ("00", "00", "", false),
            ("00", "ff", "", true),
            ("00", "0a", "", false),
            // Versions to come.
            ("01", "01", "", true),
            ("cc", "03", "-what-the-future-will-be-like", true),
            ("01", "01", "-", true),
        ] {
            let field = format!("{version}-{TRACE}-{PARENT}-{flags}{more}");
            let read = read(&[&field]).unwrap_or_else(|| panic!("{field}"));
            assert_eq!((read.trace_id(), read.parent_id()), (TRACE, PARENT));
            assert_eq!(read.is_sampled(), is_sampled, "{field}");
        }
    }

    #[test]
    fn anything_else_is_ignored() {
        let valid = format!("00-{TRACE}-{PARENT}-01");
        assert!(read(&[&valid]).is_some());
        assert!(read(&[]).is_none());
        assert!(read(&[&valid, &valid]).is_none());
        for at in 0..valid.len() {
            assert!(read(&[&valid[..at]]).is_none(), "cut at {at}");
            for wrong in ["g", "A", " ", "é", "_"] {
                let damaged = format!("{}{wrong}{}", &valid[..at], &valid[at + 1..]);
                assert!(read(&[&damaged]).is_none(), "{damaged}");
            }
        }
        let zeros = "0".repeat(32);
        for wrong in [
            format!("ff-{TRACE}-{PARENT}-01"),
            format!("00-{zeros}-{PARENT}-01"),
            format!("00-{TRACE}-{}-01", &zeros[..16]),
            format!("00-{TRACE}-{PARENT}-01-"),
            format!("00-{TRACE}-{PARENT}-01-more"),
            format!("01-{TRACE}-{PARENT}-01more"),
            format!("00-{TRACE}-{PARENT}-1"),
            format!(" {valid}"),
            valid.to_uppercase(),
        ] {
            assert!(read(&[&wrong]).is_none(), "{wrong}");
        }
    }
}

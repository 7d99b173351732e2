//! The names of methods in the log and in metrics.

use http::Method;

/// The methods of HTTP itself (RFC 9110, RFC 5789). Clients can make up any others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[expect(missing_docs, reason = "each is the method it is named after")]
pub enum MethodName {
    Get,
    Head,
    Post,
    Put,
    Delete,
    Connect,
    Options,
    Trace,
    Patch,
    Other,
}

// === impl MethodName ===

impl MethodName {
    /// All of them, in the order of their discriminants.
    pub const ALL: [Self; 10] = [
        Self::Get,
        Self::Head,
        Self::Post,
        Self::Put,
        Self::Delete,
        Self::Connect,
        Self::Options,
        Self::Trace,
        Self::Patch,
        Self::Other,
    ];

    /// The name of `method`.
    pub fn of(method: &Method) -> Self {
        match *method {
            Method::GET => Self::Get,
            Method::HEAD => Self::Head,
            Method::POST => Self::Post,
            Method::PUT => Self::Put,
            Method::DELETE => Self::Delete,
            Method::CONNECT => Self::Connect,
            Method::OPTIONS => Self::Options,
            Method::TRACE => Self::Trace,
            Method::PATCH => Self::Patch,
            _ => Self::Other,
        }
    }

    /// The method itself, or `other`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
            Self::Connect => "CONNECT",
            Self::Options => "OPTIONS",
            Self::Trace => "TRACE",
            Self::Patch => "PATCH",
            Self::Other => "other",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_at_the_place_of_its_number_and_is_found() {
        for (at, name) in MethodName::ALL.into_iter().enumerate() {
            assert_eq!(name as usize, at);
            let method: Method = name.as_str().parse().unwrap();
            assert_eq!(MethodName::of(&method), name);
        }
        assert_eq!(MethodName::of(&"get".parse().unwrap()), MethodName::Other);
    }
}

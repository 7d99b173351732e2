//! The names of methods in the log and in metrics.

use http::Method;

use crate::labels::labels;

labels! {
    /// The methods of HTTP itself (RFC 9110, RFC 5789). Clients can make up any others.
    #[expect(missing_docs, reason = "each is the method it is named after")]
    pub enum MethodName {
        Get = "GET",
        Head = "HEAD",
        Post = "POST",
        Put = "PUT",
        Delete = "DELETE",
        Connect = "CONNECT",
        Options = "OPTIONS",
        Trace = "TRACE",
        Patch = "PATCH",
        Other = "other",
    }
}

impl From<&Method> for MethodName {
    fn from(method: &Method) -> Self {
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
}

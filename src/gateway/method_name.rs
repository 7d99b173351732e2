//! The names of methods in the log and in metrics.

use http::Method;

use crate::labels::labels;

labels! {
    /// The methods of HTTP (RFC 9110, RFC 5789), WebDAV and CalDAV. Clients can make up any others.
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
        Propfind = "PROPFIND",
        Proppatch = "PROPPATCH",
        Report = "REPORT",
        Mkcol = "MKCOL",
        Mkcalendar = "MKCALENDAR",
        Copy = "COPY",
        Move = "MOVE",
        Lock = "LOCK",
        Unlock = "UNLOCK",
        Other = "other",
    }
}

impl From<&Method> for MethodName {
    fn from(method: &Method) -> Self {
        Self::named(method.as_str()).unwrap_or(Self::Other)
    }
}

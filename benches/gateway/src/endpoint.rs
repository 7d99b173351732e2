//! The measured requests.
use crate::forward::NOTES;
use crate::servers::Server;

/// A request, and the answer of the groupware server.
pub(crate) struct Endpoint {
    pub(crate) method: &'static str,
    /// `{user}` is who requests it.
    pub(crate) path: &'static str,
    /// Header fields, each with its end.
    pub(crate) fields: &'static str,
    /// Empty if there is none.
    pub(crate) body: &'static str,
    /// The groupware server's answer to its call.
    pub(crate) answer: &'static str,
    /// The number of entries in the list or object of the answer.
    pub(crate) entries: usize,
}

pub(crate) const LIST: Endpoint = Endpoint {
    method: "GET",
    path: "/api/v1/webhooks",
    fields: "Accept: application/json\r\n",
    body: "",
    answer: "10 registrations in 5 kB, passed on",
    entries: 10,
};

const APPS: Endpoint = Endpoint {
    method: "GET",
    path: "/api/v1/apps",
    fields: "Accept: application/json\r\n",
    body: "",
    answer: "33 names out of 11 kB of capabilities",
    entries: 33,
};

/// With a filter, which is checked before the call.
const CREATE: Endpoint = Endpoint {
    method: "POST",
    path: "/api/v1/webhooks",
    fields: "Accept: application/json\r\nContent-Type: application/json\r\n",
    body: r#"{"event":"OCP\\Files\\Events\\Node\\NodeWrittenEvent","uri":"http://gateway.example.test:8000/webhooks/nextcloud","eventFilter":{"event.node.path":"/^\\/.*\\/files\\/Notes\\//","user.uid":"alice"}}"#,
    answer: "a registration with a filter, passed on",
    entries: 11,
};

pub(crate) const ENDPOINTS: [Endpoint; 3] = [LIST, APPS, CREATE];

/// What is counted of the binary alone.
pub(crate) const COUNTED: [(Server, Endpoint); 4] = [
    (Server::Portreeve, LIST),
    (Server::Portreeve, APPS),
    (Server::Portreeve, CREATE),
    (Server::Forwarding, NOTES),
];

// === impl Endpoint ===

impl Endpoint {
    /// Its name in tables.
    pub(crate) fn title(&self) -> String {
        format!("`{} {}` ({})", self.method, self.path, self.answer)
    }
}

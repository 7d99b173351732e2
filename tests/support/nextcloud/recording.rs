//! What a real server answered and delivered.

use serde::Deserialize;

/// An exchange with a real server.
#[derive(Clone, Deserialize)]
pub struct Recording {
    pub request: RecordedRequest,
    pub response: RecordedResponse,
}

#[derive(Clone, Deserialize)]
pub struct RecordedRequest {
    pub method: String,
    pub path: String,
    pub query: String,
    pub body: Option<String>,
}

#[derive(Clone, Deserialize)]
pub struct RecordedResponse {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Option<String>,
}

/// A delivery of a real server.
#[derive(Clone, Deserialize)]
pub struct RecordedDelivery {
    pub request: DeliveryRequest,
}

#[derive(Clone, Deserialize)]
pub struct DeliveryRequest {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl RecordedDelivery {
    /// Reads the recording of that name.
    pub fn load(name: &str) -> Self {
        load(name)
    }
}

fn load<T: serde::de::DeserializeOwned>(name: &str) -> T {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recordings/nextcloud");
    let text = std::fs::read_to_string(format!("{folder}/{name}.json"))
        .unwrap_or_else(|error| panic!("recording {name}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("recording {name}: {error}"))
}

impl Recording {
    /// Reads the recording of that name.
    pub fn load(name: &str) -> Self {
        load(name)
    }

    pub fn key(&self) -> String {
        key(&self.request.method, &self.request.path)
    }
}

/// Method and path, with what differs between a recording and a test left out: a prefix, the
/// front controller, the version of the interface, and the id of a record.
pub fn key(method: &str, path: &str) -> String {
    let start = path
        .find("/ocs/")
        .or_else(|| path.find("/login/"))
        .unwrap_or(0);
    let path = path[start..].replace("/ocs/v1.php", "/ocs/v2.php");
    let path = match path.split_once("/webhooks/") {
        Some((collection, _)) => format!("{collection}/webhooks/{{id}}"),
        None => path,
    };
    format!("{method} {path}")
}

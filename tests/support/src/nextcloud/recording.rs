//! Recorded answers and deliveries of a real server.

use serde::Deserialize;

/// A version of Nextcloud whose answers were recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Release {
    /// 32.0.1.
    #[default]
    V32,
    /// 34.0.1.
    V34,
}

impl Release {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::V32, Self::V34];

    fn folder(self) -> &'static str {
        match self {
            Self::V32 => "nextcloud",
            Self::V34 => "nextcloud-34.0.1",
        }
    }

    /// The text of a recording, if there is one with this name.
    fn read(self, name: &str) -> Option<String> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../recordings");
        std::fs::read_to_string(format!("{folder}/{}/{name}.json", self.folder())).ok()
    }

    /// Whether it was recorded from this version.
    pub fn has(self, name: &str) -> bool {
        self.read(name).is_some()
    }
}

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
    /// Reads the recording with this name, of `version` if it was recorded from that.
    pub fn of(version: Release, name: &str) -> Self {
        load(version, name)
    }
}

fn load<T: serde::de::DeserializeOwned>(version: Release, name: &str) -> T {
    let text = version
        .read(name)
        .or_else(|| Release::ALL.into_iter().find_map(|other| other.read(name)))
        .unwrap_or_else(|| panic!("there is no recording {name}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("recording {name}: {error}"))
}

impl Recording {
    /// Reads the recording with this name, of the oldest version that has it.
    pub fn load(name: &str) -> Self {
        Self::of(Release::default(), name)
    }

    /// Reads the recording of that name, of `version` if that was recorded doing it: what a version
    /// does as another one does was recorded once.
    pub fn of(version: Release, name: &str) -> Self {
        load(version, name)
    }

    pub fn key(&self) -> String {
        key(&self.request.method, &self.request.path)
    }
}

/// Method and path, with what differs between a recording and a test left out: a prefix, the
/// front controller, the version of the interface, and the id of a record.
pub fn key(method: &str, path: &str) -> String {
    let start = path.find("/ocs/").or_else(|| path.find("/login/")).unwrap_or(0);
    let path = path[start..].replace("/ocs/v1.php", "/ocs/v2.php");
    let path = match path.split_once("/webhooks/") {
        Some((collection, _)) => format!("{collection}/webhooks/{{id}}"),
        None => path,
    };
    format!("{method} {path}")
}

//! The recordings: messages of a real Servatrice 3.1.0, messages built with Google's protobuf
//! library, and damaged ones with the verdicts of Google's libraries.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use serde::Deserialize;
use serde_json::Value;

/// The recordings of whole connections, both directions.
pub(crate) const TWO_WAY: [&str; 14] = [
    "odd-transport",
    "tcp-flood",
    "tcp-game-player-a",
    "tcp-guest",
    "tcp-moderator",
    "tcp-register-activate",
    "tcp-room-chat",
    "websocket-four-players",
    "websocket-fragments",
    "websocket-game-player-a",
    "websocket-game-spectator",
    "websocket-idle",
    "websocket-room-chat",
    "websocket-shutdown",
];

/// A line of a recorded connection: bytes of either side, or a remark.
#[derive(Debug, Deserialize)]
pub(crate) struct Line {
    /// Number of the connection, in a recording of several.
    #[cfg(feature = "game-client")]
    pub(crate) connection: Option<u32>,
    /// `c2s`, `s2c`, or `-` for a remark.
    #[cfg(feature = "game-client")]
    pub(crate) dir: String,
    /// `message`, `greeting`, `handshake`, `ping`, …
    #[cfg(feature = "game-client")]
    pub(crate) kind: String,
    #[serde(default)]
    hex: String,
    /// How many of the last bytes are the message.
    message: Option<usize>,
    /// The message, where the bytes do not show it: masked, or joined.
    joined: Option<String>,
    #[cfg(feature = "game-client")]
    #[serde(default)]
    pub(crate) note: String,
    /// The type of the message, if it can be read.
    #[serde(rename = "type")]
    pub(crate) message_type: Option<String>,
    /// Its JSON, by Google's library.
    #[serde(default)]
    pub(crate) expected: Value,
}

impl Line {
    /// All bytes that were sent.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        unhex(&self.hex)
    }

    /// The message among them.
    pub(crate) fn message(&self) -> Option<Vec<u8>> {
        let raw = self.bytes();
        let last = |length| raw[raw.len() - length..].to_vec();
        let joined = self.joined.as_deref().map(unhex);
        joined.or_else(|| self.message.map(last))
    }
}

/// The lines of a recorded connection, or of several.
pub(crate) fn two_way(name: &str) -> Vec<Line> {
    let text = String::from_utf8(bytes(&format!("duplex/{name}.jsonl.gz"))).unwrap();
    text.lines().map(|line| Line::deserialize(&mut deserializer(line)).unwrap()).collect()
}

/// A recorded or constructed message.
#[derive(Debug, Deserialize)]
pub(crate) struct Record {
    /// Number of the record.
    #[serde(default)]
    pub(crate) n: u32,
    /// What a constructed message is meant to show.
    #[serde(default)]
    pub(crate) kind: String,
    /// The verdict of Google's libraries.
    #[serde(default)]
    pub(crate) verdict: String,
    /// The `ServerMessage`, `CommandContainer` or `GameReplay`, in hex.
    #[serde(default)]
    message: Option<String>,
    /// The `Response`, in hex.
    #[serde(default)]
    response: Option<String>,
    /// The JSON of the `Response`, by Google's library.
    #[serde(default)]
    pub(crate) expected: Value,
    /// Kind of the envelope.
    #[serde(default, rename = "type")]
    pub(crate) message_type: Option<String>,
    /// Commands or events in it, in order.
    #[serde(default)]
    pub(crate) names: Vec<String>,
    /// The event of a `ServerMessage`, in hex.
    #[serde(default)]
    event: Option<String>,
    /// The name of a replay.
    #[serde(default)]
    pub(crate) name: String,
}

impl Record {
    /// The bytes of the `ServerMessage`, `CommandContainer` or `GameReplay`.
    pub(crate) fn message(&self) -> Vec<u8> {
        unhex(self.message.as_deref().unwrap())
    }

    /// The bytes of the event.
    pub(crate) fn event(&self) -> Vec<u8> {
        unhex(self.event.as_deref().unwrap())
    }

    /// The bytes of the `Response`.
    pub(crate) fn response(&self) -> Vec<u8> {
        unhex(self.response.as_deref().unwrap())
    }
}

/// One file of records.
pub(crate) fn records(name: &str) -> Vec<Record> {
    let text = String::from_utf8(bytes(&format!("{name}.jsonl.gz"))).unwrap();
    text.lines().map(|line| Record::deserialize(&mut deserializer(line)).unwrap()).collect()
}

/// A packed file, unpacked.
pub(crate) fn bytes(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/game").join(name);
    let mut bytes = Vec::new();
    GzDecoder::new(File::open(path).unwrap()).read_to_end(&mut bytes).unwrap();
    bytes
}

/// JSON of any depth.
pub(crate) fn json(text: &str) -> Value {
    Value::deserialize(&mut deserializer(text)).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Whether two values are the same JSON: numbers are compared as numbers, whatever their digits.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

fn deserializer(text: &str) -> serde_json::Deserializer<serde_json::de::StrRead<'_>> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.disable_recursion_limit();
    deserializer
}

pub(crate) fn unhex(text: &str) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).unwrap() as u8;
    let (pairs, _) = text.as_bytes().as_chunks::<2>();
    pairs.iter().map(|[high, low]| digit(*high) << 4 | digit(*low)).collect()
}

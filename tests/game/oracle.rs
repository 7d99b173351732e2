//! The reader compared with an independent decoder that reads `proto/` itself: `prost-reflect`, with the
//! schema compiled by `protox`.
//!
//! Where the two differ, `tests/data/game/oracle_differences.txt` says why; a difference that it
//! does not list fails the tests, and so does an entry that no message needs any more.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use portreeve::game::command::{
    AdminCommandKind, DeveloperCommandKind, GameCommandKind, ModeratorCommandKind, RoomCommandKind,
    SessionCommandKind,
};
use portreeve::game::context::ContextKind;
use portreeve::game::event::{GameEventKind, RoomEventKind, SessionEventKind};
use portreeve::game::payload::PayloadKind;
use portreeve::game::{
    CommandContainer, DecodeError, Fault, GameReplay, Message, Response, ServerMessage, check, json,
};
use prost_reflect::{
    Cardinality, DescriptorPool, DynamicMessage, MessageDescriptor, ReflectMessage,
    SerializeOptions, Value,
};
use serde_json::Value as Json;

use crate::data::{self, same};
use crate::generate;

pub(crate) static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("proto");
    let files = [
        "server_message.proto",
        "command.proto",
        "replay.proto",
        "command",
        "event",
        "info",
        "payload",
    ];
    let files = files.iter().flat_map(|entry| match root.join(entry) {
        folder if folder.is_dir() => {
            folder.read_dir().unwrap().map(|file| file.unwrap().path()).collect()
        }
        file => vec![file],
    });
    let mut compiler = protox::Compiler::new([&root]).unwrap();
    compiler.open_files(files).unwrap().descriptor_pool()
});

/// The fields that are enums; where a field of the same name is a number, the reader has one too.
const ENUMS: [&str; 8] = [
    "response_code",
    "type",
    "message_type",
    "server_options",
    "reason",
    "notice_type",
    "attribute",
    "target_mode",
];

/// The schema's description of a message.
pub(crate) fn descriptor(name: &str) -> MessageDescriptor {
    POOL.get_message_by_name(name).unwrap()
}

/// What the oracle reads of a message of this name, or why it reads nothing.
fn oracle(name: &str, bytes: &[u8]) -> Result<Json, String> {
    let message = DynamicMessage::decode(descriptor(name), bytes);
    let message = message.map_err(|error| error.to_string())?;
    if let Some(name) = missing(&message) {
        return Err(format!("required field {name} is missing"));
    }
    let options = SerializeOptions::new().use_proto_field_name(true).skip_default_fields(true);
    let mut out = Vec::new();
    let mut serializer = serde_json::Serializer::new(&mut out);
    let written = message.serialize_with_options(&mut serializer, &options);
    written.map_err(|error| error.to_string())?;
    Ok(data::json(str::from_utf8(&out).unwrap()))
}

/// The oracle decodes messages that lack a required field.
fn missing(message: &DynamicMessage) -> Option<String> {
    let required = |field: &prost_reflect::FieldDescriptor| {
        field.cardinality() == Cardinality::Required && !message.has_field(field)
    };
    let here = message.descriptor().fields().find(required);
    here.map(|field| field.name().to_owned()).or_else(|| {
        let fields = message.fields().map(|(_, value)| value);
        let extensions = message.extensions().map(|(_, value)| value);
        fields.chain(extensions).find_map(|value| match value {
            Value::Message(message) => missing(message),
            Value::List(values) => values.iter().filter_map(Value::as_message).find_map(missing),
            _ => None,
        })
    })
}

/// What the reader reads of a message of this name, or why it reads nothing.
fn reader(name: &str, bytes: &[u8]) -> Result<Json, DecodeError> {
    match name {
        "Response" => read::<Response<'_>>(bytes),
        "ServerMessage" => read::<ServerMessage<'_>>(bytes),
        "CommandContainer" => read::<CommandContainer<'_>>(bytes),
        "GameReplay" => read::<GameReplay<'_>>(bytes),
        _ => unreachable!("a message without an envelope"),
    }
}

fn read<'a, M: Message<'a>>(bytes: &'a [u8]) -> Result<Json, DecodeError> {
    let message = M::parse(bytes)?;
    check::<M>(bytes)?;
    Ok(data::json(&json::to_string(&message)?))
}

/// A named difference, or `None` if the two agree.
fn difference(name: &str, bytes: &[u8]) -> Option<&'static str> {
    match (reader(name, bytes), oracle(name, bytes)) {
        (Err(_), Err(_)) => None,
        (Ok(ours), Ok(theirs)) => {
            let mut rule = None;
            let theirs = closed(theirs, &ours, &mut rule);
            if same(&ours, &theirs) {
                rule
            } else {
                panic!("{}\n{ours}\n{theirs}", bytes.escape_ascii())
            }
        }
        (Ok(_), Err(error)) => Some(accepted(&error).unwrap_or_else(|| {
            panic!("only the oracle rejects: {error}: {}", bytes.escape_ascii())
        })),
        (Err(error), Ok(_)) => Some(rejected(error.fault()).unwrap_or_else(|| {
            panic!("only the reader rejects: {error}: {}", bytes.escape_ascii())
        })),
    }
}

/// Drops the enum numbers that the schema does not have from what the oracle read: it treats enums
/// as open.
fn closed(theirs: Json, ours: &Json, rule: &mut Option<&'static str>) -> Json {
    match theirs {
        Json::Object(fields) => Json::Object(
            fields
                .into_iter()
                .filter_map(|(name, value)| {
                    let mine = ours.get(&name);
                    if ENUMS.contains(&name.as_str())
                        && value.is_number()
                        && !mine.is_some_and(Json::is_number)
                    {
                        *rule = Some("closed_enum");
                        // An earlier value that the schema has remains valid.
                        return mine.map(|mine| (name, mine.clone()));
                    }
                    let value = closed(value, mine.unwrap_or(&Json::Null), rule);
                    Some((name, value))
                })
                .collect(),
        ),
        Json::Array(values) => Json::Array(
            values
                .into_iter()
                .enumerate()
                .map(|(index, value)| closed(value, ours.get(index).unwrap_or(&Json::Null), rule))
                .collect(),
        ),
        value => value,
    }
}

/// Why the oracle rejects what the reader accepts.
fn accepted(error: &str) -> Option<&'static str> {
    let rules = [("UTF-8", "text"), ("wire type", "wire_type"), ("varint", "tenth_byte")];
    let mut rules = rules.into_iter();
    rules.find_map(|(text, rule)| error.contains(text).then_some(rule))
}

/// Why the reader rejects what the oracle accepts.
fn rejected(fault: Fault) -> Option<&'static str> {
    match fault {
        Fault::TagTooLong => Some("long_tag"),
        Fault::LengthTooLong => Some("long_length"),
        _ => None,
    }
}

fn listed() -> BTreeMap<&'static str, &'static str> {
    include_str!("../data/game/oracle_differences.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(": "))
        .collect()
}

/// A difference must be listed.
fn assert_listed(name: &str, bytes: &[u8]) -> Option<&'static str> {
    let rule = difference(name, bytes)?;
    assert!(listed().contains_key(rule), "{rule}: {}", bytes.escape_ascii());
    Some(rule)
}

#[test]
fn recorded_constructed_and_damaged_messages_agree_with_the_oracle() {
    let mut met: BTreeMap<_, u32> = listed().into_keys().map(|rule| (rule, 0)).collect();
    let records = ["synthetic", "malformed"].into_iter().flat_map(data::records);
    // A length of six bytes, which no recording has.
    let long_length = b"\x08\x01\xca\x3f\x80\x80\x80\x80\x80\x00".to_vec();
    for bytes in records.map(|record| record.response()).chain([long_length]) {
        if let Some(rule) = assert_listed("Response", &bytes) {
            *met.get_mut(rule).unwrap() += 1;
        }
    }
    for record in data::records("frames") {
        let message = record.message();
        let message = ServerMessage::parse(&message).unwrap();
        if let Some(response) = message.response().unwrap() {
            assert_eq!(assert_listed("Response", &response.to_vec()), None);
        }
    }
    for record in data::records("commands") {
        assert_eq!(assert_listed("CommandContainer", &record.message()), None);
    }
    for record in data::records("events") {
        assert_eq!(assert_listed("ServerMessage", &record.message()), None);
    }
    for record in data::records("replays") {
        assert_eq!(assert_listed("GameReplay", &record.message()), None);
    }
    // The list must not go stale: an entry that no message needs any more must be removed.
    assert_eq!(met.into_iter().find(|(_, count)| *count == 0), None);
}

/// The messages that a peer sends or a file contains.
const ENVELOPES: [&str; 4] = ["Response", "ServerMessage", "CommandContainer", "GameReplay"];

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(512))]

    /// Messages as the schema has them, with fields in any order and more than once, in pieces,
    /// packed, with longer varints than needed, and with fields that the schema does not have.
    #[test]
    fn generated_messages_agree_with_the_oracle(seed: u64) {
        for name in ENVELOPES {
            let bytes = generate::message(name, seed);
            assert_listed(name, &bytes);
        }
    }

    /// The same with bytes changed, removed or inserted.
    #[test]
    fn damaged_generated_messages_agree_with_the_oracle(seed: u64, damage: [u64; 3]) {
        for name in ENVELOPES {
            let bytes = generate::damaged(generate::message(name, seed), &damage);
            assert_listed(name, &bytes);
        }
    }
}

/// Each extension of each envelope, so that none depends on chance.
#[test]
fn generated_messages_of_every_kind_agree_with_the_oracle() {
    let mut kinds = 0;
    for extension in POOL.all_extensions() {
        for seed in 0..40 {
            let (name, bytes) = generate::extended(&extension, seed);
            assert_listed(name, &bytes);
        }
        kinds += 1;
    }
    let commands = SessionCommandKind::ALL.len()
        + RoomCommandKind::ALL.len()
        + GameCommandKind::ALL.len()
        + ModeratorCommandKind::ALL.len()
        + AdminCommandKind::ALL.len()
        + DeveloperCommandKind::ALL.len();
    let events = SessionEventKind::ALL.len() + RoomEventKind::ALL.len() + GameEventKind::ALL.len();
    let others = PayloadKind::ALL.len() + ContextKind::ALL.len();
    assert_eq!(kinds, commands + events + others);
}

//! Compares the complete schema with the files of `proto/`, compiled by `protox`: every message, field, default,
//! enum and extension, and checks the assumptions of the reader about them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use prost_reflect::{
    DescriptorPool, EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor, Value,
};

use super::command::CommandContainer;
use super::payload;
use super::{GameReplay, ServerMessage};
use crate::game::runtime::decode::Decode;
use crate::game::runtime::describe::{Description, FieldDescription, Label, ValueKind};
use crate::game::runtime::fragments::{MAX_NUMBER, MAX_STEPS};
use crate::game::runtime::scalar::Number;

/// The messages that no other message contains.
const OUTERMOST: [&Description; 8] = [
    ServerMessage::DESCRIPTION,
    CommandContainer::DESCRIPTION,
    GameReplay::DESCRIPTION,
    payload::DeckShareCreate::DESCRIPTION,
    payload::DeckShareList::DESCRIPTION,
    payload::DeckShareDownload::DESCRIPTION,
    payload::DeckShareListMine::DESCRIPTION,
    payload::GetServerStats::DESCRIPTION,
];

/// A line for each field and extension, by the name of the message.
type Messages = BTreeMap<String, Vec<String>>;

#[test]
fn every_message_is_as_in_proto() {
    let (ours, theirs) = (ours(), theirs());
    let mut differences = Vec::new();
    for name in theirs.keys().chain(ours.keys()) {
        match (ours.get(name), theirs.get(name)) {
            (Some(ours), Some(theirs)) => {
                let others = theirs.iter().filter(|line| !ours.contains(line));
                differences.extend(others.map(|line| format!("{name} lacks {line}")));
                let others = ours.iter().filter(|line| !theirs.contains(line));
                differences.extend(others.map(|line| format!("proto/ lacks {line} of {name}")));
            }
            (None, _) => differences.push(format!("the schema lacks {name}")),
            (_, None) => differences.push(format!("proto/ lacks {name}")),
        }
    }
    differences.sort();
    differences.dedup();
    assert!(differences.is_empty(), "{differences:#?}");
}

#[test]
fn a_message_in_fragments_has_a_path() {
    let number = |field: &FieldDescriptor| field.number();
    for message in proto().all_messages() {
        let extensions = message.extensions().map(|extension| extension.number());
        let largest = message
            .fields()
            .map(|field| number(&field))
            .chain(extensions)
            .max();
        assert!(
            largest <= Some(MAX_NUMBER),
            "{} has {largest:?}",
            message.full_name()
        );
        let steps = steps(&message, &mut Vec::new());
        assert!(
            steps <= MAX_STEPS,
            "{} has {steps} levels",
            message.full_name()
        );
    }
}

/// The depth of nested sub-messages that are not repeated.
fn steps(message: &MessageDescriptor, outer: &mut Vec<String>) -> usize {
    let name = message.full_name().to_owned();
    assert!(!outer.contains(&name), "{name} contains itself");
    outer.push(name);
    let fields = message
        .fields()
        .filter(|field| !field.is_list())
        .map(|field| field.kind());
    let extensions = message.extensions().map(|extension| extension.kind());
    let below = fields.chain(extensions).filter_map(|kind| match kind {
        Kind::Message(of) => Some(1 + steps(&of, outer)),
        _ => None,
    });
    let deepest = below.max().unwrap_or_default();
    outer.pop();
    deepest
}

// === the files ===

fn proto() -> DescriptorPool {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("proto");
    let set = protox::compile(files(&root), [&root]).unwrap();
    DescriptorPool::from_file_descriptor_set(set).unwrap()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = folder
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| match path.is_dir() {
            true => files(&path),
            false => vec![path],
        })
        .collect()
}

fn theirs() -> Messages {
    let messages = proto();
    let messages = messages.all_messages().map(|message| {
        let mut fields: Vec<_> = message.fields().collect();
        fields.sort_by_key(|field| field.number());
        let mut extensions: Vec<_> = message.extensions().collect();
        extensions.sort_by_key(|extension| extension.number());
        let extensions = extensions.iter().map(|extension| {
            let Kind::Message(of) = extension.kind() else {
                panic!("{} is not a message", extension.full_name());
            };
            let name = extension.full_name();
            format!("{} [{name}] {}", extension.number(), of.full_name())
        });
        let fields = fields.iter().map(their_field);
        (
            message.full_name().to_owned(),
            fields.chain(extensions).collect(),
        )
    });
    messages.collect()
}

fn their_field(field: &FieldDescriptor) -> String {
    let default = match field.default_value() {
        _ if field.is_list() => None,
        Value::EnumNumber(number) | Value::I32(number) => Some(Number::I32(number)),
        Value::Bool(value) => Some(Number::Bool(value)),
        Value::U32(number) => Some(Number::U32(number)),
        Value::I64(number) => Some(Number::I64(number)),
        Value::U64(number) => Some(Number::U64(number)),
        Value::F64(number) => Some(Number::F64(number)),
        _ => None,
    };
    // The getters of text and bytes have no default but the empty one.
    if matches!(field.kind(), Kind::String | Kind::Bytes) {
        assert_eq!(field.field_descriptor_proto().default_value, None);
    }
    let kind = match field.kind() {
        Kind::Message(of) => of.full_name().to_owned(),
        Kind::Enum(of) => their_values(&of),
        kind => format!("{kind:?}"),
    };
    let (label, number, name) = (field.cardinality(), field.number(), field.name());
    format!("{number} {label:?} {kind} {name} {default:?}")
}

fn their_values(of: &EnumDescriptor) -> String {
    let values = of
        .values()
        .map(|value| (value.name().to_owned(), value.number()));
    format!("{:?}", values.collect::<Vec<_>>())
}

// === the reader ===

fn ours() -> Messages {
    let mut found = Messages::new();
    let mut left = OUTERMOST.to_vec();
    while let Some(message) = left.pop() {
        if found.contains_key(message.name) {
            continue;
        }
        let defaults: BTreeMap<_, _> = (message.defaults)().into_iter().collect();
        let mut fields: Vec<_> = message.fields.iter().collect();
        fields.sort_by_key(|known| known.field.number);
        let mut lines: Vec<_> = fields
            .iter()
            .map(|known| our_field(known, defaults.get(&known.field.number)))
            .collect();
        left.extend(fields.iter().filter_map(|known| match known.kind {
            ValueKind::Message(of) => Some(of()),
            _ => None,
        }));
        for payload in message.payloads {
            let (number, name, of) = (payload.number, payload.name, (payload.message)());
            lines.push(format!("{number} {name} {}", of.name));
            left.push(of);
        }
        found.insert(message.name.to_owned(), lines);
    }
    found
}

fn our_field(known: &FieldDescription, default: Option<&Number>) -> String {
    let kind = match known.kind {
        ValueKind::Message(of) => of().name.to_owned(),
        ValueKind::Enum(values) => format!("{values:?}"),
        ValueKind::Text => "string".to_owned(),
        kind => format!("{kind:?}").to_lowercase(),
    };
    let label = match known.label {
        Label::Optional => "Optional",
        Label::Required => "Required",
        Label::Repeated => "Repeated",
    };
    let (number, name) = (known.field.number, known.field.name);
    format!("{number} {label} {kind} {name} {default:?}")
}

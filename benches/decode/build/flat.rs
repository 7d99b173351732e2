//! The flat schema: the same bytes on the wire, in a form that every peer's generator takes.
//!
//! - Payloads are fields of `Response`, since most peers have no extensions.
//! - Nested types are at the top level, and names have no prefix, as those of the reader's types, so that each
//!   message has one name in all of the peers' code.
//! - Defaults are left out: with them some peers cannot tell whether a field was present.
//! - `ServerMessageHead` and `ResponseHead` are the same with every message in them as `bytes`: the
//!   answer, and each payload. For a task that asks only which payload there is, this is the fastest
//!   a peer can be. To hand over the answer as bytes, which are then read as a `ResponseHead`, is
//!   faster for all of them than to read it as a part of the envelope.
use std::fmt::Write as _;
use std::{error::Error, fs, path::Path};

use protox::prost_reflect::{Cardinality, EnumDescriptor, Kind, MessageDescriptor};

/// What is below `ServerMessage`, each message before those that it uses.
#[derive(Default)]
pub struct Schema {
    messages: Vec<Message>,
    enums: Vec<EnumDescriptor>,
}

struct Message {
    name: String,
    fields: Vec<Field>,
}

struct Field {
    number: u32,
    name: String,
    label: &'static str,
    kind: Kind,
}

impl Schema {
    /// Reads every schema file under `proto`.
    pub fn read(proto: &Path) -> Result<Self, Box<dyn Error>> {
        let mut files = vec!["server_message.proto".to_owned()];
        for entry in fs::read_dir(proto.join("payload"))? {
            files.push(format!("payload/{}", entry?.file_name().display()));
        }
        let pool = protox::Compiler::new([proto])?.open_files(&files)?.descriptor_pool();
        let envelope = pool.get_message_by_name("ServerMessage");
        let mut schema = Self::default();
        schema.add(&envelope.ok_or("no ServerMessage")?);
        Ok(schema)
    }

    /// Adds the message, and what its fields are of.
    fn add(&mut self, message: &MessageDescriptor) {
        let name = flat_name(message.full_name());
        if self.messages.iter().any(|known| known.name == name) {
            return;
        }
        let mut fields: Vec<_> = message
            .fields()
            // The benchmark reads answers; events are unknown fields to everybody.
            .filter(|field| name != "ServerMessage" || field.number() <= 2)
            .map(|field| Field {
                number: field.number(),
                // Each peer's generator has its own way to spell a keyword of Rust.
                name: match field.name() {
                    "type" => "kind".to_owned(),
                    name => name.to_owned(),
                },
                label: match field.cardinality() {
                    Cardinality::Repeated => "repeated",
                    Cardinality::Required => "required",
                    Cardinality::Optional => "optional",
                },
                kind: field.kind(),
            })
            .collect();
        fields.extend(message.extensions().filter_map(|extension| {
            let kind = extension.kind();
            let name = flat_name(kind.as_message()?.full_name());
            Some(Field { number: extension.number(), name: snake(&name), label: "optional", kind })
        }));
        fields.sort_by_key(|field| field.number);
        let kinds: Vec<_> = fields.iter().map(|field| field.kind.clone()).collect();
        self.messages.push(Message { name, fields });
        for kind in kinds {
            match kind {
                Kind::Message(message) => self.add(&message),
                Kind::Enum(kind) if !self.enums.contains(&kind) => self.enums.push(kind),
                _ => {}
            }
        }
    }

    /// The fields of a message; none of one that is not there.
    fn fields(&self, name: &str) -> &[Field] {
        let message = self.messages.iter().find(|message| message.name == name);
        message.map_or(&[], |message| &message.fields)
    }

    /// The schema as a `.proto` file.
    pub fn proto(&self) -> String {
        let mut out = "syntax = \"proto2\";\n".to_owned();
        for kind in &self.enums {
            let name = flat_name(kind.full_name());
            let values =
                kind.values().map(|value| format!("{} = {};\n", value.name(), value.number()));
            writeln!(out, "enum {name} {{\n{}}}", values.collect::<String>()).unwrap();
        }
        for Message { name, fields } in &self.messages {
            let fields = written(fields, written_kind);
            writeln!(out, "message {name} {{\n{fields}}}").unwrap();
        }
        for name in ["ServerMessage", "Response"] {
            let fields = written(self.fields(name), |kind| match kind {
                Kind::Message(_) => "bytes".to_owned(),
                other => written_kind(other),
            });
            writeln!(out, "message {name}Head {{\n{fields}}}").unwrap();
        }
        out
    }

    /// Two macros that hand what is listed to another macro: each message with its fields, the names of its
    /// views in buffa's code, and whether it borrows in quick-protobuf's; and the number, field and name of each
    /// payload.
    pub fn lists(&self) -> String {
        let mut out = "macro_rules! for_each_message { ($each:ident) => {\n".to_owned();
        for Message { name, fields } in &self.messages {
            let borrows = match self.borrows(name, &mut Vec::new()) {
                true => "borrows",
                false => "plain",
            };
            write!(out, "$each! {{ {name} {name}View {name}LazyView {borrows} {{ ").unwrap();
            for Field { name, kind, .. } in fields {
                let kind = kind.as_message().map_or("value", |_| "message");
                write!(out, "{name} {kind}, ").unwrap();
            }
            out.push_str("} }\n");
        }
        out.push_str("} }\npub(crate) use for_each_message;\n");
        out.push_str("macro_rules! for_payloads { ($each:ident $($argument:tt)*) => {\n");
        out.push_str("$each! { $($argument)*\n");
        for Field { number, name, kind, .. } in self.fields("Response") {
            if let Kind::Message(payload) = kind {
                let payload = flat_name(payload.full_name());
                writeln!(out, "{number} {name} {payload},").unwrap();
            }
        }
        out.push_str("} } }\npub(crate) use for_payloads;\n");
        out
    }

    /// Whether there is text or bytes in a message: quick-protobuf gives such types a lifetime.
    fn borrows(&self, name: &str, seen: &mut Vec<String>) -> bool {
        seen.push(name.to_owned());
        self.fields(name).iter().any(|field| match &field.kind {
            Kind::String | Kind::Bytes => true,
            Kind::Message(message) => {
                let name = flat_name(message.full_name());
                !seen.contains(&name) && self.borrows(&name, seen)
            }
            _ => false,
        })
    }
}

fn written(fields: &[Field], kind_of: fn(&Kind) -> String) -> String {
    let line = |field: &Field| {
        let (label, kind) = (field.label, kind_of(&field.kind));
        format!("{label} {kind} {} = {};\n", field.name, field.number)
    };
    fields.iter().map(line).collect()
}

fn written_kind(kind: &Kind) -> String {
    match kind {
        Kind::Message(message) => flat_name(message.full_name()),
        Kind::Enum(kind) => flat_name(kind.full_name()),
        scalar => format!("{scalar:?}"),
    }
}

/// `ServerInfo_User` to `User`, `ServerInfo_User.CardArtParams` to `CardArtParams`.
fn flat_name(full_name: &str) -> String {
    let name = full_name.rsplit('.').next().unwrap_or_default();
    let name = name.strip_prefix("ServerInfo_").unwrap_or(name);
    let name = name.strip_prefix("Response_").unwrap_or(name);
    name.replace('_', "")
}

/// `ListCardArtRules` to `list_card_art_rules`.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for character in name.chars() {
        if character.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.extend(character.to_lowercase());
    }
    out
}

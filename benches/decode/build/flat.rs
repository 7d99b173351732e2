//! The flat schema: the same bytes on the wire, in a form that every peer's generator takes.
//!
//! - Payloads are fields of `Response`, since most peers have no extensions.
//! - Nested types are at the top level, and names are in camel case, so that each message has one
//!   name in all of the peers' code.
//! - Defaults are left out: with them some peers cannot tell whether a field was present.
//! - `ServerMessageHead` and `ResponseHead` are the same with every message in them as `bytes`: the
//!   answer, and each payload. For a task that asks only which payload there is, this is the fastest
//!   a peer can be. To hand over the answer as bytes, which are then read as a `ResponseHead`, is
//!   faster for all of them than to read it as a part of the envelope.
use std::{error::Error, fmt::Write as _, fs, path::Path};

use protox::prost_reflect::{
    Cardinality, DescriptorPool, FieldDescriptor, Kind, MessageDescriptor,
};

/// The messages below `ServerMessage`, each before those that it uses.
pub struct Schema {
    messages: Vec<Message>,
    enums: Vec<Enum>,
}

struct Message {
    name: String,
    fields: Vec<Field>,
}

struct Field {
    number: u32,
    name: String,
    label: &'static str,
    kind: FieldKind,
}

enum FieldKind {
    Number(&'static str),
    Enum(String),
    Text,
    Bytes,
    Message(String),
}

struct Enum {
    name: String,
    values: Vec<(String, i32)>,
}

/// How to write a negative enum value.
#[derive(Clone, Copy, PartialEq)]
pub enum Negative {
    /// As it is.
    Kept,
    /// As [`Schema::STAND_IN`], for a parser that does not know the sign.
    StoodIn,
}

impl Schema {
    pub const STAND_IN: i32 = i32::MAX;

    /// Reads every schema file under `proto`.
    pub fn read(proto: &Path) -> Result<Self, Box<dyn Error>> {
        let mut files = vec!["server_message.proto".to_owned()];
        for entry in fs::read_dir(proto.join("payload"))? {
            files.push(format!("payload/{}", entry?.file_name().display()));
        }
        files.sort();
        let mut compiler = protox::Compiler::new([proto])?;
        compiler.open_files(&files)?;
        let pool = compiler.descriptor_pool();

        let mut schema = Self {
            messages: Vec::new(),
            enums: Vec::new(),
        };
        let envelope = pool
            .get_message_by_name("ServerMessage")
            .ok_or("no ServerMessage")?;
        schema.add_message(&pool, &envelope);
        schema.add_heads();
        Ok(schema)
    }

    fn add_message(&mut self, pool: &DescriptorPool, message: &MessageDescriptor) {
        let name = camel(message.full_name());
        if self.messages.iter().any(|known| known.name == name) {
            return;
        }
        let index = self.messages.len();
        self.messages.push(Message {
            name: name.clone(),
            fields: Vec::new(),
        });
        let mut fields = Vec::new();
        for field in message.fields() {
            // The benchmark reads answers; events are unknown fields to everybody.
            if name == "ServerMessage" && !["message_type", "response"].contains(&field.name()) {
                continue;
            }
            let label = match (field.cardinality(), field.is_list()) {
                (_, true) => "repeated",
                (Cardinality::Required, _) => "required",
                _ => "optional",
            };
            fields.push(self.field(pool, &field, field.name(), label));
        }
        if name == "Response" {
            let mut extensions: Vec<_> = message.extensions().collect();
            extensions.sort_by_key(|extension| extension.number());
            for extension in extensions {
                let Kind::Message(payload) = extension.kind() else {
                    continue;
                };
                let name = snake(payload.name().trim_start_matches("Response_"));
                let kind = FieldKind::Message(camel(payload.full_name()));
                self.add_message(pool, &payload);
                fields.push(Field {
                    number: extension.number(),
                    name,
                    label: "optional",
                    kind,
                });
            }
        }
        fields.sort_by_key(|field| field.number);
        self.messages[index].fields = fields;
    }

    fn field(
        &mut self,
        pool: &DescriptorPool,
        field: &FieldDescriptor,
        name: &str,
        label: &'static str,
    ) -> Field {
        let kind = match field.kind() {
            Kind::String => FieldKind::Text,
            Kind::Bytes => FieldKind::Bytes,
            Kind::Double => FieldKind::Number("double"),
            Kind::Int32 => FieldKind::Number("int32"),
            Kind::Int64 => FieldKind::Number("int64"),
            Kind::Uint32 => FieldKind::Number("uint32"),
            Kind::Uint64 => FieldKind::Number("uint64"),
            Kind::Sint32 => FieldKind::Number("sint32"),
            Kind::Bool => FieldKind::Number("bool"),
            Kind::Message(message) => {
                self.add_message(pool, &message);
                FieldKind::Message(camel(message.full_name()))
            }
            Kind::Enum(descriptor) => {
                let name = camel(descriptor.full_name());
                if !self.enums.iter().any(|known| known.name == name) {
                    let values = descriptor
                        .values()
                        .map(|v| (v.name().to_owned(), v.number()));
                    self.enums.push(Enum {
                        name: name.clone(),
                        values: values.collect(),
                    });
                }
                FieldKind::Enum(name)
            }
            other => panic!("the benchmark's schema has no field of type {other:?}"),
        };
        // Each peer's generator has its own way to spell a keyword of Rust.
        let name = if name == "type" { "kind" } else { name };
        Field {
            number: field.number(),
            name: name.to_owned(),
            label,
            kind,
        }
    }

    fn add_heads(&mut self) {
        let heads: Vec<Message> = ["ServerMessage", "Response"]
            .into_iter()
            .filter_map(|name| self.messages.iter().find(|message| message.name == name))
            .map(|message| Message {
                name: format!("{}Head", message.name),
                fields: message.fields.iter().map(Field::of_head).collect(),
            })
            .collect();
        self.messages.extend(heads);
    }

    /// The schema as a `.proto` file.
    pub fn proto(&self, negative: Negative) -> String {
        let mut out = String::from(
            "// Written by benches/decode/build from the files under proto/.\n\
             syntax = \"proto2\";\n",
        );
        for Enum { name, values } in &self.enums {
            writeln!(out, "\nenum {name} {{").unwrap();
            for (value, number) in values {
                let stood_in = negative == Negative::StoodIn && *number < 0;
                let number = if stood_in { Self::STAND_IN } else { *number };
                writeln!(out, "  {value} = {number};").unwrap();
            }
            out.push_str("}\n");
        }
        for Message { name, fields } in &self.messages {
            writeln!(out, "\nmessage {name} {{").unwrap();
            for Field {
                number,
                name,
                label,
                kind,
            } in fields
            {
                let kind = match kind {
                    FieldKind::Number(kind) => kind,
                    FieldKind::Enum(name) | FieldKind::Message(name) => name.as_str(),
                    FieldKind::Text => "string",
                    FieldKind::Bytes => "bytes",
                };
                writeln!(out, "  {label} {kind} {name} = {number};").unwrap();
            }
            out.push_str("}\n");
        }
        out
    }

    /// The messages and their fields as a macro that hands each one to another macro, with the
    /// names of its views in buffa's code and whether it borrows in quick-protobuf's.
    pub fn list(&self) -> String {
        let mut out = String::from(
            "// Calls a macro with each message of the flat schema.\n\
             macro_rules! for_each_message {\n    ($each:ident) => {\n",
        );
        for Message { name, fields } in &self.messages {
            if name.ends_with("Head") {
                continue;
            }
            let fields: Vec<String> = fields
                .iter()
                .map(
                    |Field {
                         number, name, kind, ..
                     }| match kind {
                        FieldKind::Number(_) => format!("{number} {name} number"),
                        FieldKind::Enum(_) => format!("{number} {name} enumeration"),
                        FieldKind::Text => format!("{number} {name} text"),
                        FieldKind::Bytes => format!("{number} {name} bytes"),
                        FieldKind::Message(message) => format!("{number} {name} ({message})"),
                    },
                )
                .collect();
            let borrows = if self.borrows(name, &mut Vec::new()) {
                "borrows"
            } else {
                "plain"
            };
            writeln!(
                out,
                "        $each! {{ {name} {name}View {name}LazyView {borrows} {{"
            )
            .unwrap();
            for field in fields {
                writeln!(out, "            {field},").unwrap();
            }
            out.push_str("        } }\n");
        }
        out.push_str("    };\n}\npub(crate) use for_each_message;\n");
        self.list_payloads(&mut out);
        out
    }

    /// Whether there is text or bytes in a message: quick-protobuf gives such types a lifetime.
    fn borrows<'a>(&'a self, name: &'a str, seen: &mut Vec<&'a str>) -> bool {
        seen.push(name);
        let fields = self.messages.iter().filter(|message| message.name == name);
        fields
            .flat_map(|message| &message.fields)
            .any(|field| match &field.kind {
                FieldKind::Text | FieldKind::Bytes => true,
                FieldKind::Message(name) => {
                    !seen.contains(&name.as_str()) && self.borrows(name, seen)
                }
                _ => false,
            })
    }

    fn list_payloads(&self, out: &mut String) {
        let response = self
            .messages
            .iter()
            .find(|message| message.name == "Response");
        out.push_str("\n/// Calls a macro with the number and the name of each payload.\n");
        out.push_str("macro_rules! for_payloads {\n    ($each:ident $($argument:tt)*) => {\n");
        out.push_str("        $each! { $($argument)*\n");
        for Field { number, name, .. } in response.into_iter().flat_map(|message| &message.fields) {
            if *number >= 100 {
                writeln!(out, "            {number} {name},").unwrap();
            }
        }
        out.push_str("        }\n    };\n}\npub(crate) use for_payloads;\n");
    }
}

impl Field {
    fn of_head(&self) -> Self {
        let kind = match &self.kind {
            FieldKind::Number(kind) => FieldKind::Number(kind),
            FieldKind::Enum(name) => FieldKind::Enum(name.clone()),
            _ => FieldKind::Bytes,
        };
        Self {
            number: self.number,
            name: self.name.clone(),
            label: self.label,
            kind,
        }
    }
}

/// `ServerInfo_User.CardArtParams` to `ServerInfoUserCardArtParams`.
fn camel(full_name: &str) -> String {
    full_name
        .trim_start_matches("Response.")
        .trim_start_matches("ServerMessage.")
        .split(['_', '.'])
        .flat_map(|word| {
            let (first, rest) = word.split_at(word.len().min(1));
            [first.to_uppercase(), rest.to_owned()]
        })
        .collect()
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

//! Prints the reader's schema from the files of `proto/`, and compares it with what is checked in.
//!
//! `PORTREEVE_PRINT_SCHEMA=1 cargo test --test game schema` writes the files again; without the
//! variable the test fails if one of them differs from what `proto/` gives.
//!
//! A comment in `proto/` is the documentation of what follows it. The last lines of a comment may be annotations:
//!
//! - `@secret`: the field does not belong in a log (a comment, since `protoc` before 22 has no `debug_redact`);
//! - `@rust Name`: of the Rust type, or of an enum's value; of a `uint32` that is the number of a room, a game, a player
//!   or a card, `id`, which is an `i32` as elsewhere;
//! - `@kind NAME`: of the kind of payload that the message is;
//! - `@family Name`: of the payloads of an envelope;
//! - `@kinds`: of the enum of an envelope's kinds of payloads, which the family's own stands for in Rust;
//! - `@view path::Name`: of a view written by hand, by which others read the message.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use portreeve::game::payload::PayloadKind;
use prost_reflect::{
    EnumDescriptor, FieldDescriptor, FileDescriptor, Kind, MessageDescriptor, Value,
};

use crate::oracle::POOL;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/game/schema/generated");
const COMMAND: &str = "PORTREEVE_PRINT_SCHEMA=1 cargo test --test game schema";

/// The longest line of a message or an enum, and of several messages of a family.
const MESSAGE_WIDTH: usize = 240;
const WIDTH: usize = 150;

/// The public modules, each with what the schema's names of its messages begin with.
const MODULES: [(&str, &str); 7] = [
    ("command", "Command_"),
    ("context", "Context_"),
    ("event", "Event_"),
    ("info", "ServerInfo_"),
    ("payload", "Response_"),
    ("response", ""),
    ("root", ""),
];

#[test]
fn the_readers_schema_is_the_one_in_proto() {
    for (module, _) in MODULES {
        let printed = Module::of(module).print();
        let path = Path::new(FOLDER).join(module).with_extension("rs");
        if std::env::var_os("PORTREEVE_PRINT_SCHEMA").is_some() {
            std::fs::write(path, printed).expect("the schema's folder can be written");
            continue;
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        let same = found.lines().zip(printed.lines()).take_while(|(a, b)| a == b);
        let line = same.count() + 1;
        let path = path.display();
        assert!(
            found == printed,
            "{path} is not as in proto/ from line {line} on; print it with {COMMAND}"
        );
    }
}

/// The contents of a file.
struct Module {
    name: &'static str,
    /// The names from each module.
    imports: BTreeMap<String, BTreeSet<String>>,
    messages: Vec<String>,
    enums: Vec<String>,
    families: Vec<String>,
}

// === impl Module ===

impl Module {
    fn of(name: &'static str) -> Self {
        let mut module = Self {
            name,
            imports: BTreeMap::new(),
            messages: Vec::new(),
            enums: Vec::new(),
            families: Vec::new(),
        };
        let mut files: Vec<_> = POOL.files().collect();
        files.sort_by_key(|file| file.name().to_owned());
        for file in files {
            if module_of(&file) == name {
                file.messages().for_each(|message| module.message(&message));
                file.enums().for_each(|of| module.enumeration(&of));
            }
            file.messages().for_each(|envelope| module.family(&envelope));
        }
        module
    }

    fn print(mut self) -> String {
        for (is_used, module, name) in [
            (!self.messages.is_empty(), "macros", "message"),
            (!self.enums.is_empty(), "scalar", "enumeration"),
            (!self.families.is_empty(), "extension", "family"),
        ] {
            if is_used {
                self.import(&format!("runtime::{module}"), name);
            }
        }
        let mut out = format!("// Printed from proto/: {COMMAND}\n\n");
        for (module, names) in self.imports {
            print_import(&module, &Vec::from_iter(names), &mut out);
        }
        for (name, part) in [("message", self.messages), ("enumeration", self.enums)] {
            if !part.is_empty() {
                writeln!(out, "\n{name}! {{\n{}}}", part.join("\n")).unwrap();
            }
        }
        for family in self.families {
            writeln!(out, "\nfamily! {{\n{family}}}").unwrap();
        }
        out
    }

    /// A message and what is defined within it.
    fn message(&mut self, message: &MessageDescriptor) {
        let mut out = String::new();
        let comment = Comment::of(&message.parent_file(), message.path());
        let docs = comment.in_one_line(message.full_name());
        let name = comment.rust.unwrap_or_else(|| derived_name(message));
        let schema = message.full_name();
        write!(out, "    {name} = \"{schema}\", {docs:?} {{").unwrap();
        let mut fields = Vec::new();
        for field in message.fields() {
            fields.push(self.field(&field));
        }
        if is_envelope(message) {
            let [_, payload] = family_names(message);
            self.import_generated(family_module(message), &payload);
            fields.push(format!("100 to max: {payload};"));
        }
        print_body(&fields, &mut out);
        self.messages.push(out);
        message.child_messages().for_each(|child| self.message(&child));
        for of in message.child_enums().filter(|of| !has_kinds(of)) {
            self.enumeration(&of);
        }
    }

    fn field(&mut self, field: &FieldDescriptor) -> String {
        let comment = Comment::of(&field.parent_message().parent_file(), field.path());
        let docs = comment.in_one_line(field.full_name());
        let label = format!("{:?}", field.cardinality()).to_lowercase();
        let kind = match field.kind() {
            Kind::Message(of) => format!("message {}", self.used_message(&of)),
            Kind::Enum(of) => {
                let name = enum_name(&of);
                self.import_generated(module_of(&of.parent_file()), &name);
                format!("enum {name}")
            }
            kind => comment.rust.unwrap_or_else(|| format!("{kind:?}")),
        };
        let (name, json) = match field.name() {
            "type" => ("r#type", ", json \"type\""),
            name => (name, ""),
        };
        let number = field.number();
        let mut out = format!("{name}: {label} {kind} = {number}");
        let default = field.default_value();
        if !field.is_list() && default != field.kind().default_value() {
            write!(out, ", default {}", number_literal(&default)).unwrap();
        }
        let secret = if comment.is_secret { ", is secret" } else { "" };
        out + &format!("{json}{secret}, {docs:?};")
    }

    /// The type of a field; a message that is read by a view is that view.
    fn used_message(&mut self, of: &MessageDescriptor) -> String {
        let comment = Comment::of(&of.parent_file(), of.path());
        if let Some(view) = comment.view {
            let (module, name) = view.rsplit_once("::").unwrap();
            self.import(&format!("schema::{module}"), name);
            return name.to_owned();
        }
        let name = comment.rust.unwrap_or_else(|| derived_name(of));
        self.import_generated(module_of(&of.parent_file()), &name);
        name
    }

    fn enumeration(&mut self, of: &EnumDescriptor) {
        let mut out = String::new();
        let docs = Comment::of(&of.parent_file(), of.path()).in_one_line(of.full_name());
        write!(out, "    {}, {docs:?} {{", enum_name(of)).unwrap();
        let mut values = Vec::new();
        for value in of.values() {
            let comment = Comment::of(&of.parent_file(), value.path());
            let docs = comment.in_one_line(value.full_name());
            let (schema, number) = (value.name(), value.number());
            let name = comment.rust.unwrap_or_else(|| camel(schema));
            let schema = match name == schema {
                true => String::new(),
                false => format!(" (\"{schema}\")"),
            };
            values.push(format!("{name} = {number}{schema}, {docs:?};"));
        }
        print_body(&values, &mut out);
        self.enums.push(out);
    }

    /// The extensions of an envelope, if they are of this module.
    fn family(&mut self, envelope: &MessageDescriptor) {
        if !is_envelope(envelope) || family_module(envelope) != self.name {
            return;
        }
        let mut extensions: Vec<_> = envelope.extensions().collect();
        extensions.sort_by_key(|extension| extension.number());
        let [kind, payload] = family_names(envelope);
        let name = envelope.name();
        let mut out = String::new();
        if let Some(kinds) = envelope.child_enums().find(has_kinds) {
            writeln!(out, "    #[doc(alias = \"{}\")]", kinds.name()).unwrap();
        }
        let (_, prefix) = *MODULES.iter().find(|(name, _)| *name == self.name).unwrap();
        write!(out, "    {kind}, {payload} of \"{name}\", \"{prefix}\":").unwrap();
        let mut members = vec![String::new()];
        for extension in extensions {
            let Kind::Message(of) = extension.kind() else {
                panic!("{} is no message", extension.full_name());
            };
            let comment = Comment::of(&of.parent_file(), of.path());
            let kind = comment.kind.unwrap_or_else(|| screaming(without_prefix(&of)));
            let name = self.used_message(&of);
            let schema = extension.full_name().strip_prefix(prefix).unwrap();
            let schema = match schema.strip_suffix(".ext").unwrap() {
                schema if schema == name => String::new(),
                schema => format!("({schema})"),
            };
            let member = format!(" {name}{schema} {} {kind},", extension.number());
            if members.last().unwrap().len() + member.len() > WIDTH {
                members.push(String::new());
            }
            members.last_mut().unwrap().push_str(&member);
        }
        for line in members {
            write!(out, "\n       {line}").unwrap();
        }
        self.families.push(out + "\n");
    }

    fn import_generated(&mut self, module: &str, name: &str) {
        if module != self.name {
            self.import(&format!("schema::generated::{module}"), name);
        }
    }

    fn import(&mut self, module: &str, name: &str) {
        let names = self.imports.entry(module.to_owned()).or_default();
        names.insert(name.to_owned());
    }
}

/// The fields of a message or the values of an enum: all in one line, if it is not too long.
fn print_body(items: &[String], out: &mut String) {
    match items {
        [] => out.push_str("}\n"),
        _ if out.len() + items.concat().len() + items.len() < MESSAGE_WIDTH => {
            writeln!(out, " {} }}", items.join(" ")).unwrap();
        }
        _ => {
            for item in items {
                write!(out, "\n        {item}").unwrap();
            }
            out.push_str("\n    }\n");
        }
    }
}

/// An import as rustfmt writes it.
fn print_import(module: &str, names: &[String], out: &mut String) {
    const WIDTH: usize = 100;
    let path = format!("use crate::game::{module}::");
    if let [name] = names {
        return writeln!(out, "{path}{name};").unwrap();
    }
    let line = format!("{path}{{{}}};", names.join(", "));
    if line.len() <= WIDTH {
        return writeln!(out, "{line}").unwrap();
    }
    let mut lines = vec!["   ".to_owned()];
    for name in names {
        if lines.last().unwrap().len() + name.len() + 2 > WIDTH {
            lines.push("   ".to_owned());
        }
        write!(lines.last_mut().unwrap(), " {name},").unwrap();
    }
    writeln!(out, "{path}{{\n{}\n}};", lines.join("\n")).unwrap();
}

// === the schema ===

/// The comment before a definition in its file.
struct Comment {
    docs: Vec<String>,
    is_secret: bool,
    rust: Option<String>,
    kind: Option<String>,
    family: Option<String>,
    view: Option<String>,
    has_kinds: bool,
}

// === impl Comment ===

impl Comment {
    fn of(file: &FileDescriptor, path: &[i32]) -> Self {
        let info = file.file_descriptor_proto().source_code_info.as_ref();
        let mut locations = info.unwrap().location.iter();
        let found = locations.find(|location| location.path == path);
        let text = found.and_then(|found| found.leading_comments.as_deref());
        let mut comment = Self {
            docs: Vec::new(),
            is_secret: false,
            rust: None,
            kind: None,
            family: None,
            view: None,
            has_kinds: false,
        };
        for line in text.unwrap_or_default().lines().map(str::trim) {
            match line.split_once(' ') {
                Some(("@rust", name)) => comment.rust = Some(name.to_owned()),
                Some(("@kind", name)) => comment.kind = Some(name.to_owned()),
                Some(("@family", name)) => comment.family = Some(name.to_owned()),
                Some(("@view", name)) => comment.view = Some(name.to_owned()),
                None if line == "@secret" => comment.is_secret = true,
                None if line == "@kinds" => comment.has_kinds = true,
                _ if line.starts_with('@') => panic!("{}: what is `{line}`?", file.name()),
                _ => comment.docs.push(line.to_owned()),
            }
        }
        comment
    }

    /// The documentation of `name`.
    fn in_one_line(&self, name: &str) -> String {
        assert!(!self.docs.is_empty(), "{name} has no comment");
        self.docs.join(" ")
    }
}

/// The module that a file's definitions are in: that of its name, or of its folder.
fn module_of(file: &FileDescriptor) -> &'static str {
    let path = file.name().trim_end_matches(".proto");
    let names = path.rsplit('/').map(|name| MODULES.iter().find(|(module, _)| *module == name));
    names.flatten().next().map_or("root", |(module, _)| module)
}

fn derived_name(message: &MessageDescriptor) -> String {
    without_prefix(message).to_owned()
}

/// The schema's name of a message without what those of its module begin with.
fn without_prefix(message: &MessageDescriptor) -> &str {
    let module = module_of(&message.parent_file());
    let (_, prefix) = MODULES.iter().find(|(name, _)| *name == module).unwrap();
    let name = message.name();
    name.strip_prefix(prefix).unwrap_or(name)
}

fn enum_name(of: &EnumDescriptor) -> String {
    let comment = Comment::of(&of.parent_file(), of.path());
    comment.rust.unwrap_or_else(|| of.name().to_owned())
}

fn has_kinds(of: &EnumDescriptor) -> bool {
    Comment::of(&of.parent_file(), of.path()).has_kinds
}

fn is_envelope(message: &MessageDescriptor) -> bool {
    message.extension_ranges().len() > 0
}

/// The names of the enums of an envelope's kinds and payloads. Those of an answer are in a module that says
/// whose they are.
fn family_names(envelope: &MessageDescriptor) -> [String; 2] {
    let comment = Comment::of(&envelope.parent_file(), envelope.path());
    let name = comment.family.unwrap_or_else(|| envelope.name().to_owned());
    match name.as_str() {
        "Response" => ["PayloadKind".to_owned(), "Payload".to_owned()],
        name => ["Kind", "Payload"].map(|of| format!("{name}{of}")),
    }
}

/// The module of an envelope's extensions.
fn family_module(envelope: &MessageDescriptor) -> &'static str {
    let extension = envelope.extensions().next();
    module_of(&extension.expect("an envelope has extensions").parent_file())
}

fn number_literal(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::I32(number) => number.to_string(),
        Value::U32(number) => number.to_string(),
        Value::F64(number) => format!("{number:?}"),
        other => panic!("no getter has the default {other:?}"),
    }
}

/// `SERVER_SHUTDOWN` as a Rust name; others are Rust names as they are.
fn camel(name: &str) -> String {
    if name.contains(|char: char| char.is_lowercase()) {
        return name.to_owned();
    }
    let words = name.split('_').filter_map(|word| word.split_at_checked(1));
    words.map(|(first, rest)| first.to_owned() + &rest.to_lowercase()).collect()
}

/// `RoomSay` as `ROOM_SAY`.
fn screaming(name: &str) -> String {
    let mut out = String::new();
    for char in name.chars() {
        if char.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.extend(char.to_uppercase());
    }
    out
}

/// Below the root, the reader keeps a path of at most five fields to a message in fragments (`MAX_STEPS`). The elements
/// of a list are roots.
#[test]
fn single_messages_nest_at_most_five_deep() {
    fn depth(message: &MessageDescriptor) -> usize {
        let fields = message.fields().filter(|field| !field.is_list());
        let kinds = fields.map(|field| field.kind());
        let kinds = kinds.chain(message.extensions().map(|extension| extension.kind()));
        let below = kinds.filter_map(|kind| match kind {
            Kind::Message(message) => Some(1 + depth(&message)),
            _ => None,
        });
        below.max().unwrap_or(0)
    }
    let depths = POOL.all_messages().map(|message| depth(&message));
    assert_eq!(depths.max(), Some(5));
}

/// `ResponseType`, the enum of the schema, is what the reader knows (`PayloadKind`), and docs/GAME.md lists.
#[test]
fn the_kinds_of_answers_are_those_of_the_schema_and_of_the_page() {
    let response = POOL.get_message_by_name("Response").unwrap();
    let kinds = response.child_enums().find(has_kinds).unwrap();
    assert_eq!(kinds.name(), "ResponseType");
    let in_schema: Vec<_> =
        kinds.values().map(|kind| (kind.number(), kind.name().to_owned())).collect();
    let known = PayloadKind::ALL.iter();
    let known: Vec<_> =
        known.map(|kind| (i32::try_from(kind.number()).unwrap(), kind.name().to_owned())).collect();
    assert_eq!(in_schema, known);
    let page = include_str!("../../docs/GAME.md");
    let (_, list) = page.split_once("### The kinds of answers").unwrap();
    let words: Vec<_> = list.split("```").nth(1).unwrap().split_whitespace().collect();
    let (pairs, rest) = words[1..].as_chunks::<2>();
    let listed = pairs.iter().map(|[number, name]| (number.parse().unwrap(), (*name).to_owned()));
    assert_eq!(listed.collect::<Vec<_>>(), known);
    assert!(rest.is_empty());
    assert!(page.contains("`RespPasswordChangeRequired` (38)"));
}

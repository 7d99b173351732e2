//! docs/openapi.json by itself: a valid OpenAPI 3.1 document, whose examples match their schemas.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use jsonschema::Draft;
use serde_json::Value;

use crate::support::contract::{CONTRACT, escaped};
use crate::table;

const SCHEMA: &str = include_str!("../data/openapi/schema.json");

#[test]
fn the_description_is_valid_openapi_3_1() {
    let schema = serde_json::from_str(SCHEMA).unwrap();
    let options = jsonschema::options().with_draft(Draft::Draft202012);
    let validator = options.build(&schema).unwrap();
    let faults: Vec<_> = validator
        .iter_errors(CONTRACT.document())
        .map(|fault| format!("{}: {fault}", fault.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{faults:#?}");
    let mut broken = CONTRACT.document().clone();
    broken["paths"]["/api/v1/apps"]["get"]["responses"] = Value::Null;
    assert!(!validator.is_valid(&broken));
}

#[test]
fn the_description_has_the_version_and_license_of_this_package() {
    let document = CONTRACT.document();
    assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(document["info"]["license"]["identifier"], env!("CARGO_PKG_LICENSE"));
}

#[test]
fn each_operation_has_a_unique_id_and_a_known_tag() {
    let document = CONTRACT.document();
    let tags = document["tags"].as_array().unwrap();
    let mut ids = BTreeSet::new();
    for (method, path, pointer) in CONTRACT.operations() {
        let operation = CONTRACT.at(&pointer);
        let id = operation["operationId"].as_str().unwrap();
        assert!(ids.insert(id), "{method} {path}: {id} is another operation's");
        let tag = &operation["tags"][0];
        assert!(tags.iter().any(|known| known["name"] == *tag), "{method} {path}: {tag}");
    }
}

#[test]
fn every_component_is_used_and_every_reference_resolves() {
    let mut used = BTreeSet::new();
    references(CONTRACT.document(), &mut used);
    for pointer in &used {
        CONTRACT.at(pointer);
    }
    for (kind, components) in CONTRACT.document()["components"].as_object().unwrap() {
        // Security schemes are used by name, not by reference.
        if kind == "securitySchemes" {
            continue;
        }
        for name in components.as_object().unwrap().keys() {
            let pointer = format!("/components/{kind}/{name}");
            assert!(used.contains(&pointer), "nothing refers to {pointer}");
        }
    }
}

#[test]
fn every_example_matches_its_schema() {
    let mut count = 0;
    examples("", CONTRACT.document(), &mut |content, example| {
        count += 1;
        let fault = CONTRACT.fault(&format!("{content}/schema"), example);
        assert_eq!(fault, None, "{content}");
    });
    assert!(count > 20, "{count}");
}

#[test]
fn every_message_in_the_table_of_errors_is_described() {
    let described = CONTRACT.document().to_string();
    let messages = table::rows().flat_map(table::messages).filter(|(_, is_whole)| *is_whole);
    let messages: Vec<_> = messages.map(|(text, _)| text).collect();
    assert!(messages.len() > 45, "{}: {messages:#?}", messages.len());
    for message in messages {
        let message = Value::from(message).to_string();
        assert!(described.contains(&message), "{message}");
    }
}

/// A message that nothing answers any more is not described for ever.
#[test]
fn every_described_message_is_in_the_source() {
    let source = source();
    let mut count = 0;
    messages("", CONTRACT.document(), &mut |pointer, message| {
        // Single words are names, which serde makes from Rust's.
        if message.contains(' ') {
            count += 1;
            // Some are composed of several.
            for sentence in message.split_inclusive(". ").map(str::trim_end) {
                let mut names = ["ask", "revoke", "reveal"].into_iter();
                let is_answered = source.contains(sentence)
                    || names.any(|name| source.contains(&sentence.replace(name, "{name}")));
                assert!(is_answered, "{pointer}: {sentence}");
            }
        }
    });
    assert!(count > 60, "{count}");
}

/// The code that answers, with literals of several lines on one.
fn source() -> String {
    fn read(dir: &Path, out: &mut String) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                read(&path, out);
            } else if path.extension().is_some_and(|it| it == "rs") {
                out.push_str(&fs::read_to_string(path).unwrap());
            }
        }
    }
    let mut out = String::new();
    for floor in ["deliveries", "gateway", "groupware", "identity", "vault"] {
        read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(floor), &mut out);
    }
    let continued = out.split("\\\n").map(str::trim_start);
    continued.collect::<String>().replace("\\\"", "\"")
}

/// Calls `each` with every text that a schema allows as a value of its own, and with the schema's pointer.
fn messages(pointer: &str, value: &Value, each: &mut impl FnMut(&str, &str)) {
    match value {
        Value::Object(members) => {
            for (name, value) in members.iter().filter(|(name, _)| *name != "example") {
                let pointer = format!("{pointer}/{}", escaped(name));
                match (name.as_str(), value) {
                    ("enum", Value::Array(texts)) => {
                        texts
                            .iter()
                            .filter_map(Value::as_str)
                            .for_each(|text| each(&pointer, text));
                    }
                    ("const", Value::String(text)) => each(&pointer, text),
                    _ => messages(&pointer, value, each),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|value| messages(pointer, value, each)),
        _ => {}
    }
}

/// The pointers of all references in `value`.
fn references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(target)) = members.get("$ref") {
                found.insert(target.trim_start_matches('#').to_owned());
            }
            members.values().for_each(|value| references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

/// Calls `each` with the pointer of every value that has a schema and an example, and with the example.
fn examples(pointer: &str, value: &Value, each: &mut impl FnMut(&str, &Value)) {
    match value {
        Value::Object(members) => {
            if let (Some(_), Some(example)) = (members.get("schema"), members.get("example")) {
                each(pointer, example);
            }
            for (name, value) in members.iter().filter(|(name, _)| *name != "example") {
                examples(&format!("{pointer}/{}", escaped(name)), value, each);
            }
        }
        Value::Array(items) => {
            for (at, value) in items.iter().enumerate() {
                examples(&format!("{pointer}/{at}"), value, each);
            }
        }
        _ => {}
    }
}

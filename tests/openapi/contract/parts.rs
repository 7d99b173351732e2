//! The parts of a schema: all of them, and those that a value shows.

use serde_json::Value;

use super::{Contract, Parts, local};

// === impl Contract ===

impl Contract {
    /// Adds every part of the schema at `pointer`.
    pub(super) fn collect(&self, pointer: &str, parts: &mut Parts) {
        if !parts.insert(pointer.to_owned()) {
            return;
        }
        let schema = self.at(pointer);
        if let Some(target) = schema.get("$ref") {
            self.collect(&local(target), parts);
        }
        if let Some(values) = schema["enum"].as_array() {
            parts.extend(values.iter().map(|value| format!("{pointer} = {value}")));
        }
        match &schema["type"] {
            Value::Array(types) => {
                parts.extend(types.iter().map(|it| format!("{pointer} is {it}")));
            }
            it if it == "boolean" => {
                parts.extend([true, false].map(|value| format!("{pointer} = {value}")));
            }
            _ => {}
        }
        if let Some(properties) = schema["properties"].as_object() {
            for name in properties.keys() {
                self.collect(&format!("{pointer}/properties/{name}"), parts);
            }
        }
        if schema.get("items").is_some() {
            self.collect(&format!("{pointer}/items"), parts);
        }
        for at in 0..alternatives(schema) {
            self.collect(&format!("{pointer}/anyOf/{at}"), parts);
        }
    }

    /// Adds the parts of the schema at `pointer` that `value`, which fits it, shows.
    pub(super) fn show(&self, pointer: &str, value: &Value, parts: &mut Parts) {
        parts.insert(pointer.to_owned());
        let schema = self.at(pointer);
        if let Some(target) = schema.get("$ref") {
            self.show(&local(target), value, parts);
        }
        if schema.get("enum").is_some() || schema["type"] == "boolean" {
            parts.insert(format!("{pointer} = {value}"));
        }
        if let Some(types) = schema["type"].as_array() {
            let is_of = |it: &&Value| match value {
                Value::Null => **it == "null",
                Value::String(_) => **it == "string",
                _ => unreachable!("the description has no other type beside another"),
            };
            parts.extend(
                types
                    .iter()
                    .filter(is_of)
                    .map(|it| format!("{pointer} is {it}")),
            );
        }
        for name in schema["properties"]
            .as_object()
            .iter()
            .flat_map(|it| it.keys())
        {
            if let Some(member) = value.get(name) {
                self.show(&format!("{pointer}/properties/{name}"), member, parts);
            }
        }
        if schema.get("items").is_some() {
            for item in value.as_array().into_iter().flatten() {
                self.show(&format!("{pointer}/items"), item, parts);
            }
        }
        for at in 0..alternatives(schema) {
            let alternative = format!("{pointer}/anyOf/{at}");
            if self.fault(&alternative, value).is_none() {
                self.show(&alternative, value, parts);
            }
        }
    }
}

/// How many alternatives a schema has that describe anything of their own.
fn alternatives(schema: &Value) -> usize {
    schema["anyOf"].as_array().map_or(0, Vec::len)
}

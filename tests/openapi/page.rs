//! Prints docs/OPENAPI.md from docs/openapi.json, and compares the page with it.
//!
//! `PORTREEVE_PRINT_DOCS=1 cargo test --test openapi page` writes the page again; without the variable
//! the test fails if the page differs from the description.

use std::fmt::Write as _;

use serde_json::Value;

use crate::contract::CONTRACT;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/OPENAPI.md");

const HEAD: &str = "\
# The API at a glance

<!-- Printed from openapi.json: PORTREEVE_PRINT_DOCS=1 cargo test --test openapi page -->

Every operation of the management API, from its description in [openapi.json](openapi.json), an OpenAPI 3.1
document, which `portreeve openapi` prints as well. The rules are in [API.md](API.md). Every answer of an
operation that needs a token has `X-Request-Id` and `Cache-Control: no-store`; an error has the body
`{\"error\": \"…\", \"message\": \"…\"}`.
";

#[test]
fn the_page_is_up_to_date_with_the_description() {
    let printed = printed();
    if std::env::var_os("PORTREEVE_PRINT_DOCS").is_some() {
        std::fs::write(PAGE, &printed).expect("docs/OPENAPI.md can be written");
        return;
    }
    let page = std::fs::read_to_string(PAGE).expect("docs/OPENAPI.md is there");
    assert!(
        page == printed,
        "docs/OPENAPI.md is not what docs/openapi.json says; print it with \
         PORTREEVE_PRINT_DOCS=1 cargo test --test openapi page"
    );
}

fn printed() -> String {
    let mut out = HEAD.to_owned();
    for tag in CONTRACT.document()["tags"].as_array().unwrap() {
        let (name, description) = (text(&tag["name"]), text(&tag["description"]));
        write!(out, "\n## {name}\n\n{description}\n").unwrap();
        for (method, path, pointer) in CONTRACT.operations() {
            if CONTRACT.at(&pointer)["tags"][0] == tag["name"] {
                operation(&mut out, method, path, &pointer);
            }
        }
    }
    out.push_str("\n## Unmatched requests\n\n");
    responses(&mut out, "/x-unmatched");
    out.push_str("\n## Shared answers\n");
    for name in CONTRACT
        .at("/components/responses")
        .as_object()
        .unwrap()
        .keys()
    {
        write!(out, "\n### {name}\n\n").unwrap();
        out.push_str("| body | meaning |\n|---|---|\n");
        let (body, meaning) = response(&format!("/components/responses/{name}"));
        writeln!(out, "| {body} | {meaning} |").unwrap();
    }
    out
}

fn operation(out: &mut String, method: &str, path: &str, pointer: &str) {
    let operation = CONTRACT.at(pointer);
    let (method, docs) = (method.to_ascii_uppercase(), &operation["externalDocs"]);
    write!(
        out,
        "\n### `{method} {path}`\n\n{}. [{}]({})\n",
        text(&operation["summary"]),
        text(&docs["description"]),
        text(&docs["url"])
    )
    .unwrap();
    if let Some(description) = operation["description"].as_str() {
        writeln!(out, "{description}").unwrap();
    }
    out.push('\n');
    let mut sent = String::new();
    for at in 0..operation["parameters"].as_array().map_or(0, Vec::len) {
        let pointer = CONTRACT.resolved(&format!("{pointer}/parameters/{at}"));
        let parameter = CONTRACT.at(&pointer);
        let needed = if parameter["required"] == true {
            ""
        } else {
            ", optional"
        };
        let place = format!("{}{needed}", text(&parameter["in"]));
        let kind = kind(&format!("{pointer}/schema"));
        row(
            &mut sent,
            &[
                text(&parameter["name"]),
                &place,
                &kind,
                text(&parameter["description"]),
            ],
        );
    }
    if operation.get("requestBody").is_some() {
        let schema = CONTRACT.resolved(&format!(
            "{pointer}/requestBody/content/application~1json/schema"
        ));
        for (name, member) in CONTRACT.at(&schema)["properties"].as_object().unwrap() {
            let pointer = format!("{schema}/properties/{name}");
            let meaning = member.get("description");
            let meaning = meaning
                .unwrap_or_else(|| &CONTRACT.at(&CONTRACT.resolved(&pointer))["description"]);
            let required = CONTRACT.at(&schema)["required"].as_array();
            let needed = required.is_some_and(|it| it.iter().any(|it| it == name));
            let place = if needed { "body" } else { "body, optional" };
            row(&mut sent, &[name, place, &kind(&pointer), text(meaning)]);
        }
    }
    if !sent.is_empty() {
        writeln!(
            out,
            "| sent | in | form | meaning |\n|---|---|---|---|\n{sent}"
        )
        .unwrap();
    }
    responses(out, &format!("{pointer}/responses"));
}

fn row(out: &mut String, cells: &[&str; 4]) {
    let [name, place, kind, meaning] = cells.map(|cell| cell.replace('|', "\\|"));
    writeln!(out, "| `{name}` | {place} | {kind} | {meaning} |").unwrap();
}

fn responses(out: &mut String, pointer: &str) {
    out.push_str("| status | body | meaning |\n|---|---|---|\n");
    for status in CONTRACT.at(pointer).as_object().unwrap().keys() {
        let written = format!("{pointer}/{status}");
        let resolved = CONTRACT.resolved(&written);
        if resolved == written {
            let (body, meaning) = response(&resolved);
            writeln!(out, "| {status} | {body} | {meaning} |").unwrap();
        } else {
            let name = resolved.rsplit('/').next().unwrap();
            let meaning = text(&CONTRACT.at(&resolved)["description"]);
            let anchor = name.to_ascii_lowercase();
            writeln!(out, "| {status} | [{name}](#{anchor}) | {meaning} |").unwrap();
        }
    }
}

/// The body of an answer, and when it is given.
fn response(pointer: &str) -> (String, String) {
    let response = CONTRACT.at(pointer);
    let mut meaning = text(&response["description"]).to_owned();
    for name in response["headers"]
        .as_object()
        .into_iter()
        .flat_map(|it| it.keys())
    {
        if !["X-Request-Id", "Cache-Control"].contains(&name.as_str()) {
            let header = CONTRACT.resolved(&format!("{pointer}/headers/{name}"));
            let description = text(&CONTRACT.at(&header)["description"]);
            write!(meaning, " `{name}`: {description}").unwrap();
        }
    }
    let Some((kind, content)) = response["content"]
        .as_object()
        .and_then(|it| it.iter().next())
    else {
        return (String::new(), meaning);
    };
    let schema = format!(
        "{pointer}/content/{}/schema",
        crate::contract::escaped(kind)
    );
    let body = match content["schema"]["properties"].get("message") {
        Some(_) if content["schema"].get("$ref").is_some() => {
            let mut body = format!(
                "`{}`:",
                text(&content["schema"]["properties"]["error"]["const"])
            );
            for message in messages(&format!("{schema}/properties/message")) {
                write!(body, "<br>{message}").unwrap();
            }
            body
        }
        _ => match content["example"].as_str() {
            Some(text) => format!("`{}`", text.trim_end()),
            None => format!("`{}`", content["example"]),
        },
    };
    (body.replace('|', "\\|"), meaning)
}

/// The messages that the schema at `pointer` lets an error have.
fn messages(pointer: &str) -> Vec<String> {
    let pointer = CONTRACT.resolved(pointer);
    let schema = CONTRACT.at(&pointer);
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(|value| text(value).to_owned()).collect();
    }
    if let Some(pattern) = schema["pattern"].as_str() {
        let fixed = pattern.trim_start_matches('^').replace("\\d+", "N");
        return match fixed.strip_suffix('$') {
            Some(whole) => vec![whole.to_owned()],
            None => vec![format!("{}…", fixed.trim_end_matches('.'))],
        };
    }
    (0..schema["anyOf"].as_array().expect("alternatives").len())
        .flat_map(|at| messages(&format!("{pointer}/anyOf/{at}")))
        .collect()
}

/// A word for the form of a value.
fn kind(pointer: &str) -> String {
    let schema = CONTRACT.at(&CONTRACT.resolved(pointer));
    match (&schema["type"], schema["pattern"].as_str()) {
        (Value::String(_), Some(pattern)) => format!("`{pattern}`"),
        (Value::String(name), None) => name.clone(),
        (Value::Array(names), _) => names.iter().map(text).collect::<Vec<_>>().join(" or "),
        _ => "object".to_owned(),
    }
}

fn text(value: &Value) -> &str {
    value
        .as_str()
        .unwrap_or_else(|| panic!("{value} is no text"))
}

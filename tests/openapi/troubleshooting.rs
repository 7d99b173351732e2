//! docs/TROUBLESHOOTING.md is complete and up to date.
//!
//! Messages to callers are those of docs/openapi.json; lines of the log and their errors are read from the sources.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use portreeve::identity::{RefusalReason, TokenRefusal};
use serde_json::Value;

use crate::support::contract::CONTRACT;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const PAGE: &str = "TROUBLESHOOTING.md";

/// Those of Nextcloud, which stand beside what a caller gets of them.
const OF_NEXTCLOUD: &str = "groupware/error.rs";

/// The sources of the errors at the end of lines in the log, by the heading above their list.
const ERRORS: &[(&str, &[&str])] = &[
    ("500 Internal error", &[OF_NEXTCLOUD]),
    ("The identity provider", &["identity/provider_client.rs"]),
    (
        "The vault",
        &["vault/error.rs", "vault/cipher.rs", "vault/postgres/error.rs", "vault/sqlite/error.rs"],
    ),
];

/// The page: the messages of each heading, in which `…` stands for anything.
struct Page(BTreeMap<String, Vec<String>>);

impl Page {
    fn read() -> Self {
        let (mut items, mut heading) = (Vec::<(String, String)>::new(), String::new());
        for line in read(&format!("docs/{PAGE}")).lines() {
            if let Some(name) = line.strip_prefix("##") {
                heading = name.trim_start_matches('#').trim().to_owned();
            } else if let Some(item) = line.strip_prefix("- ") {
                items.push((heading.clone(), item.to_owned()));
            } else if let Some(more) = line.strip_prefix("  ") {
                let (_, item) = items.last_mut().expect("it goes on with an item");
                *item += &format!(" {more}");
            }
        }
        let mut headings = BTreeMap::<_, Vec<_>>::new();
        for (heading, item) in items {
            headings.entry(heading).or_default().extend(codes(&item));
        }
        Self(headings)
    }

    fn rows(&self, heading: &str) -> &[String] {
        let rows = self.0.get(heading);
        rows.unwrap_or_else(|| panic!("{PAGE} has no list below {heading:?}"))
    }

    /// The lists of error answers.
    fn answers(&self) -> impl Iterator<Item = (&String, &Vec<String>)> {
        let is_status = |heading: &str| heading.starts_with(|c: char| c.is_ascii_digit());
        self.0.iter().filter(move |(heading, _)| is_status(heading))
    }
}

/// The messages of an item: the code before its colon. Code with a backtick in it is between double ones.
fn codes(item: &str) -> Vec<String> {
    let (mut found, mut rest) = (Vec::new(), item);
    while let Some(at) = rest.find(['`', ':'])
        && rest[at..].starts_with('`')
    {
        rest = &rest[at..];
        let fence = if rest.starts_with("``") { "``" } else { "`" };
        let (code, after) = rest[fence.len()..].split_once(fence).expect("its end");
        found.push(code.trim().to_owned());
        rest = after;
    }
    found
}

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Whether `row` matches `message`. A caller's sentence and the error in the log may differ in case and full stop alone.
fn covers(row: &str, message: &str) -> bool {
    let [row, message] = [row, message].map(|text| text.trim_end_matches('.').to_lowercase());
    let mut parts = row.split('…');
    let Some(mut rest) = message.strip_prefix(parts.next().unwrap()) else {
        return false;
    };
    let parts: Vec<_> = parts.collect();
    for (at, part) in parts.iter().enumerate() {
        let found = match at + 1 == parts.len() {
            true => return rest.ends_with(part),
            false => rest.find(part),
        };
        let Some(found) = found else { return false };
        rest = &rest[found + part.len()..];
    }
    rest.is_empty()
}

/// Asserts that each message has a row.
fn assert_complete(what: &str, rows: &[String], messages: &[String]) {
    let lacks = |message: &&String| !rows.iter().any(|row| covers(row, message));
    let missing: Vec<_> = messages.iter().filter(lacks).collect();
    assert!(missing.is_empty(), "{what}: {PAGE} lacks {missing:#?}");
}

/// Asserts that each message has a row, and each row a message and words of its own.
fn assert_same(what: &str, rows: &[String], messages: &[String]) {
    assert_complete(what, rows, messages);
    let is_old = |row: &&String| !messages.iter().any(|message| covers(row, message));
    let old: Vec<_> = rows.iter().filter(is_old).collect();
    assert!(old.is_empty(), "{what}: nothing says {old:#?}");
    let is_said = |row: &String| row.chars().filter(|c| c.is_alphabetic()).count() > 6;
    assert!(rows.iter().all(is_said), "{what}: {rows:#?}");
}

/// The messages that a schema allows; `…` stands for what a pattern leaves open.
fn messages(schema: &Value, out: &mut Vec<String>) {
    if let Some(pointer) = schema["$ref"].as_str() {
        messages(CONTRACT.at(pointer.trim_start_matches('#')), out);
    }
    for members in ["anyOf", "oneOf"] {
        let members = schema[members].as_array();
        members.into_iter().flatten().for_each(|it| messages(it, out));
    }
    let texts = schema["enum"].as_array().into_iter().flatten();
    for text in texts.chain(schema.get("const")) {
        out.push(text.as_str().unwrap().to_owned());
    }
    if let Some(pattern) = schema["pattern"].as_str() {
        let text = pattern.trim_matches(['^', '$']).replace("\\d+", "…");
        let text = text.replace(".+", "…").replace("\\?", "?");
        // A pattern that ends in any character allows more text.
        let open = text.strip_suffix(" .").or_else(|| text.strip_suffix(" "));
        out.push(open.map_or(text.clone(), |text| format!("{text} …")));
    }
}

/// Calls `each` with the schema of every error message, and the fixed `error` beside it.
fn error_messages(value: &Value, each: &mut impl FnMut(&str, &Value)) {
    let properties = &value["properties"];
    if let Some(error) = properties["error"]["const"].as_str()
        && properties["message"].is_object()
    {
        each(error, &properties["message"]);
    }
    match value {
        Value::Object(members) => members.values().for_each(|it| error_messages(it, each)),
        Value::Array(items) => items.iter().for_each(|it| error_messages(it, each)),
        _ => {}
    }
}

#[test]
fn every_message_of_the_description_links_to_its_row() {
    let page = Page::read();
    let mut described = Vec::new();
    error_messages(CONTRACT.document(), &mut |error, schema| {
        let (heading, rows) = page
            .answers()
            .find(|(heading, _)| heading.split_once(' ').unwrap().1 == error)
            .unwrap_or_else(|| panic!("{PAGE} has no heading for {error:?}"));
        let anchor = heading.to_lowercase().replace(' ', "-");
        let link = format!("{PAGE}#{anchor}");
        assert_eq!(schema["externalDocs"]["url"], link, "{schema:#}");
        let mut found = Vec::new();
        messages(schema, &mut found);
        assert!(!found.is_empty(), "{schema:#}");
        for message in &found {
            let has_row = rows.iter().any(|row| covers(row, message));
            assert!(has_row, "{heading} lacks {message:?}");
        }
        described.append(&mut found);
    });
    assert!(described.len() > 100, "{}", described.len());
    // Errors in the format of section 10.4, where the message is in `error`.
    let answers = CONTRACT.at("/components/responses").as_object().unwrap();
    for answer in answers.values() {
        let schema = &answer["content"]["application/json"]["schema"];
        if schema["$ref"] == "#/components/schemas/AppPasswordFailure" {
            messages(&schema["properties"]["error"], &mut described);
        }
    }
    described.extend(errors(OF_NEXTCLOUD));
    let rows: Vec<_> = page.answers().flat_map(|(_, it)| it.clone()).collect();
    assert_same("docs/openapi.json", &rows, &described);
}

#[test]
fn every_warning_and_error_of_the_log_has_a_row() {
    let mut lines = Vec::new();
    for path in sources(&Path::new(ROOT).join("src")) {
        let source = fs::read_to_string(path).unwrap();
        for name in ["warn!(", "error!("] {
            lines.extend(literals(&source, name));
        }
        // Its second argument, after the kind.
        for (at, _) in source.match_indices("rejection(\n") {
            lines.extend(source[at..].split('"').nth(3).map(str::to_owned));
        }
    }
    // Messages at the start that consist of a setting's own text.
    lines.retain(|line| line != "…");
    assert!(lines.len() > 35, "{lines:#?}");
    assert_same("the log", Page::read().rows("What the log says"), &lines);
}

#[test]
fn every_error_at_the_end_of_a_log_line_has_a_row() {
    let page = Page::read();
    for (heading, files) in ERRORS {
        let found: Vec<_> = files.iter().flat_map(|file| errors(file)).collect();
        assert!(found.len() > 5, "{heading}: {found:#?}");
        match *files {
            [OF_NEXTCLOUD] => assert_complete(heading, page.rows(heading), &found),
            _ => assert_same(heading, page.rows(heading), &found),
        }
    }
}

/// The texts of the errors in a file.
fn errors(file: &str) -> Vec<String> {
    let source = read(&format!("src/{file}"));
    let mut found = literals(&source, "#[error(");
    if !source.contains("thiserror::Error") {
        found.extend(literals(&source, "write!("));
        found.extend(literals(&source, "write_str("));
    }
    found.retain(|error| !error.trim_matches([':', ' ', '…']).is_empty());
    found
}

#[test]
fn every_reason_why_a_token_is_refused_has_a_row() {
    let reasons = RefusalReason::ALL.iter();
    let reasons: Vec<_> = reasons.map(|it| TokenRefusal::from(*it).to_string()).collect();
    let heading = "Why a token is refused";
    assert_same(heading, Page::read().rows(heading), &reasons);
}

/// The files of Rust below `directory`.
fn sources(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|it| it == "rs") {
            found.push(path);
        }
    }
    found
}

/// The first string argument of each `name` in `source`, with `…` for each placeholder.
fn literals(source: &str, name: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in source.match_indices(name) {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let line = source[..at].rsplit('\n').next().unwrap();
        if source[..at].ends_with(is_word) || line.trim_start().starts_with("//") {
            continue;
        }
        found.extend(first_text(&source[at + name.len()..]));
    }
    found
}

/// The first string among the arguments at the beginning of `source`.
fn first_text(source: &str) -> Option<String> {
    let (mut depth, mut begins, mut at) = (0, true, 0);
    while let Some(c) = source[at..].chars().next() {
        match c {
            '"' => {
                let text = &source[at + 1..at + 1 + text_length(&source[at + 1..])];
                if depth == 0 && begins {
                    return Some(template(text));
                }
                at += text.len() + 1;
                begins = false;
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return None,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => begins = true,
            c if c.is_whitespace() => {}
            _ => begins = false,
        }
        at += c.len_utf8();
    }
    None
}

/// The length in bytes of a string literal, up to its closing quote.
fn text_length(text: &str) -> usize {
    let mut escaped = false;
    let end = text.find(|c| match (escaped, c) {
        (true, _) => {
            escaped = false;
            false
        }
        (false, '\\') => {
            escaped = true;
            false
        }
        (false, c) => c == '"',
    });
    end.expect("a text ends")
}

/// The text of a string literal, with `…` for each placeholder.
fn template(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' => match rest.next() {
                // The text continues with the next word.
                Some('\n') => while rest.next_if(|c| c.is_whitespace()).is_some() {},
                Some(c) => out.push(c),
                None => {}
            },
            '{' => {
                while rest.next().is_some_and(|c| c != '}') {}
                // Two in a row are one.
                if !out.ends_with('…') {
                    out.push('…');
                }
            }
            c => out.push(c),
        }
    }
    out
}

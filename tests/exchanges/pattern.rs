//! Compares what came with what is wanted: `…` stands for anything, `<name>` for a value that is remembered.

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use serde_json::Value;

/// The values of `<name>`.
pub(crate) type Names = HashMap<String, String>;

/// Whether `found` is as `wanted`. A member `…` of an object allows further members.
pub(crate) fn matches(wanted: &Value, found: &Value, names: &mut Names) -> bool {
    match (wanted, found) {
        (Value::String(any), _) if any == "…" => true,
        (Value::String(wanted), Value::String(found)) => matches_text(wanted, found, names),
        (Value::String(wanted), Value::Number(found)) => {
            matches_text(wanted, &found.to_string(), names)
        }
        (Value::Array(wanted), Value::Array(found)) => {
            let mut pairs = wanted.iter().zip(found);
            wanted.len() == found.len()
                && pairs.all(|(wanted, found)| matches(wanted, found, names))
        }
        (Value::Object(wanted), Value::Object(found)) => {
            let is_open = wanted.contains_key("…");
            let mut members = wanted.iter().filter(|(key, _)| *key != "…");
            (is_open || wanted.len() == found.len())
                && members.all(|(key, wanted)| {
                    let found = found.get(key);
                    found.is_some_and(|found| matches(wanted, found, names))
                })
        }
        _ => wanted == found,
    }
}

/// Whether a text is as `wanted`. A name that has no value yet gets it here.
pub(crate) fn matches_text(wanted: &str, found: &str, names: &mut Names) -> bool {
    if let Some(after) = wanted.strip_prefix("<now").and_then(|it| it.strip_suffix('>')) {
        // `<now>`, or `<now + 20m>`.
        let after = after.strip_prefix(" + ").unwrap_or("0s");
        let wanted = SystemTime::now() + humantime::parse_duration(after).unwrap_or_default();
        let time = humantime::parse_rfc3339(found).ok();
        let early = time.and_then(|time| wanted.duration_since(time).ok());
        return early.is_some_and(|early| early < Duration::from_secs(60));
    }
    if let Some(name) = wanted.strip_prefix('<').and_then(|it| it.strip_suffix('>'))
        && name.chars().all(|c| c.is_ascii_lowercase() || c == '_')
        && !names.contains_key(name)
    {
        names.insert(name.to_owned(), found.to_owned());
        return true;
    }
    // A number from one to another.
    let range = wanted.strip_prefix('<').and_then(|it| it.strip_suffix('>'));
    if let Some((from, to)) = range.and_then(|it| it.split_once('-'))
        && let (Ok(from), Ok(to)) = (from.parse::<u64>(), to.parse::<u64>())
    {
        return found.parse().is_ok_and(|it| (from..=to).contains(&it));
    }
    let wanted = fill(wanted, names);
    let Some((first, rest)) = wanted.split_once('…') else {
        return wanted == found;
    };
    let Some(mut found) = found.strip_prefix(first) else {
        return false;
    };
    let (middle, last) = rest.rsplit_once('…').unwrap_or(("", rest));
    for part in middle.split('…') {
        match found.split_once(part) {
            Some((_, after)) => found = after,
            None => return false,
        }
    }
    found.ends_with(last)
}

/// Replaces each `<name>` that has a value, and each `<text * count>`.
pub(crate) fn fill(text: &str, names: &Names) -> String {
    let mut parts = text.split('<');
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let value = part.split_once('>').and_then(|(name, rest)| {
            let repeated = || {
                let (text, count) = name.rsplit_once(" * ")?;
                Some(text.repeat(count.parse().ok()?))
            };
            let value = names.get(name).cloned().or_else(repeated)?;
            Some((value, rest))
        });
        match value {
            Some((value, rest)) => filled += &(value + rest),
            None => filled = filled + "<" + part,
        }
    }
    filled
}

/// JSON in which `…` among the members of an object needs no value.
pub(crate) fn json(text: &str) -> Result<Value, String> {
    let closed = text.replace("…}", "\"…\": 0}");
    serde_json::from_str(&closed).map_err(|error| format!("it is no JSON: {error}"))
}

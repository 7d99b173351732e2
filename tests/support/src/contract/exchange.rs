//! One request and its answer, compared with the description.

use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::{Contract, OF_HTTP, UNMATCHED, escaped};
use crate::gateway::Answer;

const METADATA: &str = "/.well-known/oauth-protected-resource";

/// A request as it was sent.
#[derive(Clone, Debug)]
pub struct Sent {
    pub method: String,
    pub path: String,
    pub query: String,
    /// `None` if only the answer is to be compared.
    pub body: Option<String>,
}

// === impl Sent ===

impl Sent {
    /// Reads the first line of a request.
    pub fn new(head: &str, body: Option<&str>) -> Self {
        let line = head.split("\r\n").next().unwrap_or_default();
        let mut words = line.split(' ');
        let method = words.next().unwrap_or_default().to_owned();
        let target = words.next().unwrap_or_default();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        Self {
            method,
            // A gateway at a path of its own appends that (section 11).
            path: match path {
                path if path.starts_with(METADATA) => METADATA.to_owned(),
                // The page itself (section 13).
                "/ui" | "/ui/" => "/ui/index.html".to_owned(),
                // As the front end joins it (section 12.1).
                path => path.replace("//webhooks/", "/webhooks/"),
            },
            query: query.to_owned(),
            body: body.map(str::to_owned),
        }
    }
}

pub(super) fn check(contract: &Contract, sent: &Sent, answer: &Answer) -> Result<(), String> {
    // The page at the root is the binary's.
    if sent.path == "/" && answer.status != 200 {
        return Ok(());
    }
    // No answer came, or hyper's own to bytes that are not a request.
    if matches!(answer.status, 0 | 400 | 431) && answer.header("content-type").is_none() {
        return Ok(());
    }
    let found = find(contract, sent);
    let responses = match &found {
        Some((operation, _)) => format!("{operation}/responses"),
        None => unmatched(contract, &sent.path),
    };
    let response = format!("{responses}/{}", answer.status);
    if contract.document().pointer(&response).is_none() {
        return Err(format!("there is no {response}"));
    }
    let response = contract.resolved(&response);
    headers(contract, &response, answer)?;
    if sent.method != "HEAD" {
        body(contract, &response, answer)?;
    }
    match found {
        Some((operation, variables)) if matches!(answer.status, 200 | 201) => {
            request(contract, &operation, &variables, sent)
        }
        _ => Ok(()),
    }
}

/// The pointer of the operation, and the values of the variables in its path.
fn find(contract: &Contract, sent: &Sent) -> Option<(String, Vec<(String, String)>)> {
    contract.operations().find_map(|(method, template, pointer)| {
        let variables = variables(template, &sent.path)?;
        (sent.method == method.to_ascii_uppercase()).then_some((pointer, variables))
    })
}

/// Where the answers of a path that belong to no operation are described.
fn unmatched(contract: &Contract, path: &str) -> String {
    let paths = contract.document()["paths"].as_object().expect("paths");
    let own = paths.iter().find(|(template, item)| {
        item.get(&UNMATCHED[1..]).is_some() && variables(template, path).is_some()
    });
    match own {
        Some((template, _)) => format!("/paths/{}{UNMATCHED}", escaped(template)),
        None => UNMATCHED.to_owned(),
    }
}

fn variables(template: &str, path: &str) -> Option<Vec<(String, String)>> {
    let (mut wanted, mut given) = (template.split('/'), path.split('/'));
    let mut variables = Vec::new();
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return Some(variables),
            (Some(wanted), Some(given)) => {
                let name = wanted.strip_prefix('{').and_then(|it| it.strip_suffix('}'));
                match name {
                    Some(_) if given.is_empty() => return None,
                    Some(name) => variables.push((name.to_owned(), given.to_owned())),
                    None if wanted == given => {}
                    None => return None,
                }
            }
            _ => return None,
        }
    }
}

fn headers(contract: &Contract, response: &str, answer: &Answer) -> Result<(), String> {
    let described = contract.at(response)["headers"].as_object();
    let described: Vec<_> = described.into_iter().flat_map(|it| it.keys()).collect();
    for (name, _) in &answer.headers {
        let is_described = described.iter().any(|it| it.eq_ignore_ascii_case(name));
        if !is_described && !OF_HTTP.contains(&name.as_str()) {
            return Err(format!("{response} has no header {name}"));
        }
    }
    for name in described {
        let header = contract.resolved(&format!("{response}/headers/{name}"));
        let Some(value) = answer.header(&name.to_ascii_lowercase()) else {
            match contract.at(&header)["required"] == true {
                true => return Err(format!("{header} is missing")),
                false => continue,
            }
        };
        described_text(contract, &format!("{header}/schema"), value)?;
    }
    Ok(())
}

fn body(contract: &Contract, response: &str, answer: &Answer) -> Result<(), String> {
    let Some(content) = contract.at(response).get("content") else {
        return match answer.body.is_empty() {
            true => Ok(()),
            false => Err(format!("{response} has no body")),
        };
    };
    let kind = answer.header("content-type").unwrap_or_default();
    if content.get(kind).is_none() {
        return Err(format!("{response} has no content of the type {kind:?}"));
    }
    let value = match kind {
        "application/json" => {
            // What follows may be another answer.
            let length = answer.header("content-length").and_then(|it| it.parse().ok());
            let body = length.and_then(|length| answer.body.get(..length));
            serde_json::from_str(body.unwrap_or(&answer.body)).map_err(|error| error.to_string())?
        }
        _ => Value::from(answer.body.as_str()),
    };
    let schema = format!("{response}/content/{}/schema", escaped(kind));
    matches(contract, &schema, &value)
}

/// Checks the path, query and body of a request that was answered 200.
fn request(
    contract: &Contract,
    operation: &str,
    variables: &[(String, String)],
    sent: &Sent,
) -> Result<(), String> {
    let parameters = contract.at(operation)["parameters"].as_array();
    for at in 0..parameters.map_or(0, Vec::len) {
        let parameter = format!("{operation}/parameters/{at}");
        let resolved = contract.resolved(&parameter);
        let name = contract.at(&resolved)["name"].as_str().expect("a name");
        let value = match contract.at(&resolved)["in"].as_str() {
            Some("path") => value_of(variables, name),
            Some("query") => sent
                .query
                .split('&')
                .find_map(|pair| pair.split_once('=').filter(|(key, _)| *key == name))
                .map(|(_, value)| value),
            Some("header") => continue,
            other => return Err(format!("{resolved} is in {other:?}")),
        };
        if let Some(value) = value {
            let value = percent_decode_str(value).decode_utf8_lossy();
            described_text(contract, &format!("{resolved}/schema"), &value)?;
        }
    }
    let described = contract.at(operation).get("requestBody");
    if let (Some(described), Some(body)) = (described, &sent.body)
        && (described["required"] == true || !body.is_empty())
    {
        // Halves of surrogate pairs, which serde_json does not read.
        let body = body.replace(r"\ud800", "?").replace(r"\udc00", "?");
        let value = serde_json::from_str(&body).map_err(|error| error.to_string())?;
        let schema = format!("{operation}/requestBody/content/application~1json/schema");
        matches(contract, &schema, &value)?;
    }
    Ok(())
}

fn value_of<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let pair = pairs.iter().find(|(key, _)| key == name);
    pair.map(|(_, value)| value.as_str())
}

/// Checks a text, as a number or a boolean if it is described as one.
fn described_text(contract: &Contract, schema: &str, text: &str) -> Result<(), String> {
    let value = match contract.at(schema)["type"].as_str() {
        Some("integer") => text.parse::<i64>().ok().map(Value::from),
        Some("boolean") => text.parse::<bool>().ok().map(Value::from),
        _ => None,
    };
    let value = value.unwrap_or_else(|| text.into());
    matches(contract, schema, &value)
}

fn matches(contract: &Contract, schema: &str, value: &Value) -> Result<(), String> {
    contract.fault(schema, value).map_or(Ok(()), Err)
}

//! One request and its answer, checked against the description.

use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::{Contract, OF_HTTP, Parts, UNMATCHED, escaped};
use crate::support::gateway::Answer;

/// A request as it was sent.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) query: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

// === impl Sent ===

impl Sent {
    /// Reads the head of a request, which may lack its end.
    pub(crate) fn new(head: &str, body: &str) -> Self {
        let mut lines = head.split("\r\n");
        let mut words = lines.next().unwrap_or_default().split(' ');
        let method = words.next().unwrap_or_default().to_owned();
        let target = words.next().unwrap_or_default();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let headers = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()));
        Self {
            method,
            path: path.to_owned(),
            query: query.to_owned(),
            headers: headers.collect(),
            body: body.to_owned(),
        }
    }
}

/// The schema of the body of an operation's requests.
pub(super) fn request_schema(operation: &str) -> String {
    format!("{operation}/requestBody/content/application~1json/schema")
}

pub(super) fn check(contract: &Contract, sent: &Sent, answer: &Answer) -> Result<Parts, String> {
    let mut parts = Parts::new();
    // hyper's own answer to bytes that are not a request is not part of the API.
    if matches!(answer.status, 400 | 431) && answer.header("content-type").is_none() {
        return Ok(parts);
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
    parts.insert(response.clone());
    let response = contract.resolved(&response);
    headers(contract, &response, answer, &mut parts)?;
    body(contract, &response, answer, &mut parts)?;
    if let Some((operation, variables)) = found {
        header_parameters(contract, &operation, sent, &mut parts)?;
        if answer.status == 200 {
            request(contract, &operation, &variables, sent, &mut parts)?;
        }
    }
    Ok(parts)
}

/// The pointer of the operation, and the values of the variables in its path.
fn find(contract: &Contract, sent: &Sent) -> Option<(String, Vec<(String, String)>)> {
    contract
        .operations()
        .find_map(|(method, template, pointer)| {
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

fn headers(
    contract: &Contract,
    response: &str,
    answer: &Answer,
    parts: &mut Parts,
) -> Result<(), String> {
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
        described_text(contract, &format!("{header}/schema"), value, parts)?;
    }
    Ok(())
}

fn body(
    contract: &Contract,
    response: &str,
    answer: &Answer,
    parts: &mut Parts,
) -> Result<(), String> {
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
            serde_json::from_str(&answer.body).map_err(|error| error.to_string())?
        }
        _ => Value::from(answer.body.as_str()),
    };
    let schema = format!("{response}/content/{}/schema", escaped(kind));
    shown(contract, &schema, &value, parts)
}

/// Header fields count as shown whatever the answer is, if they match the description: any other request
/// id is replaced, not refused.
fn header_parameters(
    contract: &Contract,
    operation: &str,
    sent: &Sent,
    parts: &mut Parts,
) -> Result<(), String> {
    let parameters = contract.at(operation)["parameters"].as_array();
    for at in 0..parameters.map_or(0, Vec::len) {
        let parameter = format!("{operation}/parameters/{at}");
        let resolved = contract.resolved(&parameter);
        if contract.at(&resolved)["in"] != "header" {
            continue;
        }
        let name = contract.at(&resolved)["name"].as_str().expect("a name");
        let schema = format!("{resolved}/schema");
        let value = value_of(&sent.headers, &name.to_ascii_lowercase());
        let value = value.filter(|it| contract.fault(&schema, &Value::from(*it)).is_none());
        if let Some(value) = value {
            parts.insert(parameter);
            described_text(contract, &schema, value, parts)?;
        }
    }
    Ok(())
}

/// Checks the path, query and body of a request that was answered 200.
fn request(
    contract: &Contract,
    operation: &str,
    variables: &[(String, String)],
    sent: &Sent,
    parts: &mut Parts,
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
            parts.insert(parameter);
            described_text(contract, &format!("{resolved}/schema"), &value, parts)?;
        }
    }
    let body = contract.at(operation).get("requestBody");
    if body.is_some_and(|it| it["required"] == true || !sent.body.is_empty()) {
        let value = serde_json::from_str(&sent.body).map_err(|error| error.to_string())?;
        shown(contract, &request_schema(operation), &value, parts)?;
    }
    Ok(())
}

fn value_of<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let pair = pairs.iter().find(|(key, _)| key == name);
    pair.map(|(_, value)| value.as_str())
}

/// Checks a text, as a number or a boolean if it is described as one.
fn described_text(
    contract: &Contract,
    schema: &str,
    text: &str,
    parts: &mut Parts,
) -> Result<(), String> {
    let value = match contract.at(schema)["type"].as_str() {
        Some("integer") => text.parse::<i64>().ok().map(Value::from),
        Some("boolean") => text.parse::<bool>().ok().map(Value::from),
        _ => None,
    };
    let value = value.unwrap_or_else(|| text.into());
    shown(contract, schema, &value, parts)
}

fn shown(
    contract: &Contract,
    schema: &str,
    value: &Value,
    parts: &mut Parts,
) -> Result<(), String> {
    match contract.fault(schema, value) {
        Some(fault) => Err(fault),
        None => {
            contract.show(schema, value, parts);
            Ok(())
        }
    }
}

//! The header fields of a target (docs/API.md, section 12.2).

use http::HeaderName;
use serde_json::value::RawValue;
use zeroize::Zeroizing;

use super::members::pairs;
use super::{InputError, refused};
use crate::deliveries::TargetHeader;

/// The most fields, and the most bytes of a name and a value.
const MAX_HEADERS: usize = 8;
const MAX_NAME: usize = 64;
const MAX_VALUE: usize = 2048;

/// None for `null`.
pub(super) fn headers(value: &RawValue) -> Result<Option<Vec<TargetHeader>>, InputError> {
    const FORM: &str =
        "Invalid headers: must be an object of up to 8 names and strings of visible ASCII";
    let mut headers: Vec<TargetHeader> = Vec::new();
    if value.get() == "null" {
        return Ok(Some(headers));
    }
    let members = pairs::<String, Zeroizing<String>>(value.get());
    for (name, value) in members.map_err(|_| refused(FORM))? {
        let parsed: Option<HeaderName> = name.parse().ok().filter(|_| name.len() <= MAX_NAME);
        let is_value = (1..=MAX_VALUE).contains(&value.len())
            && value.bytes().all(|it| matches!(it, b' '..=b'~'))
            && value.trim_ascii().len() == value.len();
        let (Some(parsed), true) = (parsed, is_value && headers.len() < MAX_HEADERS) else {
            return Err(refused(FORM));
        };
        // Programs behind CGI and its like cannot tell the two characters apart.
        if is_reserved(&parsed.as_str().replace('_', "-")) {
            return Err(refused(format!("Invalid headers: {name} cannot be set")));
        }
        let name_of = |header: &TargetHeader| header.name == parsed.as_str();
        if headers.iter().any(name_of) {
            return Err(refused(format!("Invalid headers: {name} is there more than once")));
        }
        let name = parsed.as_str().to_owned();
        headers.push(TargetHeader { name, value });
    }
    Ok(Some(headers))
}

/// Whether it belongs to the connection (RFC 9110, section 7.6.1), or every attempt has it.
fn is_reserved(name: &str) -> bool {
    let prefixes = ["content-", "webhook-", "proxy-"];
    prefixes.iter().any(|prefix| name.starts_with(prefix))
        || matches!(name, "connection" | "keep-alive" | "te" | "trailer" | "transfer-encoding")
        || matches!(name, "upgrade" | "host" | "user-agent" | "accept-encoding" | "expect")
}

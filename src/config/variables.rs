//! Detects unknown environment variables: a misspelt one must not be ignored silently.

use std::ffi::OsString;

use super::arguments::CONFIG_ENV;
use super::fault::ConfigError;
use super::setting::ALL;
use super::syntax::Notation;

/// The prefix of the variables of this program, except those shared with front ends.
const PREFIX: &str = "PORTREEVE_";
/// The suffix of the variable that names the file of a secret.
pub(super) const FILE: &str = "_FILE";

/// The minimum similarity of a suggested name, from 0 to 1.
const ALIKE: f64 = 0.8;

/// Rejects variables that have the prefix of settings but are not settings.
///
/// Empty ones count as unset, and those by which Kubernetes describes a service named after this program are ignored.
pub(crate) fn refuse_unknown(
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> Result<(), ConfigError> {
    let known = known();
    let mut unknown: Vec<_> = variables
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| [name, value].map(|text| text.to_string_lossy().into_owned()))
        .filter(|[name, _]| name.starts_with(PREFIX) && !known.contains(name))
        .filter(|[name, value]| !is_of_kubernetes(name, value))
        .map(|[name, _]| name)
        .collect();
    if unknown.is_empty() {
        return Ok(());
    }
    unknown.sort();
    let hints = unknown.iter().filter_map(|name| advice(name, &known));
    let hints = Vec::from_iter(hints).join("; ");
    let advice = if hints.is_empty() { String::new() } else { format!(" ({hints})") };
    Err(ConfigError::named(
        unknown.join(", "),
        format!(
            "unknown setting{advice}; correct the name or unset it (`portreeve serve --help` lists \
             all settings)"
        ),
    ))
}

/// The name in `known` that is most similar to `name`, if any is similar.
pub(super) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // The common prefix does not count.
    let bare = |name: &'a str| name.strip_prefix(PREFIX).unwrap_or(name);
    let wanted = name.strip_prefix(PREFIX).unwrap_or(name);
    known
        .into_iter()
        .map(|known| (strsim::jaro_winkler(wanted, bare(known)), known))
        .filter(|(alike, _)| *alike >= ALIKE)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, known)| known)
}

fn known() -> Vec<String> {
    let mut known = vec![CONFIG_ENV.to_owned()];
    for setting in ALL {
        known.push(setting.env.to_owned());
        if setting.notation == Notation::Secret {
            known.push(format!("{}{FILE}", setting.env));
        }
    }
    known
}

fn advice(name: &str, known: &[String]) -> Option<String> {
    if let Some(plain) = name.strip_suffix(FILE)
        && known.iter().any(|known| known == plain)
    {
        return Some(format!("only secrets are read from files; set {plain} to the value itself"));
    }
    let completed = format!("{name}_URL");
    // Several settings of a server begin with its name; its URL is the most likely one.
    let near = if known.contains(&completed) {
        &completed
    } else {
        nearest(name, known.iter().map(String::as_str))?
    };
    Some(format!("did you mean {near}?"))
}

/// Whether Kubernetes set the variable for a service named `portreeve` or `portreeve-…`, as
/// `PORTREEVE_SERVICE_HOST`, `PORTREEVE_PORT=tcp://…` and `PORTREEVE_PORT_8000_TCP_ADDR`.
fn is_of_kubernetes(name: &str, value: &str) -> bool {
    let is_url = ["tcp://", "udp://", "sctp://"].iter().any(|scheme| value.starts_with(scheme));
    let numbered = name.rsplit_once("_PORT_").is_some_and(|(_, port)| {
        let digits = port.find(|c: char| !c.is_ascii_digit()).unwrap_or(port.len());
        digits > 0 && ["_TCP", "_UDP", "_SCTP"].iter().any(|it| port[digits..].starts_with(it))
    });
    // A named port.
    let parts = name.split("_SERVICE_PORT").count();
    name.ends_with("_SERVICE_HOST") || parts > 1 || (name.ends_with("_PORT") && is_url) || numbered
}

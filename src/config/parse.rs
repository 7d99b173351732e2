//! Parsing of settings.
//!
//! Errors are texts that complete a line which names the setting.

use std::borrow::Cow;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use ipnet::IpNet;
use portreeve::gateway::forward::Scopes;
use portreeve::gateway::{AccountRule, ClientAddress, UnknownAccountRule};
use portreeve::groupware::{DeliveryAuthError, EventClasses, SharedOrigin, is_class_name};
use portreeve::identity::is_scope;
use portreeve::outbound::{HttpUrl, PlainHttp};
use portreeve::vault::Keyring;
use secrecy::SecretString;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WebhookAuth {
    Derived,
    Shared,
}

/// A value that parses and is in range; `expected` completes the line.
pub(super) fn checked<T: FromStr>(
    text: &str,
    fits: impl FnOnce(&T) -> bool,
    expected: &str,
) -> Result<T, String> {
    let text = text.trim();
    text.parse().ok().filter(fits).ok_or_else(|| format!("{text:?} {expected}"))
}

pub(super) fn count<const MIN: usize, const MAX: usize>(text: &str) -> Result<usize, String> {
    let expected = format!("must be a whole number from {MIN} to {MAX}");
    checked(text, |count| (MIN..=MAX).contains(count), &expected)
}

pub(super) fn switch(text: &str) -> Result<bool, String> {
    checked(text, |_| true, "must be true or false")
}

pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let fits =
        |duration: &humantime::Duration| !duration.is_zero() && duration.as_secs() <= 86_400 * 365;
    let expected = "must be a duration above zero with its unit, such as 30s, 5m or 7d";
    checked(text, fits, expected).map(Into::into)
}

/// A number of bytes that are stored, not held in memory.
pub(super) fn large_size(text: &str) -> Result<u64, String> {
    let fits = |size: &bytesize::ByteSize| size.as_u64() > 0;
    let expected = "must be a size above zero, such as 10 GiB";
    checked(text, fits, expected).map(|size| size.as_u64())
}

pub(super) fn size(text: &str) -> Result<usize, String> {
    let fits = |size: &bytesize::ByteSize| (1..=1 << 30).contains(&size.as_u64());
    let expected = "must be a size from 1 byte to 1 GiB, such as 64 KiB";
    checked(text, fits, expected).map(|size| size.as_u64() as usize)
}

pub(super) fn path(text: &str) -> Result<PathBuf, String> {
    filled(text, "name a file or directory").map(Into::into)
}

pub(super) fn text(text: &str) -> Result<String, String> {
    filled(text.trim(), "set a value").map(Into::into)
}

/// The value of `iss`, which may be any text, but not what an operator copies from a browser.
pub(super) fn issuer(issuer: &str) -> Result<String, String> {
    match issuer.trim().strip_suffix("/.well-known/openid-configuration") {
        Some(meant) => Err(format!(
            "is the address of the discovery document; the issuer is what that has as \"issuer\", probably {meant}"
        )),
        None => text(issuer),
    }
}

pub(super) fn secret(text: &str) -> Result<SecretString, String> {
    filled(text, "set a value").map(Into::into)
}

fn filled<'a>(text: &'a str, advice: &str) -> Result<&'a str, String> {
    let problem = || format!("is empty; unset it, or {advice}");
    (!text.is_empty()).then_some(text).ok_or_else(problem)
}

/// The items of a list, trimmed. They are separated by commas; one in an item is written `\,`.
pub(super) fn items(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let mut rest = Some(text);
    let item = move || {
        let text = rest?;
        let is_separator = |at: &usize| !text[..*at].ends_with('\\');
        let end = text.match_indices(',').map(|(at, _)| at).find(is_separator);
        rest = end.map(|end| &text[end + 1..]);
        Some(text[..end.unwrap_or(text.len())].trim())
    };
    std::iter::from_fn(item).filter(|item| !item.is_empty()).map(|item| {
        if item.contains("\\,") {
            Cow::Owned(item.replace("\\,", ","))
        } else {
            Cow::Borrowed(item)
        }
    })
}

/// The text of a list with these items, each of which may be a list itself unless `is_single`.
pub(super) fn list<'a>(parts: impl IntoIterator<Item = &'a str>, is_single: bool) -> String {
    let mut text = String::new();
    for part in parts {
        if !text.is_empty() {
            // Otherwise the comma would belong to the item.
            text += if text.ends_with('\\') { " ," } else { "," };
        }
        if is_single {
            text += &part.replace(',', "\\,");
        } else {
            text += part;
        }
    }
    text
}

/// With more than ten, one more refused login would make the groupware server shut everybody out.
pub(super) fn refused_login_budget(text: &str) -> Result<Option<usize>, String> {
    if text.trim() == "unlimited" {
        return Ok(None);
    }
    checked(
        text,
        |count| (1..=10).contains(count),
        "must be a whole number from 1 to 10: the groupware server blocks all logins after 11 \
         refused ones in 30 minutes; or unlimited, if it does not count those of this address",
    )
    .map(Some)
}

/// The rule that derives account ids; `None` if accounts are bound.
pub(super) fn account_rule(text: &str) -> Result<Option<AccountRule>, String> {
    match text.trim() {
        "bound" => Ok(None),
        rule => {
            rule.parse().map(Some).map_err(|error: UnknownAccountRule| format!("{error}, or bound"))
        }
    }
}

pub(super) fn admin_scope(text: &str) -> Result<String, String> {
    let scope = text.trim();
    let fault = "must be one scope, such as portreeve:admin";
    is_scope(scope).then(|| scope.to_owned()).ok_or_else(|| fault.into())
}

pub(super) fn scope_prefix(text: &str) -> Result<String, String> {
    let prefix = text.trim();
    let fault =
        "must be how the provider's names of scopes begin, such as https://cloud.example.org/";
    is_scope(prefix).then(|| prefix.to_owned()).ok_or_else(|| fault.into())
}

pub(super) fn shared_key(text: &str) -> Result<SecretString, String> {
    // White space around the value of a header field is removed, so no call would match.
    if text.trim() != text || text.chars().any(char::is_control) {
        let problem = "must not begin or end with a blank or contain control characters, since it is sent in a header \
                       field";
        return Err(problem.into());
    }
    secret(text)
}

pub(super) fn shared_origins(text: &str) -> Result<Vec<SharedOrigin>, String> {
    let origin = |item: Cow<'_, str>| {
        item.parse().map_err(|error: DeliveryAuthError| format!("{item:?}: {error}"))
    };
    items(text).map(origin).collect()
}

pub(super) fn opened(text: &str) -> Result<Scopes, String> {
    let names: Vec<_> = items(text).collect();
    Scopes::opened_by(names.iter().map(|name| &**name)).map_err(|error| error.to_string())
}

/// Forwards the address of a caller, which these proxies are trusted to report.
pub(super) fn trusted_proxies(text: &str) -> Result<ClientAddress, String> {
    let (mut networks, mut trusts_unix) = (Vec::new(), false);
    for item in items(text) {
        match &*item {
            "unix:" => trusts_unix = true,
            item => networks.push(network(item).map_err(|error| format!("{error}, or unix:"))?),
        }
    }
    let forwarded = ClientAddress::forwarded(networks);
    Ok(if trusts_unix { forwarded.trusting_unix_sockets() } else { forwarded })
}

/// Networks, none of them written by an address within it: what is meant then, all of it or that address?
pub(super) fn networks(text: &str) -> Result<Vec<IpNet>, String> {
    let whole = |item: String| {
        let net = network(&item)?;
        match net.trunc() {
            whole if whole == net => Ok(net),
            whole => Err(format!(
                "{item:?} is an address within a network: write {whole}, or the address alone"
            )),
        }
    };
    items(text).map(|item| whole(item.into())).collect()
}

fn network(item: &str) -> Result<IpNet, String> {
    item.parse()
        .or_else(|_| item.parse::<IpAddr>().map(IpNet::from))
        .map_err(|_| format!("{item:?} must be an address or a network, such as 10.0.0.0/8"))
}

pub(super) fn event_classes(text: &str) -> Result<EventClasses, String> {
    for class in items(text) {
        if !is_class_name(class.strip_prefix('\\').unwrap_or(&class)) {
            return Err(format!(
                r"{class:?} must be the name of a class, such as OCA\Approval\Events\ApprovedEvent"
            ));
        }
    }
    Ok(EventClasses::trusting(items(text)))
}

/// The address of a server; plain HTTP is checked later, where it matters.
pub(super) fn base_url(text: &str) -> Result<HttpUrl, String> {
    HttpUrl::base(text.trim(), PlainHttp::Anywhere).map_err(|error| error.to_string())
}

pub(super) fn endpoint(text: &str) -> Result<HttpUrl, String> {
    HttpUrl::endpoint(text.trim(), PlainHttp::Anywhere).map_err(|error| error.to_string())
}

/// Audiences or clients.
pub(super) fn names(text: &str) -> Result<Vec<String>, String> {
    // Audiences and clients of providers contain no white space, but a list with a wrong separator does.
    match items(text).find(|item| item.contains(char::is_whitespace)) {
        Some(item) => Err(format!("{item:?} contains a blank; separate several values by commas")),
        None => Ok(items(text).map(Cow::into_owned).collect()),
    }
}

pub(super) fn scopes(text: &str) -> Result<Vec<String>, String> {
    let scopes = names(text)?;
    match scopes.iter().find(|scope| !is_scope(scope)) {
        Some(scope) => Err(format!(
            "{scope:?} is not a scope, which has only visible ASCII characters without quotes and backslashes"
        )),
        None => Ok(scopes),
    }
}

pub(super) fn cache_ttl(text: &str) -> Result<Duration, String> {
    let fits = |ttl: &humantime::Duration| **ttl <= Duration::from_secs(86_400);
    let expected =
        "must be a duration of up to a day with its unit, such as 60s; 0s disables the cache";
    checked(text, fits, expected).map(Into::into)
}

pub(super) fn keys(text: &str) -> Result<SecretString, String> {
    let keyring = Keyring::from_base64_keys(text.split(','));
    keyring.map(|_| text.into()).map_err(|error| error.to_string())
}

pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    let expected = "must be an IP address and a port, such as 127.0.0.1:9090";
    checked(text, |_| true, expected)
}

pub(super) fn unix_mode(text: &str) -> Result<u32, String> {
    let text = text.trim();
    let digits = text.strip_prefix("0o").unwrap_or(text);
    let mode = u32::from_str_radix(digits, 8).ok();
    let expected = "must be an octal mode that lets the owner read and write, such as 0660; in the TOML file it needs \
                    quotes";
    let fits = |mode: &u32| *mode <= 0o777 && mode & 0o600 == 0o600;
    mode.filter(fits).ok_or_else(|| format!("{text:?} {expected}"))
}

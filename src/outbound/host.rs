//! The host of a URL, in canonical form.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A host in canonical form: letter case, a trailing dot and the many ways to write an IP address make no difference.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Host {
    Address(IpAddr),
    /// Labels of letters, digits, `-` and `_`, in lower case.
    Name(Box<str>),
}

impl Host {
    /// Parses the host of an authority, in brackets if it is an IPv6 address. `None` for hosts that
    /// parsers disagree about, such as `a..b`, `1.2.3.4.5` and those that are percent-encoded or have a zone.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if let Some(inner) = text.strip_prefix('[') {
            let address: Ipv6Addr = inner.strip_suffix(']')?.parse().ok()?;
            return Some(Self::Address(address.to_canonical()));
        }
        let name = text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase();
        if let Some(address) = classic_ipv4(&name) {
            return Some(Self::Address(address.into()));
        }
        let is_label = |label: &str| {
            let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
            !label.is_empty() && label.bytes().all(fits)
        };
        // Browsers take a name that ends in a number for an address (WHATWG URL, section 3.5).
        let last = name.rsplit('.').next().unwrap_or(&name);
        (name.split('.').all(is_label) && !is_number(last)).then(|| Self::Name(name.into()))
    }

    /// Whether it is this machine, as are the unspecified address and the names of RFC 6761, section 6.3.
    pub(super) fn is_loopback(&self) -> bool {
        match self {
            Self::Address(address) => address.is_loopback() || address.is_unspecified(),
            Self::Name(name) => is_localhost(name),
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
            Self::Address(address) => write!(f, "{address}"),
            Self::Name(name) => f.write_str(name),
        }
    }
}

/// Whether `name` is `localhost` or a subdomain of it, in any letter case, with or without a trailing dot.
pub(super) fn is_localhost(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    name.rsplit('.').next().unwrap_or(name).eq_ignore_ascii_case("localhost")
}

/// Whether `label` is all decimal digits, or `0x` and hexadecimal digits.
fn is_number(label: &str) -> bool {
    match label.strip_prefix("0x") {
        Some(digits) => digits.bytes().all(|byte| byte.is_ascii_hexdigit()),
        None => label.bytes().all(|byte| byte.is_ascii_digit()),
    }
}

/// An IPv4 address as `inet_aton` parses it, and so the address that is connected to: one to four numbers, each
/// decimal, octal or hexadecimal, the last one filling the remaining bytes. `host` is in lower case.
fn classic_ipv4(host: &str) -> Option<Ipv4Addr> {
    let number = |part: &str| {
        let (digits, radix) = match part.strip_prefix("0x") {
            Some(digits) => (digits, 16),
            None if part.len() > 1 && part.starts_with('0') => (&part[1..], 8),
            None => (part, 10),
        };
        // `from_str_radix` also accepts a sign.
        let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        u64::from_str_radix(digits, radix).ok().filter(|_| plain)
    };
    let parts: Vec<u64> = host.split('.').map(number).collect::<Option<_>>()?;
    let (last, leading) = parts.split_last()?;
    if leading.len() > 3 || leading.iter().any(|part| *part > 255) {
        return None;
    }
    let bits_left = 8 * (4 - leading.len());
    if *last >= 1 << bits_left {
        return None;
    }
    let leading = leading.iter().zip([24, 16, 8]);
    let high: u64 = leading.map(|(part, shift)| part << shift).sum();
    u32::try_from(high | last).ok().map(Ipv4Addr::from)
}

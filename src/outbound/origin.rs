//! Scheme, host and port, and whether two of these are the same server.

use std::fmt;
use std::str::FromStr;

use http::Uri;

use super::host::Host;

/// The scheme, host and port of an `http` or `https` URL, in canonical form.
///
/// Letter case, a trailing dot, a default port and the many ways to write an IP address make no
/// difference. User information, path, query and fragment are not part of it.
///
/// ```
/// use portreeve::outbound::Origin;
///
/// let origin: Origin = "HTTPS://Cloud.Example.org.:443/apps".parse().unwrap();
/// assert_eq!(origin.to_string(), "https://cloud.example.org");
/// assert!("cloud.example.org".parse::<Origin>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    https: bool,
    host: Host,
    port: u16,
}

// === impl Origin ===

impl Origin {
    /// Whether connections to it are encrypted.
    pub fn is_https(&self) -> bool {
        self.https
    }

    /// Whether it is on this machine: `localhost`, a subdomain of it, a loopback address, or the
    /// unspecified address, to which connections stay on this machine as well.
    ///
    /// ```
    /// # use portreeve::outbound::Origin;
    /// let is_loopback = |url: &str| url.parse::<Origin>().unwrap().is_loopback();
    /// assert!(is_loopback("http://cloud.localhost:8080") && is_loopback("http://[::]:8080"));
    /// assert!(!is_loopback("http://localhost.example.org"));
    /// ```
    pub fn is_loopback(&self) -> bool {
        self.host.is_loopback()
    }

    /// Whether both are the same server, as far as can be seen without a DNS lookup.
    ///
    /// Wider than the same-origin rule of RFC 6454, since a secret must not reach a server by
    /// mistake: all hosts of this machine are the same, and so are ports 80 and 443 of a host, which
    /// one web server serves, whatever the scheme.
    ///
    /// ```
    /// # use portreeve::outbound::Origin;
    /// let origin = |url: &str| url.parse::<Origin>().unwrap();
    /// let cloud = origin("https://cloud.example.org/apps");
    /// assert!(cloud.is_same_server(&origin("http://CLOUD.example.org.:80")));
    /// assert!(origin("http://localhost:8080").is_same_server(&origin("http://127.1:8080")));
    /// assert!(!origin("http://localhost:8080").is_same_server(&origin("http://localhost:8081")));
    /// ```
    pub fn is_same_server(&self, other: &Self) -> bool {
        let is_web = |port| matches!(port, 80 | 443);
        let one_host = self.host == other.host || (self.is_loopback() && other.is_loopback());
        one_host && (self.port == other.port || (is_web(self.port) && is_web(other.port)))
    }

    /// Whether the host is a name of ordinary labels or an IP address, which all URL parsers
    /// understand alike.
    pub(crate) fn has_usual_host(&self) -> bool {
        !matches!(self.host, Host::Unusual(_))
    }

    /// The host, with the port unless it is the scheme's default.
    pub(crate) fn authority(&self) -> String {
        if self.port == default_port(self.https) {
            self.host.to_string()
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }
}

impl TryFrom<&Uri> for Origin {
    type Error = OriginError;

    fn try_from(uri: &Uri) -> Result<Self, OriginError> {
        let https = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            Some(_) => return Err(OriginError::Scheme),
            None => return Err(OriginError::Malformed),
        };
        let authority = uri.authority().ok_or(OriginError::Malformed)?;
        let host = authority.host();
        let user_info = authority.as_str().rfind('@').map_or(0, |at| at + 1);
        // `port_u16` returns `None` for a port that it cannot parse.
        let port = match authority.as_str()[user_info + host.len()..].strip_prefix(':') {
            None | Some("") => default_port(https),
            Some(digits) => match digits.parse() {
                Ok(port) if port != 0 => port,
                _ => return Err(OriginError::Port),
            },
        };
        let host = Host::parse(host).ok_or(OriginError::Host)?;
        Ok(Self { https, host, port })
    }
}

impl FromStr for Origin {
    type Err = OriginError;

    fn from_str(text: &str) -> Result<Self, OriginError> {
        let uri: Uri = text.parse().map_err(|_| OriginError::Malformed)?;
        Self::try_from(&uri)
    }
}

/// The scheme and the authority, without a trailing `/`.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.https { "https" } else { "http" };
        write!(f, "{scheme}://{}", self.authority())
    }
}

/// Why a URL has no [`Origin`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OriginError {
    /// It is not an absolute URL.
    #[error("it is not an absolute URL such as https://id.example.org/realm")]
    Malformed,
    /// It is neither `https` nor `http`.
    #[error("it is neither https nor http")]
    Scheme,
    /// Its host is empty, percent-encoded or a malformed IPv6 address.
    #[error("its host is neither a name nor an IP address")]
    Host,
    /// Its port is not a number from 1 to 65535.
    #[error("its port is not a number from 1 to 65535")]
    Port,
}

fn default_port(https: bool) -> u16 {
    if https { 443 } else { 80 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How a URL is classified, with its canonical form.
    #[derive(Debug, PartialEq)]
    enum Is {
        Here(&'static str),
        Elsewhere(&'static str),
        /// Elsewhere, and URL parsers disagree about its host.
        Unusual(&'static str),
        Refused(OriginError),
    }
    use Is::{Elsewhere, Here, Refused, Unusual};

    #[test]
    fn one_spelling_of_each_origin() {
        let mut wrong = Vec::new();
        for (given, expected) in [
            // Case, the trailing dot, default ports, and parts that do not belong to an origin.
            (
                "HTTPS://Cloud.Example.ORG.:443/a?b",
                Elsewhere("https://cloud.example.org"),
            ),
            (
                "https://cloud.example.org:/",
                Elsewhere("https://cloud.example.org"),
            ),
            (
                "http://cloud.example.org:443",
                Elsewhere("http://cloud.example.org:443"),
            ),
            (
                "https://cloud.example.org:80",
                Elsewhere("https://cloud.example.org:80"),
            ),
            (
                "https://cloud.example.org:08443",
                Elsewhere("https://cloud.example.org:8443"),
            ),
            (
                "https://me:pw@evil@cloud.example/",
                Elsewhere("https://cloud.example"),
            ),
            (
                "https://me:secret@cloud.example:81/",
                Elsewhere("https://cloud.example:81"),
            ),
            (
                "https://a_b.example-1.org",
                Elsewhere("https://a_b.example-1.org"),
            ),
            (
                "https://xn--bcher-kva.example",
                Elsewhere("https://xn--bcher-kva.example"),
            ),
            // This machine.
            ("http://localhost:8080", Here("http://localhost:8080")),
            ("http://LOCALHOST./", Here("http://localhost")),
            ("http://x.localhost:8080", Here("http://x.localhost:8080")),
            ("http://A.b.LocalHost.", Here("http://a.b.localhost")),
            ("http://127.0.0.1", Here("http://127.0.0.1")),
            (
                "http://127.255.255.254:81",
                Here("http://127.255.255.254:81"),
            ),
            ("http://[::1]:8080", Here("http://[::1]:8080")),
            ("http://[0:0::1]:80/x", Here("http://[::1]")),
            ("http://[::ffff:127.0.0.1]", Here("http://127.0.0.1")),
            ("http://[::FFFF:7F00:1]", Here("http://127.0.0.1")),
            ("http://0.0.0.0:81", Here("http://0.0.0.0:81")),
            ("http://0", Here("http://0.0.0.0")),
            ("http://[::]:81", Here("http://[::]:81")),
            ("http://[::ffff:0.0.0.0]", Here("http://0.0.0.0")),
            // The old ways to write an IPv4 address.
            ("http://2130706433:81", Here("http://127.0.0.1:81")),
            ("http://127.1", Here("http://127.0.0.1")),
            ("http://127.0.1.", Here("http://127.0.0.1")),
            ("http://0x7f.1", Here("http://127.0.0.1")),
            ("http://0X7F000001", Here("http://127.0.0.1")),
            ("http://0177.0.0.01", Here("http://127.0.0.1")),
            ("http://192.0.513", Elsewhere("http://192.0.2.1")),
            ("http://4294967295", Elsewhere("http://255.255.255.255")),
            ("http://[::ffff:192.0.2.1]", Elsewhere("http://192.0.2.1")),
            ("http://[2001:DB8::0001]", Elsewhere("http://[2001:db8::1]")),
            // Names that only look like this machine.
            (
                "http://localhost.example.org",
                Elsewhere("http://localhost.example.org"),
            ),
            ("http://xlocalhost", Elsewhere("http://xlocalhost")),
            (
                "http://127.0.0.1.example.org",
                Elsewhere("http://127.0.0.1.example.org"),
            ),
            ("http://128.0.0.1", Elsewhere("http://128.0.0.1")),
            // Neither a name nor an address.
            ("http://1.2.3.4.5", Unusual("http://1.2.3.4.5")),
            ("http://256.1.1.1", Unusual("http://256.1.1.1")),
            ("http://4294967296", Unusual("http://4294967296")),
            ("http://127.0.0.08", Unusual("http://127.0.0.08")),
            ("http://0x", Unusual("http://0x")),
            ("http://127.0x", Unusual("http://127.0x")),
            ("http://127.+0.0.1", Unusual("http://127.+0.0.1")),
            ("http://a..b", Unusual("http://a..b")),
            ("http://localhost..", Refused(OriginError::Host)),
            ("http://a~b", Unusual("http://a~b")),
            // No origin at all.
            ("", Refused(OriginError::Malformed)),
            ("cloud.example.org", Refused(OriginError::Malformed)),
            ("//cloud.example.org/", Refused(OriginError::Malformed)),
            ("/cloud", Refused(OriginError::Malformed)),
            ("https://", Refused(OriginError::Malformed)),
            ("https://cloud example.org", Refused(OriginError::Malformed)),
            (
                "https://good\\@evil.example",
                Refused(OriginError::Malformed),
            ),
            ("ftp://cloud.example.org", Refused(OriginError::Scheme)),
            (
                "https://cloud%2eexample.org",
                Refused(OriginError::Malformed),
            ),
            ("http://local%68ost", Refused(OriginError::Malformed)),
            ("http://.", Refused(OriginError::Host)),
            ("http://[127.0.0.1]", Refused(OriginError::Host)),
            ("http://[::1%25lo]", Refused(OriginError::Host)),
            ("https://cloud.example.org:0", Refused(OriginError::Port)),
            (
                "https://cloud.example.org:65536",
                Refused(OriginError::Port),
            ),
        ] {
            let origin = given.parse::<Origin>();
            let canonical = origin.as_ref().map(Origin::to_string);
            let found = match (&origin, &canonical) {
                (Err(error), _) => Refused(*error),
                (Ok(origin), Ok(text)) => match (origin.is_loopback(), origin.has_usual_host()) {
                    (true, _) => Here(text.clone().leak()),
                    (false, true) => Elsewhere(text.clone().leak()),
                    (false, false) => Unusual(text.clone().leak()),
                },
                (Ok(_), Err(_)) => unreachable!("both are of one result"),
            };
            if found != expected {
                wrong.push((given, found));
            }
            if let Ok(canonical) = canonical {
                assert_eq!(canonical.parse(), origin, "{given} in canonical form");
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn one_server_by_two_addresses() {
        for (one, other, expected) in [
            ("http://localhost:8180", "http://x.localhost:8180", true),
            ("http://localhost:8180", "http://0.0.0.0:8180", true),
            ("http://x.localhost:8180", "http://[::]:8180", true),
            (
                "http://127.0.0.1:8180",
                "http://0x7f.1:8180/introspect",
                true,
            ),
            ("http://127.0.0.1:8180", "http://127.9.9.9:8180", true),
            ("http://[::1]:8180", "http://[::ffff:127.0.0.1]:8180/", true),
            ("http://[::ffff:192.0.2.1]", "http://192.0.2.1", true),
            ("https://cloud.example", "http://cloud.example", true),
            ("https://cloud.example", "http://cloud.example:443", true),
            ("https://cloud.example:80", "https://cloud.example", true),
            (
                "https://cloud.example",
                "https://me@Cloud.Example.:/x",
                true,
            ),
            ("http://localhost", "https://127.1", true),
            (
                "https://cloud.example:8443",
                "http://cloud.example:8443",
                true,
            ),
            ("http://1.2.3.4.5:80", "http://1.2.3.4", false),
            ("http://localhost:8180", "http://localhost:8181", false),
            ("http://localhost:80", "http://localhost:8080", false),
            ("https://cloud.example", "https://cloud.example:8443", false),
            ("https://cloud.example", "https://cloud.example.evil", false),
            ("https://cloud.example", "https://id.cloud.example", false),
            ("http://192.0.2.1", "http://192.0.2.2", false),
        ] {
            let origin = |text: &str| text.parse::<Origin>().unwrap();
            let (one, other) = (origin(one), origin(other));
            assert_eq!(one.is_same_server(&other), expected, "{one} {other}");
            assert_eq!(other.is_same_server(&one), expected, "{other} {one}");
        }
    }
}

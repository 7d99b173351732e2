use std::fmt;
use std::str::FromStr;

use http::Uri;

const TCP_PORT: u16 = 4747;
/// The path that clients request over WebSocket; servers accept any.
const PATH: &str = "/servatrice";

/// The address of a server, and its transport: `tcp://HOST[:4747]`, `ws://HOST[:80][/PATH]` or `wss://HOST[:443][/PATH]`.
///
/// Without a scheme the port decides, as in the official client: `HOST:443` is `wss`, the ports 80, 4748
/// and 8080 are `ws`, any other port and no port is TCP. The default path is `/servatrice`.
///
/// ```
/// use portreeve::game::connection::{Address, Scheme};
///
/// let address: Address = "server.example:4748".parse()?;
/// assert_eq!(address.scheme(), Scheme::WebSocket);
/// assert_eq!(address.to_string(), "ws://server.example:4748/servatrice");
/// assert_eq!("[::1]".parse::<Address>()?.to_string(), "tcp://[::1]:4747");
/// # Ok::<(), portreeve::game::connection::AddressError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    scheme: Scheme,
    /// An IPv6 address without its brackets.
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) path: String,
}

/// The transport of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// Frames over TCP, `tcp`.
    Tcp,
    /// WebSocket without TLS, `ws`.
    WebSocket,
    /// WebSocket over TLS, `wss`.
    SecureWebSocket,
}

/// The text is not the address of a server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not the address of a game server: {problem}; write tcp://HOST:PORT, ws://HOST:PORT or wss://HOST"
)]
pub struct AddressError {
    text: String,
    problem: &'static str,
}

impl Address {
    /// The transport of the server.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The name or IP address of the host; an IPv6 address is without brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn over(&self, scheme: Scheme) -> Self {
        Self { scheme, ..self.clone() }
    }

    /// Host and port as an HTTP request names them.
    pub(super) fn authority(&self) -> String {
        let Self { host, port, .. } = self;
        if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let no = |problem| AddressError {
            // Anything before an `@` may be a password.
            text: text.rsplit('@').next().unwrap_or_default().to_owned(),
            problem,
        };
        let (scheme, rest) = match text.split_once("://") {
            None => (None, text),
            Some(("tcp", rest)) => (Some(Scheme::Tcp), rest),
            Some(("ws", rest)) => (Some(Scheme::WebSocket), rest),
            Some(("wss", rest)) => (Some(Scheme::SecureWebSocket), rest),
            Some(_) => return Err(no("its scheme must be tcp, ws or wss")),
        };
        let uri = format!("ws://{rest}").parse::<Uri>().map_err(|_| no("it is malformed"))?;
        let authority = uri.authority().ok_or_else(|| no("it has no host"))?;
        if authority.as_str().contains('@') {
            return Err(no("it must not contain a user or a password"));
        }
        // Brackets around an address are part of this.
        let host = authority.host();
        // `Authority::port` treats a number that is too large as no port.
        let port = match &authority.as_str()[host.len()..] {
            "" => None,
            port => match port.strip_prefix(':').unwrap_or(port).parse() {
                Ok(0) | Err(_) => return Err(no("its port must be between 1 and 65535")),
                Ok(port) => Some(port),
            },
        };
        let host = host.strip_prefix('[').and_then(|it| it.strip_suffix(']')).unwrap_or(host);
        if host.is_empty() {
            return Err(no("it has no host"));
        }
        let scheme = scheme.unwrap_or(match port {
            Some(443) => Scheme::SecureWebSocket,
            Some(80 | 4748 | 8080) => Scheme::WebSocket,
            _ => Scheme::Tcp,
        });
        let path = match uri.path_and_query().map_or("/", |path| path.as_str()) {
            "" | "/" => PATH,
            _ if scheme == Scheme::Tcp => return Err(no("an address for TCP has no path")),
            path => path,
        };
        Ok(Self {
            scheme,
            host: host.to_owned(),
            port: port.unwrap_or(match scheme {
                Scheme::Tcp => TCP_PORT,
                Scheme::WebSocket => 80,
                Scheme::SecureWebSocket => 443,
            }),
            path: path.to_owned(),
        })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let authority = self.authority();
        match self.scheme {
            Scheme::Tcp => write!(f, "tcp://{authority}"),
            Scheme::WebSocket => write!(f, "ws://{authority}{}", self.path),
            Scheme::SecureWebSocket => write!(f, "wss://{authority}{}", self.path),
        }
    }
}

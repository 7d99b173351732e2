//! The client address that is forwarded to the groupware server.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use http::{HeaderName, Request};
use ipnet::IpNet;

/// Determines the caller's address to be forwarded as `X-Forwarded-For`, if any
/// (docs/API.md, section 8).
///
/// Off by default: a front end that calls from its server has one address for all its users, and the
/// groupware server's `allowed_admin_ranges` may refuse others.
///
/// The peer of the connection is read from a [`SocketAddr`] in the extensions of the request,
/// where `portreeve::server` puts it. The peer of a unix socket has none: either nothing is forwarded, or
/// it counts as a trusted proxy ([`trusting_unix_sockets`](Self::trusting_unix_sockets)).
#[derive(Clone, Debug, Default)]
pub struct ClientAddress {
    /// `None` if nothing is forwarded.
    trusted_proxies: Option<Arc<[IpNet]>>,
    /// Whether a peer without an address is a trusted proxy.
    trusts_unaddressed: bool,
}

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

impl ClientAddress {
    /// Forwards nothing.
    pub fn withheld() -> Self {
        Self::default()
    }

    /// Forwards the peer's address or, if the peer is one of `trusted_proxies`, the one that it reports:
    /// the last address in `X-Forwarded-For` that is not a trusted proxy itself.
    pub fn forwarded(trusted_proxies: impl IntoIterator<Item = IpNet>) -> Self {
        Self {
            trusted_proxies: Some(trusted_proxies.into_iter().collect()),
            trusts_unaddressed: false,
        }
    }

    /// Trusts a peer without a [`SocketAddr`] in its requests like a trusted proxy: with
    /// `portreeve::server`, any process that may open the unix socket.
    #[must_use]
    pub fn trusting_unix_sockets(self) -> Self {
        Self {
            trusts_unaddressed: true,
            ..self
        }
    }

    /// The address to forward with `request`.
    pub(super) fn of<B>(&self, request: &Request<B>) -> Option<IpAddr> {
        let trusted = self.trusted_proxies.as_deref()?;
        let is_trusted = |address: &IpAddr| trusted.iter().any(|net| net.contains(address));
        let peer = request.extensions().get::<SocketAddr>();
        let peer = peer.map(|peer| peer.ip().to_canonical());
        let mut nearest = match peer {
            Some(peer) if !is_trusted(&peer) => return Some(peer),
            None if !self.trusts_unaddressed => return None,
            peer => peer,
        };
        for field in request.headers().get_all(X_FORWARDED_FOR).iter().rev() {
            for hop in field.to_str().unwrap_or_default().rsplit(',') {
                // Anything left of an invalid entry was not written by a trusted proxy.
                let Ok(hop) = hop.trim().parse::<IpAddr>() else {
                    return nearest;
                };
                let hop = hop.to_canonical();
                if !is_trusted(&hop) {
                    return Some(hop);
                }
                nearest = Some(hop);
            }
        }
        nearest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(policy: &ClientAddress, peer: &str, fields: &[&str]) -> Option<String> {
        let mut request = Request::builder().extension(SocketAddr::new(peer.parse().unwrap(), 1));
        for field in fields {
            request = request.header(X_FORWARDED_FOR, *field);
        }
        policy
            .of(&request.body(()).unwrap())
            .map(|address| address.to_string())
    }

    #[test]
    fn api_8_address_of_a_caller_behind_a_unix_socket() {
        let policy = ClientAddress::forwarded(["10.0.0.0/8".parse().unwrap()]);
        let trusting = policy.clone().trusting_unix_sockets();
        for (said, believed) in [
            ("198.51.100.7", Some("198.51.100.7")),
            ("203.0.113.9, 10.1.1.1", Some("203.0.113.9")),
            ("203.0.113.9, junk", None),
            ("", None),
        ] {
            let request = || {
                Request::builder()
                    .header(X_FORWARDED_FOR, said)
                    .body(())
                    .unwrap()
            };
            assert_eq!(policy.of(&request()), None, "{said}");
            let address = trusting.of(&request()).map(|address| address.to_string());
            assert_eq!(address.as_deref(), believed, "{said}");
        }
        // A peer over TCP is not trusted because of that.
        assert_eq!(
            of(&trusting, "192.0.2.1", &["198.51.100.7"]).unwrap(),
            "192.0.2.1"
        );
        assert_eq!(
            ClientAddress::withheld()
                .trusting_unix_sockets()
                .of(&Request::builder()
                    .header(X_FORWARDED_FOR, "192.0.2.1")
                    .body(())
                    .unwrap()),
            None
        );
    }

    #[test]
    fn api_8_address_is_withheld_unless_switched_on() {
        assert_eq!(
            of(&ClientAddress::withheld(), "192.0.2.1", &["198.51.100.7"]),
            None
        );
    }

    #[test]
    fn api_8_address_of_an_untrusted_peer_is_its_own() {
        let policy = ClientAddress::forwarded([]);
        assert_eq!(
            of(&policy, "192.0.2.1", &["198.51.100.7"]).unwrap(),
            "192.0.2.1"
        );
    }

    #[test]
    fn api_8_address_that_a_trusted_proxy_names() {
        let policy = ClientAddress::forwarded(["10.0.0.0/8".parse().unwrap()]);
        for (fields, expected) in [
            (&["198.51.100.7"][..], "198.51.100.7"),
            (&["203.0.113.9, 198.51.100.7"], "198.51.100.7"),
            (&["203.0.113.9, 198.51.100.7, 10.1.1.1"], "198.51.100.7"),
            (&["203.0.113.9", "198.51.100.7"], "198.51.100.7"),
            (&["203.0.113.9, junk, 10.1.1.1"], "10.1.1.1"),
            (&["2001:db8::1"], "2001:db8::1"),
            (&[], "10.0.0.1"),
            (&[""], "10.0.0.1"),
        ] {
            assert_eq!(
                of(&policy, "10.0.0.1", fields).unwrap(),
                expected,
                "{fields:?}"
            );
            assert_eq!(
                of(&policy, "::ffff:10.0.0.1", fields).unwrap(),
                expected,
                "{fields:?}"
            );
        }
    }
}

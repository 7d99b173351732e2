//! The client address that is forwarded to the groupware server.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use http::{HeaderName, Request};
use ipnet::IpNet;

/// Determines the caller's address to be forwarded as `X-Forwarded-For`, if any (docs/API.md, section 8).
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
        Self { trusts_unaddressed: true, ..self }
    }

    /// The address to forward with `request`.
    pub(super) fn resolve<B>(&self, request: &Request<B>) -> Option<IpAddr> {
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
                // Anything before an invalid entry was not written by a trusted proxy.
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

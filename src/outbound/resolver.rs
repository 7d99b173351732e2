//! Resolves host names to addresses.

use std::future::{Ready, ready};
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::task::{Context, Poll};

use futures_util::future::{BoxFuture, Either, FutureExt as _};
use hyper_util::client::legacy::connect::dns::{GaiAddrs, GaiResolver, Name};
use tower::Service;

use super::host::is_localhost;

/// The system's resolver, except that `localhost` and its subdomains are always this machine (RFC
/// 6761, section 6.3), whatever the system or a name server says. Plain HTTP is allowed to them, so no
/// other answer may be trusted.
#[derive(Clone, Debug)]
pub(crate) struct Resolver(GaiResolver);

/// The addresses of a host.
pub(crate) enum Addresses {
    ThisMachine(std::array::IntoIter<SocketAddr, 2>),
    System(GaiAddrs),
}

// === impl Resolver ===

impl Resolver {
    pub(super) fn new() -> Self {
        Self(GaiResolver::new())
    }
}

impl Service<Name> for Resolver {
    type Response = Addresses;
    type Error = io::Error;
    type Future = Either<Ready<io::Result<Addresses>>, BoxFuture<'static, io::Result<Addresses>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.poll_ready(cx)
    }

    fn call(&mut self, name: Name) -> Self::Future {
        if is_localhost(name.as_str()) {
            let addresses = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
            // The connector sets the port.
            let addresses = addresses.map(|address| SocketAddr::new(address, 0));
            return Either::Left(ready(Ok(Addresses::ThisMachine(addresses.into_iter()))));
        }
        let asked = self.0.call(name.clone());
        let answered = asked.map(move |result| match result {
            Ok(addresses) => Ok(Addresses::System(addresses)),
            // The system's error does not name the host.
            Err(error) => {
                let problem = format!("no address of the host {name} was found: {error}");
                Err(io::Error::new(error.kind(), problem))
            }
        });
        Either::Right(answered.boxed())
    }
}

// === impl Addresses ===

impl Iterator for Addresses {
    type Item = SocketAddr;

    fn next(&mut self) -> Option<SocketAddr> {
        match self {
            Self::ThisMachine(addresses) => addresses.next(),
            Self::System(addresses) => addresses.next(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn resolve(name: &str) -> Vec<String> {
        let addresses = Resolver::new().call(name.parse().unwrap()).await.unwrap();
        addresses.map(|address| address.ip().to_string()).collect()
    }

    #[tokio::test]
    async fn names_below_localhost_are_this_machine() {
        for name in [
            "localhost",
            "cloud.localhost",
            "A.B.LocalHost",
            "x.localhost.",
        ] {
            assert_eq!(resolve(name).await, ["127.0.0.1", "::1"], "{name}");
        }
        // Not subdomains of it.
        assert!(!is_localhost("notlocalhost") && !is_localhost("localhost.example"));
    }

    /// A label has at most 63 characters, so no name server is queried for this name.
    #[tokio::test]
    async fn a_name_without_an_address_is_in_the_error() {
        let name = format!("{}.invalid", "x".repeat(64));
        let error = Resolver::new().call(name.parse().unwrap()).await.err();
        let error = error.expect("it has no address").to_string();
        assert!(error.contains(&name), "{error}");
    }
}

//! Resolves host names to addresses.

use std::future::{Ready, ready};
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::vec::IntoIter;

use futures_util::future::{BoxFuture, Either, FutureExt as _};
use hyper_util::client::legacy::connect::dns::{GaiResolver, Name};
use tower::Service;

use super::SingleFlight;
use super::host::is_localhost;
use crate::opaque::opaque_debug;

/// The system's resolver, except that `localhost` and its subdomains are always this machine (RFC
/// 6761, section 6.3), whatever the system or a name server says. Plain HTTP is allowed to them, so no
/// other answer may be trusted.
///
/// A name is looked up once at a time, for however many calls: each look-up takes a thread, and a name
/// server that does not answer holds it for many seconds, even if nobody waits for it any more.
#[derive(Clone)]
pub(crate) struct Resolver<S = GaiResolver> {
    system: S,
    flights: Arc<SingleFlight<String, Found>>,
}

/// The addresses of a host, or the kind and the text of the system's error.
type Found = Result<Arc<[SocketAddr]>, (io::ErrorKind, Arc<str>)>;

// === impl Resolver ===

impl Resolver {
    pub(crate) fn new() -> Self {
        Self {
            system: GaiResolver::new(),
            flights: Arc::new(SingleFlight::new()),
        }
    }
}

impl<S> Service<Name> for Resolver<S>
where
    S: Service<Name, Error = io::Error, Response: Iterator<Item = SocketAddr>>,
    S::Future: Send + 'static,
{
    type Response = IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future =
        Either<Ready<io::Result<Self::Response>>, BoxFuture<'static, io::Result<Self::Response>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.system.poll_ready(cx)
    }

    fn call(&mut self, name: Name) -> Self::Future {
        if is_localhost(name.as_str()) {
            let addresses = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
            // The connector sets the port.
            let addresses = addresses.map(|address| SocketAddr::new(address, 0));
            return Either::Left(ready(Ok(Vec::from(addresses).into_iter())));
        }
        let key = name.as_str().to_owned();
        let flight = self.flights.join(key, || {
            let asked = self.system.call(name.clone());
            asked.map(|result| match result {
                Ok(addresses) => Ok(addresses.collect()),
                Err(error) => Err((error.kind(), error.to_string().into())),
            })
        });
        let answered = flight.map(move |found| match found {
            Some(Ok(addresses)) => Ok(Vec::from(&*addresses).into_iter()),
            // The system's error does not name the host.
            Some(Err((kind, problem))) => {
                let problem = format!("no address of the host {name} was found: {problem}");
                Err(io::Error::new(kind, problem))
            }
            None => Err(io::Error::other(format!(
                "the look-up of the host {name} failed"
            ))),
        });
        Either::Right(answered.boxed())
    }
}

opaque_debug!(Resolver<S>);

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use futures_util::future::join_all;
    use tokio::sync::Semaphore;

    use super::*;

    /// As with a name server that does not answer: each look-up would take a thread.
    #[tokio::test(start_paused = true)]
    async fn a_name_is_looked_up_once_at_a_time_even_if_nobody_waits_any_more() {
        let (begun, answer) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
        let system = tower::service_fn({
            let (begun, answer) = (begun.clone(), answer.clone());
            move |_: Name| {
                begun.fetch_add(1, Ordering::Relaxed);
                let answer = answer.clone();
                async move {
                    answer.acquire().await.unwrap().forget();
                    Ok(std::iter::once(SocketAddr::from(([192, 0, 2, 1], 0))))
                }
            }
        });
        let resolver = Resolver {
            system,
            flights: Arc::new(SingleFlight::new()),
        };
        let look_up = |name: &str| resolver.clone().call(name.parse().unwrap());
        let gone = join_all((0..600).map(|_| {
            let waiting = look_up("cloud.example");
            tokio::time::timeout(Duration::from_secs(5), waiting)
        }));
        assert!(gone.await.iter().all(Result::is_err));
        let (one, another) = (look_up("cloud.example"), look_up("id.example"));
        assert_eq!(begun.load(Ordering::Relaxed), 2, "one for each name");
        answer.add_permits(2);
        for found in join_all([one, another]).await {
            assert_eq!(found.unwrap().as_slice(), [([192, 0, 2, 1], 0).into()]);
        }
        // It is not remembered.
        let _later = look_up("cloud.example");
        assert_eq!(begun.load(Ordering::Relaxed), 3);
    }
}

//! Resolves host names to addresses.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::vec::IntoIter;

use futures_util::future::{BoxFuture, FutureExt as _};
use hyper_util::client::legacy::connect::dns::{GaiResolver, Name};
use tokio::sync::Semaphore;
use tower::{Service, ServiceExt as _};

use super::SingleFlight;
use super::host::is_localhost;
use crate::opaque::opaque_debug;

/// The system's resolver, except that `localhost` and its subdomains are always this machine (RFC
/// 6761, section 6.3), whatever the system or a name server says. Plain HTTP is allowed to them, so no
/// other answer may be trusted.
///
/// Each look-up takes a thread, and a name server that does not answer holds it for many seconds, even if nobody waits for
/// it any more. So a name is looked up once at a time, for however many calls, and the number of names is bounded.
#[derive(Clone)]
pub(crate) struct Resolver<S = GaiResolver> {
    system: S,
    flights: Arc<SingleFlight<String, Found>>,
    threads: Arc<Semaphore>,
}

/// The addresses of a host, or the kind and the text of the system's error.
type Found = Result<Arc<[SocketAddr]>, (io::ErrorKind, Arc<str>)>;

// === impl Resolver ===

impl Resolver {
    /// One that takes at most this many threads. Those whose names different people choose do not share one.
    pub(crate) fn new(threads: usize) -> Self {
        Self {
            system: GaiResolver::new(),
            flights: Arc::new(SingleFlight::new()),
            threads: Arc::new(Semaphore::new(threads)),
        }
    }
}

impl<S> Service<Name> for Resolver<S>
where
    S: Service<Name, Error = io::Error, Response: Iterator<Item = SocketAddr>>,
    S: Clone + Send + 'static,
    S::Future: Send,
{
    type Response = IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<Self::Response>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let (this, key) = (self.clone(), name.as_str().to_owned());
        let answered = async move {
            if is_localhost(&key) {
                let addresses = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
                // The connector sets the port.
                let addresses = addresses.map(|address| SocketAddr::new(address, 0));
                return Ok(Vec::from(addresses).into_iter());
            }
            let flight = match this.flights.in_flight(&key) {
                Some(flight) => flight,
                None => {
                    // Who gives up before it is their turn takes none.
                    let thread = this.threads.acquire_owned().await;
                    let asked = this.system.oneshot(name.clone()).map(move |result| {
                        drop(thread);
                        let found = result.map(Iterator::collect);
                        found.map_err(|error| (error.kind(), error.to_string().into()))
                    });
                    this.flights.join(key, || asked)
                }
            };
            let (kind, problem) = match flight.await {
                Some(Ok(addresses)) => return Ok(Vec::from(&*addresses).into_iter()),
                Some(Err(error)) => error,
                None => (io::ErrorKind::Other, "the look-up failed".into()),
            };
            // The system's error does not name the host.
            let problem = format!("no address of the host {name} was found: {problem}");
            Err(io::Error::new(kind, problem))
        };
        answered.boxed()
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
    async fn the_look_ups_that_take_a_thread_are_bounded_even_if_nobody_waits_any_more() {
        const THREADS: usize = 32;
        let (begun, answer) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
        let (count, answers) = (begun.clone(), answer.clone());
        let system = tower::service_fn(move |_: Name| {
            count.fetch_add(1, Ordering::Relaxed);
            let answered = answers.clone().acquire_owned();
            answered.map(|permit| {
                permit.unwrap().forget();
                Ok(std::iter::once(SocketAddr::from(([192, 0, 2, 1], 0))))
            })
        });
        let resolver = Resolver {
            system,
            flights: Arc::new(SingleFlight::new()),
            threads: Arc::new(Semaphore::new(THREADS)),
        };
        let look_up = |name: &str| {
            let waiting = resolver.clone().call(name.parse().unwrap());
            tokio::time::timeout(Duration::from_secs(5), waiting)
        };
        let gone = join_all((0..600).map(|_| look_up("cloud.example")));
        assert!(gone.await.iter().all(Result::is_err));
        assert_eq!(begun.load(Ordering::Relaxed), 1);
        let gone = join_all((0..600).map(|at| look_up(&format!("silent{at}.example"))));
        assert!(gone.await.iter().all(Result::is_err));
        assert_eq!(begun.load(Ordering::Relaxed), THREADS);
        answer.add_permits(THREADS + 1);
        for found in join_all([look_up("cloud.example"), look_up("id.example")]).await {
            let found = found.unwrap().unwrap();
            assert_eq!(found.as_slice(), [([192, 0, 2, 1], 0).into()]);
        }
        assert_eq!(begun.load(Ordering::Relaxed), THREADS + 1);
        // It is not remembered.
        assert!(look_up("cloud.example").await.is_err());
        assert_eq!(begun.load(Ordering::Relaxed), THREADS + 2);
    }
}

//! Resolves host names to addresses.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use std::vec::IntoIter;

use futures_util::future::{BoxFuture, FutureExt as _};
use hyper_util::client::legacy::connect::dns::{GaiResolver, Name};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tower::{Service, ServiceExt as _};

use super::SingleFlight;
use super::host::is_localhost;
use super::shares::Shares;
use crate::opaque::opaque_debug;

/// The system's resolver, except that `localhost` and its subdomains are always this machine (RFC 6761, section 6.3),
/// whatever the system or a name server says. Plain HTTP is allowed to them, so no other answer may be trusted.
///
/// Each look-up takes a thread, and a name server that does not answer holds it for many seconds, even if nobody waits for
/// it any more. So a name is looked up once at a time, for however many calls, and the number of names is bounded.
#[derive(Clone)]
pub(crate) struct Resolver<S = GaiResolver> {
    system: S,
    flights: Arc<SingleFlight<String, Found>>,
    threads: Arc<Threads>,
}

/// The threads that look names up. Each counts for whoever's name it is until it has ended, however long nobody has waited.
struct Threads {
    shares: Mutex<Shares>,
    freed: Notify,
}

struct Thread {
    threads: Arc<Threads>,
    account: Box<str>,
}

/// How long an account waits for one.
const TURN: Duration = Duration::from_secs(5);

/// The addresses of a host, or the kind and the text of the system's error.
type Found = Result<Arc<[SocketAddr]>, (io::ErrorKind, Arc<str>)>;

// === impl Resolver ===

impl Resolver {
    /// One that takes at most this many threads. Those whose names different people choose do not share one.
    pub(crate) fn new(threads: usize) -> Self {
        Self {
            system: GaiResolver::new(),
            flights: Arc::new(SingleFlight::new()),
            threads: Arc::new(Threads::new(threads)),
        }
    }
}

impl<S> Resolver<S>
where
    S: Service<Name, Error = io::Error, Response: Iterator<Item = SocketAddr>>,
    S: Clone + Send + 'static,
    S::Future: Send,
{
    /// The addresses of a name that `account` chose, if it was one; each account has its share of the threads. The error is
    /// of the kind [`io::ErrorKind::WouldBlock`] if it got none in time.
    pub(crate) fn look_up(
        self,
        account: Option<&str>,
        name: Name,
    ) -> BoxFuture<'static, io::Result<IntoIter<SocketAddr>>> {
        let (this, account) = (self, account.map(Box::<str>::from));
        let key = name.as_str().to_owned();
        async move {
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
                    let thread = this.threads.take(account).await?;
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
        }
        .boxed()
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
        self.clone().look_up(None, name)
    }
}

// === impl Threads ===

impl Threads {
    fn new(threads: usize) -> Self {
        Self { shares: Mutex::new(Shares::new(threads)), freed: Notify::new() }
    }

    /// One for `account`, within its share, or for whoever has no account.
    async fn take(self: Arc<Self>, account: Option<Box<str>>) -> io::Result<Thread> {
        let taking = async {
            loop {
                let mut freed = pin!(self.freed.notified());
                freed.as_mut().enable();
                {
                    let mut shares = self.shares.lock();
                    let has_room = match &account {
                        Some(account) => shares.has_room(account),
                        None => shares.free() > 0,
                    };
                    if has_room {
                        let account = account.clone().unwrap_or_default();
                        shares.take(&account);
                        let threads = self.clone();
                        return Thread { threads, account };
                    }
                }
                freed.await;
            }
        };
        if account.is_none() {
            return Ok(taking.await);
        }
        let taken = tokio::time::timeout(TURN, taking).await;
        taken.map_err(|_| io::ErrorKind::WouldBlock.into())
    }
}

// === impl Thread ===

impl Drop for Thread {
    fn drop(&mut self) {
        self.threads.shares.lock().give_back(&self.account);
        self.threads.freed.notify_waiters();
    }
}

opaque_debug!(Resolver<S>);

#[cfg(test)]
#[path = "../../tests/unit/resolver.rs"]
mod tests;

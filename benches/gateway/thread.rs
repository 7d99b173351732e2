//! A server on a thread of its own, so that the kernel counts its CPU time apart.
use std::convert::Infallible;
use std::fs;
use std::future::pending;
use std::net::SocketAddr;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use http::{Request, Response};
use hyper::body::Incoming;
use portreeve::server::{self, Bounds};
use tokio::net::TcpListener;
use tower::Service;

use crate::load::load;

/// A server that runs until the program ends.
pub(crate) struct ServerThread {
    pub(crate) address: SocketAddr,
    /// The file in which the kernel tells the thread's CPU time.
    schedstat: String,
}

/// What one round of requests cost.
pub(crate) struct Round {
    /// CPU time of the server's thread, in µs per request.
    pub(crate) cpu: f64,
    /// Requests per second.
    pub(crate) rate: f64,
}

impl ServerThread {
    /// Serves what `make` makes, on a free port of the loopback address.
    pub(crate) fn spawn<S, B, F>(make: impl FnOnce() -> F + Send + 'static) -> Self
    where
        F: Future<Output = S>,
        S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible, Future: Send>
            + Clone
            + Send
            + 'static,
        B: http_body::Body<Data: Send, Error: Into<tower::BoxError>> + Send + 'static,
    {
        let (started, starting) = mpsc::channel();
        std::thread::spawn(move || {
            let thread = fs::read_link("/proc/thread-self").unwrap();
            let schedstat = format!("/proc/{}/schedstat", thread.display());
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let service = make().await;
                let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
                let address = listener.local_addr().unwrap();
                started.send(Self { address, schedstat }).unwrap();
                server::serve(listener, service, Bounds::default(), pending()).await;
            });
        });
        starting.recv().unwrap()
    }

    /// Makes a tenth of the requests to warm up, then all of them, and tells what these cost.
    pub(crate) async fn measure(&self, path: &str, token: Option<&str>, requests: usize) -> Round {
        load(self.address, path, token, requests / 10).await;
        let (cpu, start) = (self.cpu(), Instant::now());
        load(self.address, path, token, requests).await;
        let (cpu, time) = (self.cpu() - cpu, start.elapsed());
        Round {
            cpu: cpu.as_secs_f64() * 1e6 / requests as f64,
            rate: requests as f64 / time.as_secs_f64(),
        }
    }

    fn cpu(&self) -> Duration {
        let text = fs::read_to_string(&self.schedstat).unwrap();
        Duration::from_nanos(text.split(' ').next().unwrap().parse().unwrap())
    }
}

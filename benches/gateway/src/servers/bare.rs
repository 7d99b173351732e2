//! A hyper server for both protocols with a trivial service: the cost of a connection itself.
use std::convert::Infallible;

use bytes::Bytes;
use http::Response;
use http_body_util::Full;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::net::TcpListener;

/// Serves on a free port, which it prints, until it is killed.
pub(super) fn serve() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        println!("listening address={}", listener.local_addr().unwrap());
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            tokio::spawn(async move {
                let answer = service_fn(|_| async {
                    Ok::<_, Infallible>(Response::new(Full::new(Bytes::from("ok"))))
                });
                let http = auto::Builder::new(TokioExecutor::new());
                // It ends when the client closes it.
                let _ = http.serve_connection(TokioIo::new(stream), answer).await;
            });
        }
    });
}

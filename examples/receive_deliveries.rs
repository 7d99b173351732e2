//! Receives webhook deliveries of a Nextcloud and takes only those that the gateway registered.
//!
//! ```sh
//! export WEBHOOK_SECRET=the-secret-of-the-gateway
//! cargo run --example receive_deliveries -- http://127.0.0.1:8190/files
//! ```
//!
//! The argument is the `uri` of the registration, byte for byte: with `webhook_auth = "derived"`,
//! the default, each one has a credential of its own. In another shell, try the real thing by
//! creating a webhook for that address through the gateway, or a forged delivery:
//!
//! ```sh
//! curl -i -d '{}' -H 'Authorization: Bearer guess' http://127.0.0.1:8190/files    # 401
//! ```
//!
//! In a package of your own:
//!
//! ```toml
//! portreeve = { path = "../portreeve", default-features = false, features = ["gateway"] }
//! bytes = "1"
//! http = "1"
//! http-body-util = "0.1"
//! hyper = "1"
//! hyper-util = { version = "0.1", features = ["server-auto", "service", "tokio"] }
//! tokio = { version = "1", features = ["macros", "net", "rt-multi-thread"] }
//! tower = { version = "0.5", features = ["util"] }
//! ```

use std::convert::Infallible;
use std::env;
use std::error::Error;

use bytes::Bytes;
use http::{Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use portreeve::groupware::CheckDeliveryLayer;
use tokio::net::TcpListener;
use tower::{ServiceBuilder, service_fn};

/// A delivery is a few kilobytes; a calendar object may be more.
const MAX_DELIVERY: usize = 1024 * 1024;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let secret = env::var("WEBHOOK_SECRET").map_err(|_| "set WEBHOOK_SECRET")?;
    let uri = env::args().nth(1).ok_or("name the uri of the registration")?;
    let address: Uri = uri.parse()?;
    let address = address.authority().ok_or("the uri has no host")?.to_string();

    let receiver = ServiceBuilder::new()
        .layer(CheckDeliveryLayer::derived(&secret.into(), &uri))
        .service(service_fn(receive));

    let listener = TcpListener::bind(&address).await?;
    eprintln!("waiting for deliveries to {uri}");
    loop {
        let (stream, _) = listener.accept().await?;
        let service = TowerToHyperService::new(receiver.clone());
        tokio::spawn(async move {
            let builder = auto::Builder::new(TokioExecutor::new());
            if let Err(error) = builder.serve_connection(TokioIo::new(stream), service).await {
                eprintln!("connection ended: {error}");
            }
        });
    }
}

/// Prints a delivery. Only those with the right credential come this far.
async fn receive(delivery: Request<Incoming>) -> Result<Response<Empty<Bytes>>, Infallible> {
    let mut answer = Response::new(Empty::new());
    match Limited::new(delivery.into_body(), MAX_DELIVERY).collect().await {
        Ok(body) => println!("{}", String::from_utf8_lossy(&body.to_bytes())),
        Err(_) => *answer.status_mut() = StatusCode::PAYLOAD_TOO_LARGE,
    }
    Ok(answer)
}

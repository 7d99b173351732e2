use std::convert::Infallible;

use axum::Router;
use axum::body::{Body, to_bytes};
use http::{Request, Response};
use portreeve::groupware::CheckDeliveryLayer;
use secrecy::SecretString;
use tower::{ServiceBuilder, service_fn};

pub fn receiver(webhook_secret: SecretString) -> Router {
    // The `uri` of the registration, byte for byte.
    let check = CheckDeliveryLayer::derived(&webhook_secret, "https://hooks.example.org/files");
    let receive = service_fn(async |delivery: Request<Body>| {
        if let Ok(event) = to_bytes(delivery.into_body(), 1 << 20).await {
            println!("{}", String::from_utf8_lossy(&event));
        }
        Ok::<_, Infallible>(Response::new(Body::empty()))
    });
    let service = ServiceBuilder::new().layer(check).service(receive);
    Router::new().route_service("/files", service)
}

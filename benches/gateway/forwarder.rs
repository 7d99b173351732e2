//! The bare hyper forwarder, which checks nothing: what it takes to pass a request on at all.
use std::convert::Infallible;

use http::{Request, Response, Uri};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tower::{Service, service_fn};

/// Passes each request on to the same path at `origin`, and the answer back.
pub(crate) fn forwarder(
    origin: String,
) -> impl Service<Request<Incoming>, Response = Response<Incoming>, Error = Infallible, Future: Send>
+ Clone
+ Send
+ 'static {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    let client: Client<_, Incoming> = Client::builder(TokioExecutor::new()).build(connector);
    service_fn(move |mut request: Request<Incoming>| {
        let path = request.uri().path_and_query().unwrap().as_str();
        *request.uri_mut() = format!("{origin}{path}").parse::<Uri>().unwrap();
        request.headers_mut().remove("host");
        let answer = client.request(request);
        async move { Ok::<_, Infallible>(answer.await.unwrap()) }
    })
}

//! The bare hyper forwarder: the minimum on this stack to make one call per request. It checks,
//! parses and bounds nothing, and passes bodies on unread.
use std::convert::Infallible;

use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST};
use http::{HeaderValue, Request, Response, Uri};
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpListener;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

struct Calls {
    client: Client<HttpConnector, Incoming>,
    apps: Uri,
    webhooks: Uri,
    login: HeaderValue,
}

/// Serves on a free port, which it prints, until it is killed.
pub(super) fn serve(groupware: &str, login: &str) -> ! {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    let uri = |path: &str| format!("{groupware}{path}?format=json").parse::<Uri>().unwrap();
    let calls: &'static Calls = Box::leak(Box::new(Calls {
        client: Client::builder(TokioExecutor::new()).build(connector),
        apps: uri("/ocs/v2.php/cloud/capabilities"),
        webhooks: uri("/ocs/v2.php/apps/webhook_listeners/api/v1/webhooks"),
        login: login.parse().unwrap(),
    }));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        println!("listening address={}", listener.local_addr().unwrap());
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            stream.set_nodelay(true).unwrap();
            tokio::spawn(async move {
                let service = service_fn(|request| calls.forward(request));
                let http = http1::Builder::new();
                // It ends when the client closes it.
                let _ = http.serve_connection(TokioIo::new(stream), service).await;
            });
        }
    })
}

impl Calls {
    async fn forward(&self, request: Request<Incoming>) -> Result<Response<Incoming>, Infallible> {
        if !request.uri().path().starts_with("/api/") {
            return Ok(self.pass_on(request).await);
        }
        let (head, body) = request.into_parts();
        let has_body = !body.is_end_stream();
        let mut call = Request::new(body);
        *call.method_mut() = head.method;
        *call.uri_mut() = match head.uri.path() {
            "/api/v1/apps" => self.apps.clone(),
            _ => self.webhooks.clone(),
        };
        let fields = call.headers_mut();
        fields.insert(AUTHORIZATION, self.login.clone());
        fields.insert(ACCEPT, JSON);
        fields.insert("ocs-apirequest", HeaderValue::from_static("true"));
        if has_body {
            fields.insert(CONTENT_TYPE, JSON);
        }
        let (head, body) = self.client.request(call).await.unwrap().into_parts();
        let mut answer = Response::new(body);
        *answer.status_mut() = head.status;
        answer.headers_mut().insert(CONTENT_TYPE, JSON);
        Ok(answer)
    }

    /// The request as it came, but for the login and whom it is sent to, and the answer as it comes.
    async fn pass_on(&self, mut request: Request<Incoming>) -> Response<Incoming> {
        let mut uri = self.webhooks.clone().into_parts();
        uri.path_and_query = request.uri().path_and_query().cloned();
        *request.uri_mut() = Uri::from_parts(uri).unwrap();
        request.headers_mut().remove(HOST);
        request.headers_mut().insert(AUTHORIZATION, self.login.clone());
        self.client.request(request).await.unwrap()
    }
}

//! A listener for tests that bring their own server, and a call with its answer.

use portreeve::groupware::{ClientSettings, Groupware, GroupwareError};
use portreeve::outbound::certificates;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::recorded::account;
use crate::support::nextcloud::tls_acceptor;

/// The answer to [`call`].
pub(crate) const BODY: &str = r#"{"ocs":{"meta":{"status":"ok","statuscode":200,"message":"OK"},"data":{"id":"alice","groups":[]}}}"#;

/// A listener on loopback, TLS that offers HTTP/2, and a client.
pub(crate) async fn listen() -> (TcpListener, TlsAcceptor, Groupware) {
    let (acceptor, ca) = tls_acceptor(true);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    let mut settings = ClientSettings::default();
    settings.extra_ca = certificates(ca.as_bytes()).unwrap();
    let client = Groupware::new(url.parse().unwrap(), settings).unwrap();
    (listener, acceptor, client)
}

pub(crate) async fn call(client: &Groupware) -> Result<(), GroupwareError> {
    let reply = client.access(account("alice")).user().await;
    reply.result.map(drop)
}

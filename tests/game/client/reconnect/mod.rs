//! A connection that is lost and restored, over sockets.

mod attempts;
mod session;

use std::time::Duration;

use portreeve::game::ResponseCode;
use portreeve::game::client::{Client, Events, Reconnect, Settings};
use portreeve::game::connection::Address;
use tokio::net::TcpListener;

use super::server::{Io, accept, with};

fn quick() -> Reconnect {
    let mut policy = Reconnect::default();
    policy.first_delay = Duration::from_millis(1);
    policy.longest_delay = Duration::from_millis(20);
    policy.attempts = 200;
    policy
}

async fn listener(scheme: &str) -> (TcpListener, Address) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("{scheme}://{}", listener.local_addr().unwrap());
    (listener, address.parse().unwrap())
}

async fn next(listener: &TcpListener) -> impl Io + use<> {
    accept(listener.accept().await.unwrap().0).await
}

fn reconnecting(policy: Reconnect) -> Settings {
    with(|settings| settings.reconnect = Some(policy))
}

async fn connect(settings: &Settings, address: &Address) -> (Client, Events) {
    settings.connect(address).await.unwrap()
}

const OK: ResponseCode = ResponseCode::RespOk;

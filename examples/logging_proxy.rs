//! A proxy between a client and a server that logs both directions. The client talks TCP; the server
//! may be reached over TCP or WebSocket, so that a client of one can use the other.
//!
//!     cargo run --example logging_proxy -- 127.0.0.1:4747 wss://server.example
//!
//! In a package of your own:
//!
//! ```toml
//! portreeve = { path = "../portreeve", default-features = false, features = ["game-client"] }
//! futures-util = { version = "0.3", features = ["sink"] }
//! tokio = { version = "1", features = ["io-util", "macros", "net", "rt-multi-thread"] }
//! tokio-util = { version = "0.7", features = ["codec"] }
//! tower = "0.5"
//! ```

use futures_util::{SinkExt, StreamExt};
use portreeve::game::connection::{Address, Connector};
use portreeve::game::frame::{FrameCodec, greeting};
use portreeve::game::{CommandContainer, ServerMessage, json};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::codec::Framed;
use tower::BoxError;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: logging_proxy LISTEN URL";
    let listener = TcpListener::bind(arguments.next().ok_or(usage)?).await?;
    let address: Address = arguments.next().ok_or(usage)?.parse()?;
    serve(listener, address, |line| println!("{line}")).await
}

/// Serves until the listener fails.
pub(crate) async fn serve(
    listener: TcpListener,
    address: Address,
    log: impl Fn(String) + Clone + Send + Sync + 'static,
) -> Result<(), BoxError> {
    loop {
        let (client, _) = listener.accept().await?;
        let (address, log) = (address.clone(), log.clone());
        tokio::spawn(async move {
            if let Err(error) = proxy(client, &address, &log).await {
                log(format!("-- {error}"));
            }
        });
    }
}

async fn proxy(
    mut client: TcpStream,
    address: &Address,
    log: &(impl Fn(String) + Sync),
) -> Result<(), BoxError> {
    let server = Connector::default().connect(address).await?;
    client.write_all(&greeting(14)).await?;
    let (mut to_client, mut from_client) = Framed::new(client, FrameCodec::default()).split();
    let (mut to_server, mut from_server) = server.split();
    // The client's hello was said by the connector already.
    from_client.next().await.transpose()?;
    let down = async {
        while let Some(message) = from_server.next().await.transpose()? {
            log(format!(
                "<- {}",
                shown(ServerMessage::parse(&message).map(|m| json::to_string(&m)))
            ));
            to_client.send(message).await?;
        }
        Ok::<_, BoxError>(())
    };
    let up = async {
        while let Some(message) = from_client.next().await.transpose()? {
            // `Debug` leaves passwords out.
            log(format!(
                "-> {}",
                shown(CommandContainer::parse(&message).map(|m| Ok(format!("{m:?}"))))
            ));
            to_server.send(message).await?;
        }
        Ok::<_, BoxError>(())
    };
    tokio::select! {
        ended = down => ended,
        ended = up => ended,
    }
}

fn shown<E: std::fmt::Display>(text: Result<Result<String, E>, E>) -> String {
    match text.and_then(|text| text) {
        Ok(text) => text,
        Err(error) => format!("<{error}>"),
    }
}

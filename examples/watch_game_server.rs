//! Connects to a card-game server and prints what it says, one JSON object a line, until it ends the
//! session.
//!
//!     cargo run --example watch_game_server -- tcp://127.0.0.1:4747
//!     cargo run --example watch_game_server -- ws://127.0.0.1:4748
//!
//! In a package of your own:
//!
//! ```toml
//! portreeve = { path = "../portreeve", default-features = false, features = ["game-client"] }
//! futures-util = "0.3"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```

use std::error::Error;

use futures_util::StreamExt;
use portreeve::game::client::Client;
use portreeve::game::json;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1);
    let address = address.ok_or("usage: watch_game_server URL")?;
    watch(&address, |line| println!("{line}")).await
}

/// Hands over every line until the connection ends.
pub(crate) async fn watch(address: &str, mut line: impl FnMut(&str)) -> Result<(), Box<dyn Error>> {
    // A server drops whoever is silent for 16 seconds: the client sends signs of life.
    let (client, mut events) = Client::connect(&address.parse()?).await?;
    while let Some(event) = events.next().await {
        line(&json::to_string(&event.message()?)?);
    }
    Err(client.ended().await.into())
}

//! Connects to a card-game server and prints what it says, one JSON object a line.
//!
//!     cargo run --example watch_game_server -- 127.0.0.1:4747

use std::error::Error;

use portreeve::game::event::ServerIdentification;
use portreeve::game::frame::AsyncFrameReader;
use portreeve::game::{ServerMessage, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

/// The number of the protocol that this program speaks.
const PROTOCOL: u32 = 14;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1);
    let address = address.ok_or("usage: watch_game_server HOST:PORT")?;
    let (receiver, mut sender) = TcpStream::connect(&address).await?.into_split();
    // A server waits for a command without `cmd_id` first: an empty message is one.
    sender.write_all(&[0; 4]).await?;
    let mut frames = AsyncFrameReader::new(receiver);
    while let Some(frame) = frames.next().await? {
        let message = ServerMessage::parse(frame)?;
        if let Some(event) = message.session_event()?
            && let Some(server) = event.get::<ServerIdentification>()?
            && server.protocol_version() != PROTOCOL
        {
            return Err(format!("{address} speaks another protocol: {server:?}").into());
        }
        println!("{}", json::to_string(&message)?);
    }
    Ok(())
}

//! A bot that greets whoever enters a room, over any transport.
//!
//!     cargo run --example greeting_bot -- tcp://localhost greeter 0
//!
//! Its commands go through tower layers of its own: each may be tried again, has a time of its own,
//! and waits in a queue.
//!
//! In a package of your own:
//!
//! ```toml
//! portreeve = { path = "../portreeve", default-features = false, features = ["game-client"] }
//! tokio = { version = "1", features = ["macros", "rt", "time"] }
//! tower = { version = "0.5", features = ["buffer", "retry", "timeout", "util"] }
//! ```

use std::future::{Ready, ready};
use std::time::Duration;

use portreeve::game::event::RoomEventPayload;
use portreeve::game::prelude::*;
use tower::retry::Policy;
use tower::{BoxError, Service, ServiceBuilder, ServiceExt};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, user, room] = &arguments[..] else {
        return Err("usage: greeting_bot URL USER ROOM".into());
    };
    greet(address, user, room.parse()?).await
}

/// Greets until the connection ends.
pub(crate) async fn greet(address: &str, user: &str, room: i32) -> Result<(), BoxError> {
    let (client, mut events) = Client::connect(&address.parse()?).await?;
    client.login(&Credentials::guest(user)).await?;
    client.request(Command::join_room(room)).await?;
    let mut chat = ServiceBuilder::new()
        .buffer(100)
        .retry(Flood { attempts: 3 })
        .timeout(Duration::from_secs(60))
        .service(client.clone());
    while let Some(received) = events.next().await {
        if let Event::Room { room_id, event: RoomEventPayload::JoinRoom(joined) } = received.event()
            && room_id == room
            && let Some(user) = joined.user_info()?
        {
            let greeting = Command::room_say(room, &format!("Welcome, {}!", user.name()?));
            chat.ready().await?.call(greeting).await?.into_accepted()?;
        }
    }
    println!("{}", client.ended().await);
    Ok(())
}

/// Tries again what was refused as too much, which happens where somebody set lower limits.
#[derive(Clone)]
struct Flood {
    attempts: u32,
}

impl Policy<Command, Answer, BoxError> for Flood {
    type Future = Ready<()>;

    fn retry(
        &mut self,
        _: &mut Command,
        result: &mut Result<Answer, BoxError>,
    ) -> Option<Ready<()>> {
        let refused = result
            .as_ref()
            .is_ok_and(|answer| answer.response.code() == Some(ResponseCode::RespChatFlood));
        if !refused || self.attempts == 0 {
            return None;
        }
        self.attempts -= 1;
        Some(ready(()))
    }

    fn clone_request(&mut self, command: &Command) -> Option<Command> {
        Some(command.clone())
    }
}

//! A bot that greets whoever enters a room, over any transport.
//!
//!     cargo run --example greeting_bot -- tcp://localhost greeter 0
//!
//! Its commands go through tower layers of its own: each may be tried again, has a time of its own,
//! and waits in a queue.

use std::error::Error;
use std::future::{Ready, ready};
use std::time::Duration;

use futures_util::StreamExt;
use portreeve::game::client::{Answer, Client, Credentials};
use portreeve::game::{Command, ResponseCode, event};
use tower::retry::Policy;
use tower::{BoxError, Service, ServiceBuilder, ServiceExt};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: greeting_bot URL USER ROOM";
    let address = arguments.next().ok_or(usage)?;
    let user = arguments.next().ok_or(usage)?;
    let room = arguments.next().ok_or(usage)?.parse()?;
    greet(&address, &user, room).await
}

/// Greets until the connection ends.
pub(crate) async fn greet(address: &str, user: &str, room: i32) -> Result<(), BoxError> {
    let (client, mut events) = Client::connect(&address.parse()?).await?;
    client.login(&Credentials::guest(user)).await?;
    client.send(Command::join_room(room)).await?.accepted()?;
    let mut chat = ServiceBuilder::new()
        .buffer(100)
        .retry(Flood { attempts: 3 })
        .timeout(Duration::from_secs(60))
        .service(client.clone());
    while let Some(event) = events.next().await {
        let Some(name) = who_joined(&event, room)? else {
            continue;
        };
        let greeting = Command::room_say(room, &format!("Welcome, {name}!"));
        chat.ready().await?.call(greeting).await?.accepted()?;
    }
    println!("{}", client.ended().await);
    Ok(())
}

fn who_joined(
    received: &portreeve::game::client::Received,
    room: i32,
) -> Result<Option<String>, Box<dyn Error + Send + Sync>> {
    let message = received.message()?;
    if let Some(event) = message.room_event()?
        && event.room_id() == room
        && let Some(joined) = event.get::<event::JoinRoom<'_>>()?
        && let Some(user) = joined.user_info()?
    {
        return Ok(Some(user.name()?.to_owned()));
    }
    Ok(None)
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
            .is_ok_and(|answer| answer.code() == Some(ResponseCode::RespChatFlood));
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

//! `portreeve game demo`: a game server for bots in any language.

use std::io::{self, Write as _};
use std::net::SocketAddr;

use clap::{ArgMatches, Args, Command};
use futures_util::StreamExt;
use portreeve::game::Command as GameCommand;
use portreeve::game::client::{Client, Credentials, Event, Events};
use portreeve::game::event::RoomEventPayload;
use portreeve::game::testing::Server;

use crate::cli::Failure;
use crate::cli::commands::arguments;
use crate::cli::output::is_closed;
use crate::cli::process::block_on;
use crate::cli::signals::Shutdown;

/// The user who answers.
const HOST: &str = "portreeve";

pub(super) fn command() -> Command {
    Arguments::augment_args(Command::new("demo"))
        .about("Run a game server for trying out a bot, with a room and somebody who answers")
        .long_about(
            "Run a small game server in this process, over TCP and WebSocket, until SIGTERM or SIGINT: any name may \
             log in as a guest, there is a room with the number 0, and in it the user `portreeve`, who welcomes \
             whoever enters and answers what is said. It has no games: to test those, record a session with \
             `portreeve game connect --record`.",
        )
        .after_help("Example:\n  portreeve game demo & portreeve game connect tcp://localhost --user ann --watch")
}

#[derive(Args)]
struct Arguments {
    /// Where to listen for TCP; for WebSocket, at the next port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:4747")]
    listen: SocketAddr,
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    block_on(serve(arguments(matches)))
}

async fn serve(Arguments { listen }: Arguments) -> Result<(), Failure> {
    let mut shutdown = Shutdown::catch()?;
    let server = Server::builder().listen(listen).start().await;
    let server =
        server.map_err(|error| Failure::new(format_args!("cannot listen at {listen}: {error}")))?;
    let (client, events) = Client::connect(&server.tcp).await?;
    client.login(&Credentials::guest(HOST)).await?;
    client.request(GameCommand::join_room(0)).await?;
    let at = format!("{}\n{}\n", server.tcp, server.websocket);
    is_closed(io::stdout().write_all(at.as_bytes()))?;
    tokio::select! {
        () = shutdown.next() => Ok(()),
        () = answer(client, events) => Err(Failure::new("the demo ended")),
    }
}

/// Answers in the room; not to what is addressed to somebody, as its own answers are: two bots would never end.
async fn answer(client: Client, mut events: Events) {
    while let Some(received) = events.next().await {
        let Event::Room { room_id, event } = received.event() else {
            continue;
        };
        let said = match event {
            RoomEventPayload::JoinRoom(joined) => {
                let user = joined.user_info().ok().flatten().unwrap_or_default();
                Some(format!("@{} welcome", user.name().unwrap_or_default()))
            }
            RoomEventPayload::RoomSay(say) => {
                let name = say.name().unwrap_or_default();
                let text = say.message().unwrap_or_default();
                let is_asked = !name.is_empty() && name != HOST && !text.starts_with('@');
                is_asked.then(|| format!("@{name} you said: {text}"))
            }
            _ => None,
        };
        if let Some(said) = said {
            // Without an answer the connection is at its end.
            let _ = client.send(GameCommand::room_say(room_id, &said)).await;
        }
    }
}

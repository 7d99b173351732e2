//! Plays: opens a table for two, waits for somebody to sit down, draws and plays a land in each of its
//! turns, passes, and comes back to its seat when the connection is cut.
//!
//!     cargo run --example play_a_land -- tcp://localhost ann password.txt 0
//!
//! docs/GAME_CLIENT.md, "A game", walks through it.
//!
//! In a package of your own:
//!
//! ```toml
//! portreeve = { path = "../portreeve", default-features = false, features = ["game-client"] }
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```

use std::error::Error;

use portreeve::game::event::{GameEventPayload, SessionEventPayload};
use portreeve::game::prelude::*;
use portreeve::game::table::Table;

const LAND: &str = "Forest";
const DECK: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<cockatrice_deck version="1"><deckname>Lands</deckname>
<zone name="main"><card number="60" name="Forest"/></zone></cockatrice_deck>"#;

type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, user, file, room] = &arguments[..] else {
        return Err("usage: play_a_land URL USER PASSWORD_FILE ROOM".into());
    };
    let password = std::fs::read_to_string(file)?;
    let credentials = Credentials::account(user, password.trim_end());
    play(address, &credentials, room.parse()?, Reconnect::default()).await
}

/// Plays a game, until it is closed.
pub(crate) async fn play(
    address: &str,
    credentials: &Credentials,
    room: i32,
    policy: Reconnect,
) -> Result<(), Failure> {
    let mut settings = Settings::default();
    settings.reconnect = Some(policy);
    let (client, mut events) = settings.connect(&address.parse()?).await?;
    client.login(credentials).await?;
    client.request(Command::join_room(room)).await?;
    client.request(Command::create_game(room, "come and play", 2)).await?;
    // The number of the game, ours in it, and the table.
    let mut seat = None;
    while let Some(received) = events.next().await {
        match (received.event(), &mut seat) {
            (Event::Note(Note::Gap(end)), _) => println!("cut: {end}"),
            (Event::Note(Note::Restored), _) => println!("back"),
            (Event::Session(SessionEventPayload::GameJoined(joined)), seat) => {
                let game = joined.game_info()?.unwrap_or_default().game_id();
                // What is known is started over, with the state that follows. Who comes back has chosen a deck.
                if !joined.resuming() {
                    told(client.send(Command::deck_select(game, DECK)).await)?;
                    told(client.send(Command::ready_start(game)).await)?;
                }
                *seat = Some((game, joined.player_id(), Table::joined(&joined)?));
            }
            (Event::Game { game_id, events }, Some((game, me, table))) if game_id == *game => {
                table.apply(&events)?;
                let begins = events.payloads().any(|(_, event)| {
                    matches!(
                        event,
                        GameEventPayload::SetActivePlayer(_)
                            | GameEventPayload::GameStateChanged(_)
                    )
                });
                if table.over {
                    break;
                }
                if begins && table.started && table.active_player == Some(*me) {
                    take_turn(&client, *game, *me, table).await?;
                }
            }
            _ => {}
        }
    }
    client.close().await;
    Ok(())
}

/// Draws, plays a land that was in the hand before, and passes. A turn that is cut is taken up as
/// the state shows it then.
async fn take_turn(client: &Client, game: i32, me: i32, table: &Table) -> Result<(), Failure> {
    let hand = table.participant(me).and_then(|player| player.zones.get("hand"));
    let mut cards = hand.into_iter().flat_map(|hand| hand.cards());
    let land = cards.find(|card| card.name.as_deref() == Some(LAND));
    let to_the_lands = |land| CardMove::new(me, land, "hand", "table").at(0, 2);
    let play = land.map(|land| Command::move_card(game, to_the_lands(land.id)));
    for command in [Some(Command::draw_cards(game, 1)), play, Some(Command::next_turn(game))] {
        if let Some(command) = command
            && !told(client.send(command).await)?
        {
            break;
        }
    }
    Ok(())
}

/// Whether it is known what became of a command. After a cut it is not; the state of the game, which
/// the server sends to whoever comes back, shows it.
fn told(answer: Result<Answer, CallError>) -> Result<bool, Failure> {
    match answer {
        Ok(answer) => {
            if let Err(refused) = answer.into_accepted() {
                println!("{refused}");
            }
            Ok(true)
        }
        Err(CallError::Unknown(_)) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

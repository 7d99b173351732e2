//! Plays: opens a table for two, waits for somebody to sit down, draws and plays a land in each of its
//! turns, passes, and comes back to its seat when the connection is cut.
//!
//!     cargo run --example play_a_land -- tcp://localhost ann password.txt 0
//!
//! docs/GAME_CLIENT.md, "A game", walks through it.

use std::error::Error;

use portreeve::game::command::{CreateGame, DeckSelect, DrawCards, NextTurn, ReadyStart};
use portreeve::game::event::{
    GameClosed, GameEvent, GameEventPayload, GameJoined, GameStateChanged,
};
use portreeve::game::prelude::*;

const LAND: &str = "Forest";
const DECK: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<cockatrice_deck version="1"><deckname>Lands</deckname>
<zone name="main"><card number="60" name="Forest"/></zone></cockatrice_deck>"#;

type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || {
        arguments
            .next()
            .ok_or("usage: play_a_land URL USER PASSWORD_FILE ROOM")
    };
    let (address, user, file, room) = (next()?, next()?, next()?, next()?);
    let password = std::fs::read_to_string(file)?;
    let credentials = Credentials::account(user, password.trim_end().to_owned());
    play(&address, &credentials, room.parse()?, Reconnect::default()).await
}

/// Plays a game, until it is closed.
pub(crate) async fn play(
    address: &str,
    credentials: &Credentials,
    room: i32,
    policy: Reconnect,
) -> Result<(), Failure> {
    let settings = Settings {
        reconnect: Some(policy),
        ..Settings::default()
    };
    let (client, mut events) = settings.connect(&address.parse()?).await?;
    client.login(credentials).await?;
    client.send(Command::join_room(room)).await?.accepted()?;
    let game = CreateGame {
        description: Some("come and play".into()),
        max_players: Some(2),
        starting_life_total: Some(20),
        ..CreateGame::default()
    };
    client.send(Command::room(room, game)).await?.accepted()?;
    let mut seat = Seat::default();
    while let Some(received) = events.next().await {
        match received.as_note() {
            Some(Note::Gap(end)) => println!("cut: {end}"),
            Some(Note::Restored) => println!("back"),
            _ => {}
        }
        let message = received.message()?;
        if let Some(event) = message.session_event()?
            && let Some(joined) = event.get::<GameJoined<'_>>()?
        {
            seat.game = joined.game_info()?.unwrap_or_default().game_id();
            seat.player = joined.player_id();
            // Who comes back has chosen a deck.
            if !joined.resuming() {
                seat.get_ready(&client).await?;
            }
        }
        if let Some(container) = message.game_event_container()?
            && container.game_id.map(u32::cast_signed) == Some(seat.game)
        {
            let mut goes_on = true;
            for event in container.event_list() {
                goes_on &= seat.follow(&event?)?;
            }
            if !goes_on {
                break;
            }
            if seat.is_active {
                seat.is_active = false;
                seat.take_turn(&client).await?;
            }
        }
    }
    client.close().await;
    Ok(())
}

/// What is known of the game.
#[derive(Default)]
struct Seat {
    game: i32,
    player: i32,
    /// Whether it is our turn, and nothing was done in it yet.
    is_active: bool,
    /// The cards in our hand, by number, as far as they are lands.
    lands: Vec<i32>,
}

impl Seat {
    /// Takes what happened; `false` if the game is over.
    fn follow(&mut self, event: &GameEvent<'_>) -> Result<bool, Failure> {
        match event.payload()? {
            // All there is to know: at the start, and when we come back to our seat.
            Some(GameEventPayload::GameStateChanged(state)) => self.start_over(&state)?,
            Some(GameEventPayload::DrawCards(drawn)) if event.player_id() == self.player => {
                for card in drawn.cards() {
                    self.hold(&card?)?;
                }
            }
            Some(GameEventPayload::MoveCard(moved)) if moved.start_player_id() == self.player => {
                self.lands.retain(|&land| land != moved.card_id());
            }
            Some(GameEventPayload::SetActivePlayer(turn)) => {
                self.is_active = turn.active_player_id() == self.player;
            }
            Some(GameEventPayload::GameClosed(GameClosed { .. })) => return Ok(false),
            _ => {}
        }
        Ok(true)
    }

    fn start_over(&mut self, state: &GameStateChanged<'_>) -> Result<(), Failure> {
        self.lands.clear();
        self.is_active = state.game_started() && state.active_player_id() == self.player;
        for player in state.player_list() {
            let player = player?;
            let properties = player.properties()?.unwrap_or_default();
            if properties.player_id() != self.player {
                continue;
            }
            for zone in player.zone_list() {
                let zone = zone?;
                if zone.name()? == "hand" {
                    for card in zone.card_list() {
                        self.hold(&card?)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn hold(&mut self, card: &portreeve::game::info::Card<'_>) -> Result<(), Failure> {
        if card.name()? == LAND {
            self.lands.push(card.id());
        }
        Ok(())
    }

    async fn get_ready(&self, client: &Client) -> Result<(), Failure> {
        let deck = DeckSelect {
            deck: Some(DECK.into()),
            ..DeckSelect::default()
        };
        told(client.send(Command::game(self.game, deck)).await)?;
        let ready = ReadyStart {
            ready: Some(true),
            ..ReadyStart::default()
        };
        told(client.send(Command::game(self.game, ready)).await)?;
        Ok(())
    }

    /// Draws, plays a land that was in the hand before, and passes. A turn that is cut is taken up as
    /// the state shows it then.
    async fn take_turn(&self, client: &Client) -> Result<(), Failure> {
        let draw = DrawCards {
            number: Some(1),
            ..DrawCards::default()
        };
        if !told(client.send(Command::game(self.game, draw)).await)? {
            return Ok(());
        }
        if let Some(&land) = self.lands.first() {
            let (hand, table) = ("hand", "table");
            let play = Command::move_card(self.game, self.player, land, hand, table, (0, 2));
            if !told(client.send(play).await)? {
                return Ok(());
            }
        }
        told(
            client
                .send(Command::game(self.game, NextTurn::default()))
                .await,
        )?;
        Ok(())
    }
}

/// Whether it is known what became of a command. After a cut it is not; the state of the game, which
/// the server sends to whoever comes back, shows it.
fn told(answer: Result<Answer, CallError>) -> Result<bool, Failure> {
    match answer {
        Ok(answer) => {
            if let Err(refused) = answer.accepted() {
                println!("{refused}");
            }
            Ok(true)
        }
        Err(CallError::Unknown(_)) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

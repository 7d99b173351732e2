//! A recorded game as CSV: one row an event.
//!
//!     cargo run --example replay_to_csv -- replay_7.cor

use std::collections::HashMap;
use std::error::Error;
use std::io::Write;

use portreeve::game::event::{GameEventContainer, GameSay, GameStateChanged, Join};
use portreeve::game::info::PlayerProperties;
use portreeve::game::{DecodeError, GameReplay};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1);
    let path = path.ok_or("usage: replay_to_csv FILE.cor")?;
    convert(&std::fs::read(path)?, &mut std::io::stdout().lock())
}

/// Writes the rows of a replay.
pub(crate) fn convert(replay: &[u8], out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let replay = GameReplay::parse(replay)?;
    let mut names = HashMap::new();
    writeln!(out, "second,player,event,text")?;
    for container in replay.event_list() {
        let container: GameEventContainer<'_> = container?;
        let second = container.seconds_elapsed();
        for event in container.event_list() {
            let event = event?;
            if let Some(joined) = event.get::<Join<'_>>()? {
                learn(&mut names, joined.player_properties()?)?;
            }
            if let Some(state) = event.get::<GameStateChanged<'_>>()? {
                for player in state.player_list() {
                    learn(&mut names, player?.properties()?)?;
                }
            }
            let what = event.kind().map_or("UNKNOWN", |kind| kind.name());
            let text = match event.get::<GameSay<'_>>()? {
                Some(said) => said.message()?,
                None => "",
            };
            let player = names.get(&event.player_id()).copied().unwrap_or_default();
            writeln!(out, "{second},{},{what},{}", field(player), field(text))?;
        }
    }
    Ok(())
}

/// Remembers the name of a player.
fn learn<'a>(
    names: &mut HashMap<i32, &'a str>,
    player: Option<PlayerProperties<'a>>,
) -> Result<(), DecodeError> {
    if let Some(player) = player
        && let Some(user) = player.user_info()?
    {
        names.insert(player.player_id(), user.name()?);
    }
    Ok(())
}

/// A field in quotes (RFC 4180).
fn field(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

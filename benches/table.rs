//! The cost of following games.
//!
//! `cargo bench --bench table --no-default-features --features game` plays the recorded random games of the
//! tests into tables: events a second, and what a table takes in memory.

use std::collections::BTreeMap;
use std::fs::File;
use std::hint::black_box;
use std::io::Read;
use std::time::{Duration, Instant};

use allocation_counter::measure;
use flate2::read::GzDecoder;
use portreeve::game::event::GameEventContainer;
use portreeve::game::table::{Table, Viewer};
use portreeve::game::{Message, ServerMessage};

const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/game/tables.jsonl.gz");
/// How long each figure is measured at least.
const LONG: Duration = Duration::from_secs(2);
/// How often; the shortest time counts.
const ROUNDS: usize = 5;

/// What one client was told of a game, as the bytes of containers.
type Game = Vec<Vec<u8>>;

fn main() {
    let games = games();
    let events: usize = games.iter().map(|game| events_in(game)).sum();
    let bytes: usize = games.iter().flatten().map(Vec::len).sum();
    println!("{} games, {events} events, {} bytes an event", games.len(), bytes / events);

    let seconds = fastest(|| {
        for game in &games {
            black_box(followed(game));
        }
    });
    println!("{:.2} million events/s", events as f64 / seconds / 1e6);

    for game in &games {
        let mut table = None;
        let allocated = measure(|| table = Some(followed(game)));
        let table = table.expect("it was followed");
        println!(
            "a game of {} players: {} bytes after {} events, {} allocations on the way ({} by Table::memory)",
            table.players().count(),
            allocated.bytes_current as usize + size_of::<Table>(),
            events_in(game),
            allocated.count_total,
            table.memory(),
        );
    }
}

/// The games as those saw them who saw the whole of each.
fn games() -> Vec<Game> {
    let mut text = String::new();
    GzDecoder::new(File::open(RECORDED).expect("the recorded games"))
        .read_to_string(&mut text)
        .expect("the recorded games");
    let mut games: BTreeMap<u64, Game> = BTreeMap::new();
    for line in text.lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
        if line["to"] != "w" {
            continue;
        }
        let bytes = unhex(line["hex"].as_str().unwrap_or_default());
        let message = ServerMessage::parse(&bytes).expect("a message");
        if let Ok(Some(container)) = message.game_event_container() {
            let game = line["game"].as_u64().unwrap_or_default();
            games.entry(game).or_default().push(container.to_vec());
        }
    }
    games.into_values().map(up_to_the_fullest).collect()
}

/// A game up to where its table is the fullest: in the end all leave.
fn up_to_the_fullest(mut game: Game) -> Game {
    let mut table = Table::new(Viewer::Everything);
    let sizes = game.iter().map(|bytes| {
        apply(&mut table, bytes);
        table.memory()
    });
    let fullest = sizes.enumerate().max_by_key(|&(_, size)| size);
    game.truncate(fullest.map_or(0, |(at, _)| at + 1));
    game
}

fn unhex(text: &str) -> Vec<u8> {
    let digit = |byte: u8| (byte as char).to_digit(16).unwrap_or_default() as u8;
    let pairs = text.as_bytes().chunks_exact(2);
    pairs.map(|pair| (digit(pair[0]) << 4) | digit(pair[1])).collect()
}

fn events_in(game: &[Vec<u8>]) -> usize {
    let containers = game.iter().map(|bytes| GameEventContainer::parse(bytes));
    containers.flatten().map(|container| container.event_list.len()).sum()
}

fn apply(table: &mut Table, bytes: &[u8]) {
    let container = GameEventContainer::parse(bytes).expect("a container");
    table.apply(&container).expect("events of a real server");
}

fn followed(game: &[Vec<u8>]) -> Table {
    let mut table = Table::new(Viewer::Everything);
    game.iter().for_each(|bytes| apply(&mut table, bytes));
    table
}

/// Seconds of one run.
fn fastest(mut run: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let mut runs = 0.0;
        while start.elapsed() < LONG / ROUNDS as u32 {
            run();
            runs += 1.0;
        }
        best = best.min(start.elapsed().as_secs_f64() / runs);
    }
    best
}

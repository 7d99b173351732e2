//! The table compared with the server: after any events it equals the next full state from the server.

use std::collections::BTreeMap;

use portreeve::game::event::{GameEventContainer, GameJoined, GameStateChanged};
use portreeve::game::table::{CardPlace, Table, TableError, Viewer};
use portreeve::game::{GameReplay, Message, ServerMessage, json};
use portreeve_test_support::seed;
use serde::Deserialize;
use serde_json::Value;

use crate::bytes::{field, number as encode_number};
use crate::{data, generate, table_state};

/// A message of a random game: to whom it was sent, and its bytes. Spectators whose name begins with
/// `j` joined only to receive the full state, and left.
#[derive(Deserialize)]
struct Delivery {
    game: u32,
    to: String,
    hex: String,
}

/// The random games that were played on a real server, message by message.
fn random_games() -> Vec<Delivery> {
    let text = String::from_utf8(data::bytes("tables.jsonl.gz")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The tables that a client builds from the messages of its games.
#[derive(Default)]
struct Seat {
    tables: BTreeMap<i32, Table>,
    /// How many full states were compared with the table before they were applied.
    compared: u32,
    differences: Vec<String>,
}

impl Seat {
    fn receive(&mut self, message: &ServerMessage<'_>, whose: &str) {
        if let Some(event) = message.session_event().unwrap()
            && let Some(joined) = event.get::<GameJoined<'_>>().unwrap()
        {
            let game = joined.game_info().unwrap().unwrap().game_id();
            self.tables.insert(game, Table::joined(&joined).unwrap());
        }
        let Some(container) = message.game_event_container().unwrap() else {
            return;
        };
        // The creator of a game gets the event about its host before the one about the game.
        let Some(table) = self.tables.get_mut(&container.game_id()) else {
            return;
        };
        for state in states(&container) {
            if table.started && state.game_started() {
                self.differences.extend(differs(table, &state, whose));
                self.compared += 1;
            }
        }
        table.apply(&container).unwrap();
        if let Some(state) = states(&container).last() {
            self.differences.extend(differs(table, state, whose));
        }
    }
}

fn states<'a>(container: &GameEventContainer<'a>) -> Vec<GameStateChanged<'a>> {
    let events = container.event_list().map(Result::unwrap);
    events.filter_map(|event| event.get().unwrap()).collect()
}

/// Where the table differs from the state of the server, except for what events do not report.
fn differs(table: &Table, sent: &GameStateChanged<'_>, whose: &str) -> Option<String> {
    let viewer = table.viewer();
    let mut ours = table_state::to_json(table);
    let mut theirs = parsed(sent);
    for state in [&mut ours, &mut theirs] {
        let state = state.as_object_mut().unwrap();
        // The elapsed time, and the turn: a state sent to everybody always names the first player and phase.
        for key in ["seconds_elapsed", "active_player_id", "active_phase"] {
            state.remove(key);
        }
        for player in state["player_list"].as_array_mut().unwrap() {
            let player = player.as_object_mut().unwrap();
            let properties = player["properties"].as_object_mut().unwrap();
            properties.remove("ping_seconds");
            properties.remove("user_info");
            // The player's own deck comes in the answer to its choice.
            player.remove("deck_list");
            for zone in list(player, "zone_list") {
                for card in list(zone.as_object_mut().unwrap(), "card_list") {
                    let card = card.as_object_mut().unwrap();
                    // Only a full state reports the printing of a card that is face down.
                    if card.get("face_down").is_some_and(|face_down| face_down == true) {
                        card.remove("provider_id");
                    }
                    // A card that replaced another keeps its column when it is attached; other cards have
                    // none then.
                    if card.contains_key("attach_card_id") {
                        card.remove("x");
                    }
                }
            }
        }
        strip(&mut Value::Object(state.clone()));
    }
    // A player who revokes a concession has zones again, which no event reports. Spectators come
    // and go while others receive the state.
    let back: Vec<_> =
        table.players().filter(|player| player.conceded).map(|player| player.id).collect();
    for state in [&mut ours, &mut theirs] {
        strip(state);
        let players = state["player_list"].as_array_mut().unwrap();
        let id = |player: &Value| player["properties"]["player_id"].as_i64().unwrap_or(0) as i32;
        players.retain(|player| {
            player["properties"]["spectator"] != true && !back.contains(&id(player))
        });
    }
    let (at, ours, theirs) = difference(&ours, &theirs, String::new())?;
    Some(format!("{whose}, {viewer:?}: {at}: the table has {ours:.90}, the server {theirs:.90}"))
}

fn parsed(state: &GameStateChanged<'_>) -> Value {
    serde_json::from_str(&json::to_string(state).unwrap()).unwrap()
}

fn list<'v>(
    object: &'v mut serde_json::Map<String, Value>,
    key: &str,
) -> impl Iterator<Item = &'v mut Value> {
    object.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten()
}

/// Removes values that mean the same as absent ones.
fn strip(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.values_mut().for_each(strip);
            object.retain(|_, value| match value {
                Value::Null => false,
                Value::Bool(value) => *value,
                Value::Number(value) => value.as_f64() != Some(0.0),
                Value::String(value) => !value.is_empty(),
                Value::Array(value) => !value.is_empty(),
                Value::Object(value) => !value.is_empty(),
            });
        }
        Value::Array(values) => values.iter_mut().for_each(strip),
        _ => {}
    }
}

/// Where two values first differ.
fn difference(a: &Value, b: &Value, at: String) -> Option<(String, String, String)> {
    match (a, b) {
        (Value::Object(x), Value::Object(y)) => {
            let keys = x.keys().chain(y.keys());
            keys.filter_map(|key| {
                let value = |of: &serde_json::Map<String, Value>| {
                    of.get(key).cloned().unwrap_or(Value::Null)
                };
                let name = x.get("name").and_then(Value::as_str).unwrap_or_default();
                difference(&value(x), &value(y), format!("{at}/{name}.{key}"))
            })
            .next()
        }
        (Value::Array(x), Value::Array(y)) if x.len() == y.len() => {
            (0..).zip(x.iter().zip(y)).find_map(|(n, (x, y))| difference(x, y, format!("{at}/{n}")))
        }
        _ if a == b => None,
        _ => Some((at, a.to_string(), b.to_string())),
    }
}

/// Random games on a real server: players, spectators and all-seeing spectators have the right table
/// whenever anybody receives the full state.
#[test]
fn the_table_matches_the_server_in_random_games() {
    let mut seats: BTreeMap<(u32, String), Seat> = BTreeMap::new();
    let mut newcomers = 0;
    let mut newcomer_differences = Vec::new();
    let mut views = [0; 3];
    for (line, delivery) in random_games().into_iter().enumerate() {
        let bytes = data::unhex(&delivery.hex);
        let message = ServerMessage::parse(&bytes).unwrap();
        let whose = format!("line {line}, game {} sent to {}", delivery.game, delivery.to);
        if delivery.to.starts_with('j')
            && let Some(container) = message.game_event_container().unwrap()
            && let Some(state) = states(&container).first()
            && state.game_started()
            && let Some(watcher) = seats.get(&(delivery.game, "w".into()))
        {
            let table = watcher.tables.values().next().unwrap();
            newcomer_differences.extend(differs(table, state, &whose));
            assert_eq!(table.active_player, state.active_player_id, "{whose}");
            assert_eq!(table.active_phase, state.active_phase, "{whose}");
            newcomers += 1;
        }
        let seat = seats.entry((delivery.game, delivery.to)).or_default();
        let before = seat.compared;
        seat.receive(&message, &whose);
        if let Some(table) = seat.tables.values().next() {
            views[match table.viewer() {
                Viewer::Everything => 0,
                Viewer::Player(_) => 1,
                Viewer::Spectator => 2,
            }] += seat.compared - before;
        }
    }
    let differences = seats.into_values().flat_map(|seat| seat.differences);
    let differences: Vec<_> = newcomer_differences.into_iter().chain(differences).collect();
    let shown = &differences[..differences.len().min(40)];
    assert!(differences.is_empty(), "{}:\n{}", differences.len(), shown.join("\n"));
    println!("{newcomers} newcomers, states to everything, players, spectators: {views:?}");
    assert!(newcomers > 200, "{newcomers}");
    assert!(views[1] > 10 && views[0] > 0 && views[2] > 0, "{views:?}");
}

/// The events of a replay change the table, and lead to the states that the replay contains.
#[test]
fn the_table_matches_the_states_in_replays() {
    for record in data::records("replays") {
        let bytes = record.message();
        let replay = GameReplay::parse(&bytes).unwrap();
        let mut table = Table::new(Viewer::Everything);
        let mut moved = 0;
        for container in replay.event_list() {
            let container = container.unwrap();
            for state in states(&container) {
                if table.started && state.game_started() {
                    assert_eq!(differs(&table, &state, &record.name), None);
                }
            }
            let before = table.clone();
            table.apply(&container).unwrap();
            moved += u32::from(format!("{before:?}") != format!("{table:?}"));
        }
        assert!(moved > 10, "{}: {moved}", record.name);
    }
}

/// Damaged and random containers never cause a panic, a table over its limit or an unreadable state.
#[test]
fn damaged_and_random_containers_do_no_harm() {
    let mut rng = seed::rng();
    let containers: Vec<Vec<u8>> = random_games()
        .iter()
        .step_by(7)
        .filter_map(|delivery| {
            let bytes = data::unhex(&delivery.hex);
            let message = ServerMessage::parse(&bytes).unwrap();
            message.game_event_container().unwrap().map(|container| container.to_vec())
        })
        .collect();
    let mut table = Table::with_limit(Viewer::Player(0), 200_000);
    let mut refused = 0;
    for round in 0..30_000 {
        let bytes = match round % 3 {
            0 => generate::message("GameEventContainer", rng.u64(..)),
            _ => {
                let container = containers[rng.usize(..containers.len())].clone();
                let damage: Vec<u64> = (0..rng.usize(..4)).map(|_| rng.u64(..)).collect();
                generate::damaged(container, &damage)
            }
        };
        if let Ok(container) = GameEventContainer::parse(&bytes) {
            refused +=
                u32::from(matches!(table.apply(&container), Err(TableError::TooLarge { .. })));
            assert!(table.memory() <= 250_000, "{}", table.memory());
        }
    }
    println!("{refused} events were too large");
}

/// A server that only adds, in many events or in a single one, reaches the limit.
#[test]
fn memory_is_bounded() {
    let varint =
        |value: u32| [value as u8 | 0x80, (value >> 7) as u8 | 0x80, (value >> 14) as u8 & 0x7f];
    let apply =
        |table: &mut Table, bytes: &[u8]| table.apply(&GameEventContainer::parse(bytes).unwrap());
    let limit = 1 << 17;
    let mut table = Table::with_limit(Viewer::Everything, limit);
    // `event_list { [Event_Join.ext] { player_properties { player_id: … } } }`, without end.
    let mut refused = 0;
    for number in 0..1_500 {
        let join = [b"\x12\x09\xc2\x3e\x06\x0a\x04\x08".as_slice(), &varint(number)].concat();
        refused += u32::from(apply(&mut table, &join).is_err());
        assert!(table.memory() <= limit);
    }
    assert!((1..1_400).contains(&refused), "{refused}");
    // An event that adds nothing is still applied: `player_id: 0 [Event_Leave.ext] {}`
    assert!(table.participant(0).is_some());
    apply(&mut table, b"\x12\x05\x08\x00\xca\x3e\x00").unwrap();
    assert!(table.participant(0).is_none());
    // One state of 100,000 players without a byte in them.
    let players = b"\x0a\x02\x0a\x00".repeat(100_000);
    let state = [b"\xea\x3e".as_slice(), &varint(players.len() as u32), &players].concat();
    let container = [b"\x12".as_slice(), &varint(state.len() as u32), &state].concat();
    let error = apply(&mut table, &container).unwrap_err();
    assert_eq!(error, TableError::TooLarge { limit });
    assert!(error.to_string().contains("131072 bytes"), "{error}");
}

/// The deck in the context is read once and given once to each player, however many events there are and however often
/// the limit is reached.
#[test]
fn many_events_with_a_deck_are_applied_in_linear_time() {
    let event = |player: u64, number, event: &[u8]| {
        field(2, &[encode_number(1, player << 1), field(number, event)].concat())
    };
    let join = |player| event(player, 1000, &field(1, &encode_number(1, player << 1)));
    let mut table = Table::new(Viewer::Everything);
    let joined = [join(0), join(1)].concat();
    table.apply(&GameEventContainer::parse(&joined).unwrap()).unwrap();
    let deck = "x".repeat(3 << 20);
    let context = field(3, &field(1002, &field(3, deck.as_bytes())));
    // Of players who take part, and of one who does not.
    let says = [event(0, 1009, b""), event(1, 1009, b""), event(7, 1009, b"")].concat();
    let begun = std::time::Instant::now();
    for _ in 0..4 {
        let bytes = [&*context, &says.repeat(10_000)].concat();
        table.apply(&GameEventContainer::parse(&bytes).unwrap()).unwrap();
    }
    for player in table.players() {
        assert!(player.deck_list.as_deref() == Some(&*deck), "{}", player.id);
    }
    assert_eq!(table.players().count(), 2);
    assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
}

/// An event that is refused does not take the deck from those after it.
#[test]
fn a_deck_is_given_with_the_first_event_that_is_applied() {
    let event =
        |number, event: &[u8]| field(2, &[encode_number(1, 0), field(number, event)].concat());
    let join = |name: &[u8]| {
        let user = field(2, &field(1, name));
        event(1000, &field(1, &[encode_number(1, 0), user].concat()))
    };
    let mut table = Table::with_limit(Viewer::Everything, 1 << 16);
    table.apply(&GameEventContainer::parse(&join(b"ann")).unwrap()).unwrap();
    let context = field(3, &field(1002, &field(3, b"a deck")));
    let bytes = [context, join(&[b'x'; 1 << 17]), event(1009, b"")].concat();
    let refused = table.apply(&GameEventContainer::parse(&bytes).unwrap());
    assert_eq!(refused, Err(TableError::TooLarge { limit: 1 << 16 }));
    assert_eq!(table.participant(0).unwrap().deck_list.as_deref(), Some("a deck"));
}

#[test]
fn hands_are_seen_by_their_owner_and_face_up_cards_by_everybody() {
    let mut table = Table::new(Viewer::Everything);
    let mut shown = 0;
    for delivery in
        random_games().iter().filter(|delivery| delivery.game == 1 && delivery.to == "w")
    {
        let bytes = data::unhex(&delivery.hex);
        let message = ServerMessage::parse(&bytes).unwrap();
        if let Some(container) = message.game_event_container().unwrap() {
            table.apply(&container).unwrap();
        }
        for owner in table.players() {
            for (name, zone) in &owner.zones {
                for card in zone.cards() {
                    let place = CardPlace { player: owner.id, zone: name.clone(), card: card.id };
                    let seen = |by| table.is_seen_by(by, &place);
                    match &**name {
                        "hand" => assert!(seen(owner.id), "{place:?}"),
                        _ => assert_eq!(seen(99), !card.face_down, "{place:?}"),
                    }
                    if &**name == "hand" && (seen(0) && seen(1)) {
                        shown += 1;
                    }
                }
            }
        }
    }
    assert!(shown > 0);
}

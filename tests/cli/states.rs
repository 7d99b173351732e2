//! `portreeve decode --format states`: the changes of a replay's table.

use std::io::{Read, Write};
use std::process::{Child, Stdio};

use portreeve::game::event::{
    AttachCard, ChangeZoneProperties, CreateArrow, CreateCounter, CreateToken, DelCounter,
    DeleteArrow, DestroyCard, FlipCard, GameEvent, GameEventContainer, GameEventPayload,
    GameStateChanged, Join, PlayerPropertiesChanged, SetCardAttr, SetCardCounter, SetCounter,
};
use portreeve::game::info::CardAttribute;
use portreeve::game::{Extended, GameReplay, Message as _, Nested, Repeated, info};
use serde_json::{Value, json};

use crate::decode::{decode, lines};
use crate::decode_traffic::replay;

/// A replay of one event. No function: the messages borrow from each other, invariantly.
macro_rules! replay_of {
    ($event:expr) => {
        replay_of!($event, Some(0))
    };
    ($event:expr, $player:expr) => {{
        let payload = GameEventPayload::from($event);
        let events = [GameEvent {
            player_id: $player,
            payload: Extended::from(&payload),
            ..GameEvent::default()
        }];
        let containers = [GameEventContainer {
            event_list: Repeated::from(&events),
            ..GameEventContainer::default()
        }];
        let replay =
            GameReplay { event_list: Repeated::from(&containers), ..GameReplay::default() };
        replay.to_vec()
    }};
}

/// Applies a JSON merge patch (RFC 7396).
fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(serde_json::Map::new());
    }
    let target = target.as_object_mut().unwrap();
    for (key, value) in patch {
        if value.is_null() {
            target.remove(key);
        } else {
            merge(target.entry(key.clone()).or_insert(Value::Null), value);
        }
    }
}

/// The changes, applied in order, produce the final table.
#[test]
fn states_are_the_changes_followed_by_the_final_table() {
    for name in ["two_players", "two_players_second_game", "four_players"] {
        let (file, expected) = replay(name);
        let path = file.path().to_str().unwrap();
        let output = decode(&["--format", "states", path], b"");
        assert_eq!(output.status.code(), Some(0));
        let mut found = lines(&output);
        let last = found.pop().unwrap();
        assert_eq!(last["type"], "table");
        assert!(found.len() > 10, "{name}: {}", found.len());
        let mut table = Value::Object(serde_json::Map::new());
        let mut hands = 0;
        let mut before = -1;
        for line in &found {
            assert_eq!(line["type"], "change");
            let container = line["container"].as_i64().unwrap();
            assert!(container > before, "{line}");
            before = container;
            let told = &expected["event_list"][container as usize];
            let events = told["event_list"].as_array().unwrap().len();
            assert_eq!(line["events"].as_array().unwrap().len(), events, "{line}");
            merge(&mut table, &line["patch"]);
            let hand = &table["players"]["0"]["zones"]["hand"]["cards"];
            hands = hands.max(hand.as_array().map_or(0, Vec::len));
        }
        assert_eq!(table, last["table"], "{name}");
        assert!(hands > 0, "{name}: {hands}");
        let limited = decode(&["--format", "states", "--limit", "5", path], b"");
        assert_eq!(lines(&limited), found[..5]);
    }
}

/// Zero may be left out of a message: then it is the number of a player, an arrow, a counter or a card all the same, and
/// a zone need not have a name.
#[test]
fn what_has_no_number_is_among_the_changes() {
    let user = info::User { name: Some("ann".into()), ..info::User::default() };
    let user_info = Nested::from(&user);
    let properties = info::PlayerProperties { user_info, ..info::PlayerProperties::default() };
    let player_properties = Nested::from(&properties);
    let joined = replay_of!(Join { player_properties, ..Join::default() }, None);
    let cards = [info::Card { id: Some(0), ..info::Card::default() }];
    let zones = [info::Zone {
        r#type: Some(info::ZoneType::PublicZone),
        card_count: Some(1),
        card_list: Repeated::from(&cards),
        ..info::Zone::default()
    }];
    let players = [info::Player {
        properties: player_properties,
        zone_list: Repeated::from(&zones),
        ..info::Player::default()
    }];
    let state = replay_of!(GameStateChanged {
        player_list: Repeated::from(&players),
        ..GameStateChanged::default()
    });
    let arrow = info::Arrow::default();
    let counter = info::Counter::default();
    let color = json!([0, 0, 0]);
    let place = json!({"player": 0, "zone": "", "card": 0});
    let steps = [
        (
            replay_of!(CreateArrow { arrow_info: Nested::from(&arrow), ..CreateArrow::default() }),
            json!({"arrows": {"0": {"start": place, "target": {"player": 0}, "color": color}}}),
        ),
        (replay_of!(DeleteArrow::default()), json!({"arrows": {"0": null}})),
        (
            replay_of!(CreateCounter {
                counter_info: Nested::from(&counter),
                ..CreateCounter::default()
            }),
            json!({"counters": {"0": {"name": "", "value": 0, "radius": 0, "color": color}}}),
        ),
        (
            replay_of!(SetCounter { value: Some(5), ..SetCounter::default() }),
            json!({"counters": {"0": {"value": 5}}}),
        ),
        (replay_of!(DelCounter::default()), json!({"counters": {"0": null}})),
        (
            replay_of!(FlipCard { face_down: Some(true), ..FlipCard::default() }),
            json!({"cards": {"0": {"face_down": true}}}),
        ),
        (
            replay_of!(SetCardCounter { counter_value: Some(2), ..SetCardCounter::default() }),
            json!({"cards": {"0": {"counters": {"0": 2}}}}),
        ),
        (
            replay_of!(AttachCard { target_player_id: Some(0), ..AttachCard::default() }),
            json!({"cards": {"0": {"x": -1, "attached_to": place}}}),
        ),
        (
            replay_of!(ChangeZoneProperties {
                always_reveal_top_card: Some(true),
                ..ChangeZoneProperties::default()
            }),
            json!({"zones": {"": {"always_reveal_top_card": true}}}),
        ),
        (
            replay_of!(DestroyCard::default()),
            json!({"cards": {"0": null}, "zones": {"": {"cards": [], "count": 0}}}),
        ),
        (
            replay_of!(CreateToken::default()),
            json!({"cards": {"0": {"zone": "", "x": 0, "y": 0}}, "zones": {"": {"cards": [0], "count": 1}}}),
        ),
    ];
    let replay = steps.iter().map(|(replay, _)| replay.clone());
    let replay: Vec<u8> = [joined, state].into_iter().chain(replay).flatten().collect();
    let found = lines(&decode(&["--format", "states"], &replay));
    assert_eq!(found[0]["patch"]["players"]["0"]["name"], "ann");
    let patches = found[2..].iter().map(|line| &line["patch"]["players"]["0"]);
    for (found, (_, expected)) in patches.zip(&steps) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.len(), 2 + steps.len() + 1);
    let rows = String::from_utf8(decode(&["--format", "csv"], &replay).stdout).unwrap();
    let row = rows.lines().nth(1).unwrap();
    assert!(row.starts_with("0,0,0,ann,JOIN,"), "{row}");
}

/// Ten times as much output as input is not held in memory: here, nobody reads it.
#[test]
fn states_are_written_as_they_are_made() {
    let text = "\u{1}".repeat(32 << 10);
    let properties = |hash: &str| {
        let properties = info::PlayerProperties {
            player_id: Some(0),
            deck_hash: Some(hash.into()),
            ..info::PlayerProperties::default()
        };
        let joins = hash.is_empty();
        let player_properties = Nested::from(&properties);
        match joins {
            true => replay_of!(Join { player_properties, ..Join::default() }),
            false => replay_of!(PlayerPropertiesChanged {
                player_properties,
                ..PlayerPropertiesChanged::default()
            }),
        }
    };
    // Messages one after the other are merged, and so are one replay.
    let mut replay = properties("");
    let (one, two) = (properties(&text), properties(&text[1..]));
    for _ in 0..128 {
        replay.extend_from_slice(&one);
        replay.extend_from_slice(&two);
    }
    let mut file = tempfile::NamedTempFile::with_suffix(".cor").unwrap();
    file.write_all(&replay).unwrap();
    let mut child = crate::support::binary::portreeve()
        .args(["decode", "--format", "states"])
        .arg(file.path())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut lines = std::io::BufRead::lines(&mut out);
    for _ in 0..100 {
        lines.next().unwrap().unwrap();
    }
    let peak = crate::game_connect::peak_memory(&child);
    let rest = lines.count();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(rest, 157 + 1);
    // The output has 48 MiB, the input 8.
    assert!(peak < 56, "{peak} MiB");
}

/// The time that a process has computed, in seconds, also if it has just ended.
fn computed(child: &Child) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    let (_, fields) = stat.rsplit_once(") ").unwrap();
    let ticks = fields.split(' ').skip(11).take(2);
    ticks.map(|ticks| ticks.parse::<f64>().unwrap() / 100.0).sum()
}

/// What is compared when a card is tapped does not grow with the table.
#[test]
fn a_change_costs_as_much_on_a_large_table() {
    let computed = |cards: i32| {
        let cards: Vec<_> =
            (0..cards).map(|id| info::Card { id: Some(id), ..info::Card::default() }).collect();
        let zones = [info::Zone {
            name: Some("table".into()),
            r#type: Some(info::ZoneType::PublicZone),
            card_count: Some(cards.len() as i32),
            card_list: Repeated::from(&cards),
            ..info::Zone::default()
        }];
        let properties =
            info::PlayerProperties { player_id: Some(0), ..info::PlayerProperties::default() };
        let players = [info::Player {
            properties: Nested::from(&properties),
            zone_list: Repeated::from(&zones),
            ..info::Player::default()
        }];
        let mut bytes = replay_of!(GameStateChanged {
            player_list: Repeated::from(&players),
            game_started: Some(true),
            ..GameStateChanged::default()
        });
        for tap in ["1", "0"].iter().cycle().take(3_000) {
            bytes.extend(replay_of!(SetCardAttr {
                zone_name: Some("table".into()),
                card_id: Some(1),
                attribute: Some(CardAttribute::Tapped),
                attr_value: Some((*tap).into()),
                ..SetCardAttr::default()
            }));
        }
        let mut file = tempfile::NamedTempFile::with_suffix(".cor").unwrap();
        file.write_all(&bytes).unwrap();
        let mut child = crate::support::binary::portreeve()
            .args(["decode", "--format", "states"])
            .arg(file.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = String::new();
        child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        assert_eq!(out.lines().count(), 3_000 + 2);
        let computed = computed(&child);
        assert!(child.wait().unwrap().success());
        computed
    };
    let (few, many) = (computed(10), computed(2_000));
    assert!(many < 3.0 * few + 2.0, "{few} s, and {many} s with a large table");
}

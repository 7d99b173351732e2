//! What a table tells of a game beyond its state: who won, and what an event changed; and that what cannot be read
//! changes nothing.

use std::collections::{BTreeMap, BTreeSet};

use portreeve::game::event::{
    AttachCard, ChangeZoneProperties, CreateArrow, CreateToken, DrawCards, GameEvent,
    GameEventContainer, GameEventPayload, GameHostChanged, GameStateChanged, MoveCard, RevealCards,
    SetActivePlayer,
};
use portreeve::game::table::{Player, Table, Viewer};
use portreeve::game::{Extended, GameReplay, Message, Nested, Repeated, ServerMessage, info};
use serde_json::Value;

use crate::data;

/// The bytes of one event, as they come from a server. No function: the messages borrow from each other, invariantly.
macro_rules! encoded {
    ($player:literal, $payload:expr) => {{
        let payload = GameEventPayload::from($payload);
        let events = [GameEvent {
            player_id: Some($player),
            payload: Extended::from(&payload),
            ..GameEvent::default()
        }];
        let container = GameEventContainer {
            event_list: Repeated::from(&events),
            ..GameEventContainer::default()
        };
        container.to_vec()
    }};
}

/// Applies one event.
macro_rules! apply {
    ($table:ident, $player:literal, $payload:expr) => {{
        let bytes = encoded!($player, $payload);
        $table.apply(&GameEventContainer::parse(&bytes).unwrap())
    }};
}

/// Whether an event is refused whose last `x` is no text.
fn is_refused(table: &mut Table, mut bytes: Vec<u8>) -> bool {
    let text = bytes.iter().rposition(|&byte| byte == b'x').unwrap();
    bytes[text] = 0xff;
    let container = GameEventContainer::parse(&bytes).unwrap();
    table.apply(&container).is_err()
}

/// The concession of the last player comes after the state in which nobody plays any more.
#[test]
fn a_table_knows_who_won_the_recorded_games() {
    let mut winners = BTreeMap::new();
    for record in data::records("replays") {
        let bytes = record.message();
        let mut table = Table::new(Viewer::Everything);
        let mut known = BTreeSet::new();
        for container in GameReplay::parse(&bytes).unwrap().event_list() {
            table.apply(&container.unwrap()).unwrap();
            assert!(!table.started || table.winner().is_none());
            let winner = table.winner().and_then(|id| table.participant(id));
            known.extend(winner.map(|winner| winner.name.to_string()));
        }
        winners.insert(record.name.clone(), known);
    }
    let won: Vec<Vec<&str>> =
        winners.values().map(|known| known.iter().map(String::as_str).collect()).collect();
    // Four players, two, and two again. In the last one only their numbers are known.
    assert_eq!(won, [vec!["lab_alice"], vec!["lab_alice"], vec!["lab_bob"]], "{winners:?}");
}

/// All who saw the whole of a random game name the same winners, of one play after the other.
#[test]
fn everybody_sees_the_same_winners() {
    let text = String::from_utf8(data::bytes("tables.jsonl.gz")).unwrap();
    let mut tables: BTreeMap<(u64, String), (Table, Vec<i32>)> = BTreeMap::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let to = line["to"].as_str().unwrap().to_owned();
        let bytes = data::unhex(line["hex"].as_str().unwrap());
        let message = ServerMessage::parse(&bytes).unwrap();
        if let Some(container) = message.game_event_container().unwrap()
            && !to.starts_with('j')
        {
            let seat = tables.entry((line["game"].as_u64().unwrap(), to));
            let (table, won) = seat.or_insert_with(|| (Table::new(Viewer::Spectator), Vec::new()));
            let before = table.winner();
            table.apply(&container).unwrap();
            won.extend(table.winner().filter(|_| before.is_none()));
        }
    }
    // Whoever left saw less.
    let all = |game| &tables[&(game, "w".to_owned())].1;
    for ((game, to), (_, won)) in &tables {
        assert!(all(*game).starts_with(won), "game {game}, {to}: {won:?}");
        assert!(!all(*game).is_empty(), "game {game}");
    }
}

/// A started game, in which player 0 sees its own hand alone.
fn table() -> Table {
    fn zone<'a>(name: &'static str, kind: info::ZoneType, cards: i32) -> info::Zone<'a> {
        info::Zone {
            name: Some(name.into()),
            r#type: Some(kind),
            with_coords: Some(name == "table"),
            card_count: Some(cards),
            ..info::Zone::default()
        }
    }
    let zones = [
        zone("table", info::ZoneType::PublicZone, 0),
        zone("hand", info::ZoneType::PrivateZone, 0),
        zone("deck", info::ZoneType::HiddenZone, 9),
    ];
    let users =
        ["ann", "bob"].map(|name| info::User { name: Some(name.into()), ..info::User::default() });
    let properties = [0, 1].map(|player| info::PlayerProperties {
        player_id: Some(player),
        user_info: Nested::from(&users[player as usize]),
        ..info::PlayerProperties::default()
    });
    let players = [0, 1].map(|player| info::Player {
        properties: Nested::from(&properties[player]),
        zone_list: Repeated::from(&zones),
        ..info::Player::default()
    });
    let mut table = Table::new(Viewer::Player(0));
    let state = GameStateChanged {
        player_list: Repeated::from(&players),
        game_started: Some(true),
        ..GameStateChanged::default()
    };
    apply!(table, 0, state).unwrap();
    table
}

/// A card of another player's hand, once it was shown, keeps its colour and note when it is played.
#[test]
fn what_was_revealed_of_another_hand_is_known_when_the_card_appears() {
    let mut table = table();
    let shown = [info::Card {
        id: Some(7),
        name: Some("Bear".into()),
        color: Some("g".into()),
        annotation: Some("mine".into()),
        ..info::Card::default()
    }];
    let drawn = DrawCards { number: Some(1), ..DrawCards::default() };
    apply!(table, 1, drawn).unwrap();
    let reveal = RevealCards {
        zone_name: Some("hand".into()),
        other_player_id: Some(0),
        cards: Repeated::from(&shown),
        ..RevealCards::default()
    };
    apply!(table, 1, reveal).unwrap();
    let played = MoveCard {
        card_id: Some(7),
        card_name: Some("Bear".into()),
        start_player_id: Some(1),
        start_zone: Some("hand".into()),
        target_player_id: Some(1),
        target_zone: Some("table".into()),
        new_card_id: Some(7),
        ..MoveCard::default()
    };
    apply!(table, 1, played).unwrap();
    let bob = table.participant(1).unwrap();
    let [card] = bob.zones["table"].cards() else { panic!("{bob:?}") };
    assert_eq!((&*card.color, &*card.annotation), ("g", "mine"));
    assert_eq!(bob.zones["hand"].len(), 0);
}

/// A name that is not UTF-8, in the second player of a state, or of a card that moves.
#[test]
fn what_cannot_be_read_changes_nothing() {
    let mut table = table();
    let before = format!("{table:?}");
    let bad = [info::User { name: Some("x".into()), ..info::User::default() }];
    let properties = [
        info::PlayerProperties { player_id: Some(0), ..info::PlayerProperties::default() },
        info::PlayerProperties {
            player_id: Some(1),
            user_info: Nested::from(&bad[0]),
            ..info::PlayerProperties::default()
        },
    ];
    let players = [0, 1].map(|player| info::Player {
        properties: Nested::from(&properties[player]),
        ..info::Player::default()
    });
    let state =
        GameStateChanged { player_list: Repeated::from(&players), ..GameStateChanged::default() };
    assert!(is_refused(&mut table, encoded!(0, state)));
    let names =
        |table: &Table| table.players().map(|player| player.name.to_string()).collect::<Vec<_>>();
    assert_eq!(names(&table), ["ann", "bob"]);
    let without = |text: &str| text.split_once("free:").unwrap().0.to_owned();
    assert_eq!(without(&format!("{table:?}")), without(&before));

    let drawn = [info::Card { id: Some(3), ..info::Card::default() }];
    let drawn =
        DrawCards { number: Some(1), cards: Repeated::from(&drawn), ..DrawCards::default() };
    apply!(table, 0, drawn).unwrap();
    let hand = |table: &Table| table.participant(0).map(|ann: &Player| ann.zones["hand"].len());
    // `player_id: 0 [Event_MoveCard.ext] { card_id: 3, card_name: "\xff", start_player_id: 0 … }`
    let moved = MoveCard {
        card_id: Some(3),
        card_name: Some("x".into()),
        start_player_id: Some(0),
        start_zone: Some("hand".into()),
        target_player_id: Some(0),
        target_zone: Some("table".into()),
        ..MoveCard::default()
    };
    assert!(is_refused(&mut table, encoded!(0, moved)));
    assert_eq!(hand(&table), Some(1));
}

/// Players, cards and zones that the table does not have; a negative player is nobody.
#[test]
fn what_does_not_exist_changes_nothing() {
    let mut table = table();
    apply!(table, 0, GameHostChanged::default()).unwrap();
    apply!(table, 0, SetActivePlayer { active_player_id: Some(1), ..SetActivePlayer::default() })
        .unwrap();
    let token = |id, zone: &'static str| CreateToken {
        zone_name: Some(zone.into()),
        card_id: Some(id),
        x: Some(4),
        ..CreateToken::default()
    };
    apply!(table, 0, token(5, "table")).unwrap();
    let without = |table: &Table| format!("{table:?}").split_once("free:").unwrap().0.to_owned();
    let before = without(&table);

    let arrow = |card, target: i32, zone: Option<&'static str>| info::Arrow {
        id: Some(1),
        start_player_id: Some(0),
        start_zone: Some("table".into()),
        start_card_id: Some(card),
        target_player_id: Some(target),
        target_zone: zone.map(Into::into),
        target_card_id: zone.map(|_| 5),
        ..info::Arrow::default()
    };
    let arrows = [arrow(6, 1, None), arrow(5, 7, None), arrow(5, 1, Some("table"))];
    let attached = |player, zone: &'static str, card| AttachCard {
        start_zone: Some("table".into()),
        card_id: Some(5),
        target_player_id: Some(player),
        target_zone: Some(zone.into()),
        target_card_id: Some(card),
        ..AttachCard::default()
    };
    // Nobody has a card in hand, as far as the viewer knows of the other one.
    let moved = |player| MoveCard {
        card_id: Some(-1),
        start_player_id: Some(player),
        start_zone: Some("hand".into()),
        target_player_id: Some(0),
        target_zone: Some("table".into()),
        ..MoveCard::default()
    };
    let events = [
        encoded!(7, GameHostChanged::default()),
        encoded!(0, SetActivePlayer { active_player_id: Some(7), ..SetActivePlayer::default() }),
        encoded!(0, CreateArrow { arrow_info: Nested::from(&arrows[0]), ..CreateArrow::default() }),
        encoded!(0, CreateArrow { arrow_info: Nested::from(&arrows[1]), ..CreateArrow::default() }),
        encoded!(0, CreateArrow { arrow_info: Nested::from(&arrows[2]), ..CreateArrow::default() }),
        encoded!(0, attached(7, "table", 5)),
        encoded!(0, attached(1, "stack", 5)),
        encoded!(0, attached(1, "hand", 5)),
        encoded!(0, attached(1, "table", 5)),
        encoded!(0, moved(0)),
        encoded!(0, moved(1)),
        encoded!(0, token(6, "stack")),
    ];
    for bytes in &events {
        let container = GameEventContainer::parse(bytes).unwrap();
        table.apply(&container).unwrap();
        assert_eq!(without(&table), before, "{container:?}");
    }
    let nobody = SetActivePlayer { active_player_id: Some(-1), ..SetActivePlayer::default() };
    apply!(table, 0, nobody).unwrap();
    assert_eq!(table.active_player, None);
}

/// A state may say so of a counter, too.
#[test]
fn no_counter_of_a_card_is_0() {
    let counter = |id, value| info::CardCounter {
        id: Some(id),
        value: Some(value),
        ..info::CardCounter::default()
    };
    let counters = [counter(1, 0), counter(2, 3)];
    let cards = [info::Card { counter_list: Repeated::from(&counters), ..info::Card::default() }];
    let zones = [info::Zone {
        name: Some("table".into()),
        card_count: Some(1),
        card_list: Repeated::from(&cards),
        ..info::Zone::default()
    }];
    let properties = info::PlayerProperties { player_id: Some(0), ..Default::default() };
    let players = [info::Player {
        properties: Nested::from(&properties),
        zone_list: Repeated::from(&zones),
        ..info::Player::default()
    }];
    let mut table = Table::new(Viewer::Everything);
    let state =
        GameStateChanged { player_list: Repeated::from(&players), ..GameStateChanged::default() };
    apply!(table, 0, state).unwrap();
    let [card] = table.participant(0).unwrap().zones["table"].cards() else { panic!("{table:?}") };
    assert_eq!(card.counters, BTreeMap::from([(2, 3)]));
}

/// A server tells whoever reveals their cards only which they are, or how many.
#[test]
fn cards_that_the_viewer_reveals_are_shown() {
    fn card<'a>(id: i32) -> info::Card<'a> {
        info::Card { id: Some(id), ..info::Card::default() }
    }
    for (ids, number, shown) in [(&[11][..], 1, &[11][..]), (&[], 3, &[10, 11, 12]), (&[], 2, &[])]
    {
        let mut table = table();
        let drawn = [10, 11, 12].map(card);
        let drawn =
            DrawCards { number: Some(3), cards: Repeated::from(&drawn), ..DrawCards::default() };
        apply!(table, 0, drawn).unwrap();
        let reveal = RevealCards {
            zone_name: Some("hand".into()),
            card_id: Repeated::from(ids),
            other_player_id: Some(1),
            number_of_cards: Some(number),
            ..RevealCards::default()
        };
        apply!(table, 0, reveal).unwrap();
        let cards = table.participant(0).unwrap().zones["hand"].cards();
        let seen: Vec<_> = cards.iter().filter(|it| it.shown.to(1)).map(|it| it.id).collect();
        assert_eq!(seen, shown, "{ids:?} of {number}");
    }
}

/// A command that reveals the top card shows it to whom it names, also while its owner looks at it; a token covers it.
#[test]
fn the_top_card_is_seen_by_whom_it_is_revealed_to() {
    for (is_command, seen_by) in [(true, 1), (false, 0)] {
        let mut table = table();
        let always = ChangeZoneProperties {
            zone_name: Some("deck".into()),
            always_look_at_top_card: Some(true),
            ..ChangeZoneProperties::default()
        };
        apply!(table, 0, always).unwrap();
        let top = [info::Card { id: Some(0), name: Some("Bear".into()), ..info::Card::default() }];
        let reveal = RevealCards {
            zone_name: Some("deck".into()),
            card_id: Repeated::from(&[0]),
            other_player_id: is_command.then_some(1),
            grant_write_access: is_command.then_some(false),
            number_of_cards: Some(1),
            cards: Repeated::from(&top),
            ..RevealCards::default()
        };
        apply!(table, 0, reveal).unwrap();
        let top = |table: &Table| {
            let deck = &table.participant(0).unwrap().zones["deck"];
            deck.top_card.as_ref().map(|card| [0, 1].map(|player| card.shown.to(player)))
        };
        assert_eq!(top(&table), Some([0, 1].map(|player| player == seen_by)));
        let token = CreateToken {
            zone_name: Some("deck".into()),
            card_id: Some(9),
            x: Some(0),
            ..CreateToken::default()
        };
        apply!(table, 0, token).unwrap();
        assert_eq!(top(&table), None);
    }
}

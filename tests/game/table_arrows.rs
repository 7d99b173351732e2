//! Arrows between cards on a table.

use portreeve::game::event::{
    CreateArrow, CreateToken, DestroyCard, GameEvent, GameEventContainer, GameEventPayload,
    GameStateChanged, MoveCard,
};
use portreeve::game::table::{Table, Viewer};
use portreeve::game::{Extended, Nested, Repeated, info};

fn card<'a>(id: i32) -> info::Card<'a> {
    info::Card { id: Some(id), name: Some("Lab Giant".into()), ..info::Card::default() }
}

/// An arrow of player 0, from its card on the table to one of player 1.
fn arrow<'a>(id: i32, from: i32, to: i32) -> info::Arrow<'a> {
    info::Arrow {
        id: Some(id),
        start_player_id: Some(0),
        start_zone: Some("table".into()),
        start_card_id: Some(from),
        target_player_id: Some(1),
        target_zone: Some("table".into()),
        target_card_id: Some(to),
        ..info::Arrow::default()
    }
}

/// Applies one event. No function: the messages borrow from each other, invariantly.
macro_rules! apply {
    ($table:ident, $player:literal, $payload:expr) => {{
        let payload = $payload;
        let events = [GameEvent {
            player_id: Some($player),
            payload: Extended::from(&payload),
            ..GameEvent::default()
        }];
        let container = GameEventContainer {
            event_list: Repeated::from(&events),
            ..GameEventContainer::default()
        };
        $table.apply(&container).unwrap();
    }};
}

/// A started game of two players with three cards each on the table, and arrows of player 0: 0 to 0, 1 to 1, 2 to 2.
fn table_with_arrows() -> Table {
    fn zone<'a>(name: &'static str, cards: &'a [info::Card<'a>]) -> info::Zone<'a> {
        info::Zone {
            name: Some(name.into()),
            r#type: Some(info::ZoneType::PublicZone),
            with_coords: Some(name == "table"),
            card_count: Some(cards.len() as i32),
            card_list: Repeated::from(cards),
            ..info::Zone::default()
        }
    }
    let cards = [card(0), card(1), card(2)];
    let zones = [zone("table", &cards), zone("grave", &[])];
    let arrows = [arrow(0, 0, 0), arrow(1, 1, 1), arrow(2, 2, 2)];
    let properties = [0, 1].map(|player| info::PlayerProperties {
        player_id: Some(player),
        ..info::PlayerProperties::default()
    });
    let players = [
        info::Player {
            properties: Nested::from(&properties[0]),
            zone_list: Repeated::from(&zones),
            arrow_list: Repeated::from(&arrows),
            ..info::Player::default()
        },
        info::Player {
            properties: Nested::from(&properties[1]),
            zone_list: Repeated::from(&zones),
            ..info::Player::default()
        },
    ];
    let mut table = Table::new(Viewer::Everything);
    let state = GameStateChanged {
        player_list: Repeated::from(&players),
        game_started: Some(true),
        ..GameStateChanged::default()
    };
    apply!(table, 0, GameEventPayload::from(state));
    table
}

fn arrows(table: &Table) -> Vec<i32> {
    table.participant(0).unwrap().arrows.keys().copied().collect()
}

/// Servers before 3.1.0 do not report that.
#[test]
fn arrows_end_with_their_cards() {
    fn moved<'a>(player: i32, card: i32, zone: &'static str) -> GameEventPayload<'a> {
        GameEventPayload::from(MoveCard {
            card_id: Some(card),
            start_player_id: Some(player),
            start_zone: Some("table".into()),
            target_player_id: Some(player),
            target_zone: Some(zone.into()),
            ..MoveCard::default()
        })
    }
    fn destroyed<'a>(card: i32) -> GameEventPayload<'a> {
        GameEventPayload::from(DestroyCard {
            zone_name: Some("table".into()),
            card_id: Some(card),
            ..DestroyCard::default()
        })
    }
    let mut table = table_with_arrows();
    assert_eq!(arrows(&table), [0, 1, 2]);
    // Within its zone.
    apply!(table, 0, moved(0, 0, "table"));
    assert_eq!(arrows(&table), [0, 1, 2]);
    // The card at its start, then that at its end.
    apply!(table, 0, moved(0, 0, "grave"));
    assert_eq!(arrows(&table), [1, 2]);
    apply!(table, 1, moved(1, 1, "grave"));
    assert_eq!(arrows(&table), [2]);
    apply!(table, 0, destroyed(1));
    assert_eq!(arrows(&table), [2]);
    apply!(table, 1, destroyed(2));
    assert!(arrows(&table).is_empty());

    // When a card is transformed, its arrow is drawn to the new one, and the old one is destroyed.
    let mut table = table_with_arrows();
    let token =
        CreateToken { zone_name: Some("table".into()), card_id: Some(9), ..CreateToken::default() };
    apply!(table, 1, GameEventPayload::from(token));
    let new = info::Arrow { target_card_id: Some(9), ..arrow(0, 0, 0) };
    let redrawn = CreateArrow { arrow_info: Nested::from(&new), ..CreateArrow::default() };
    apply!(table, 0, GameEventPayload::from(redrawn));
    apply!(table, 1, destroyed(0));
    assert_eq!(arrows(&table), [0, 1, 2]);
}

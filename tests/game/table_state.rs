//! A table as the JSON of the whole state that a server would send to its viewer, without what `table.rs` does
//! not compare: users, decks and times.

use portreeve::game::table::{Arrow, ArrowEnd, Card, Color, Counter, Player, Table, Zone};
use serde_json::{Value, json};

/// The state of a table, as far as its viewer knows it.
pub(crate) fn to_json(table: &Table) -> Value {
    let players: Vec<_> = table.participants().map(player).collect();
    json!({ "player_list": players, "game_started": table.started })
}

fn player(player: &Player) -> Value {
    let playmat = player.playmat.as_ref().map(|playmat| {
        json!({
            "card_name": playmat.card_name,
            "card_provider_id": playmat.card_provider_id,
            "margin_pct_l": playmat.margin_left,
            "margin_pct_r": playmat.margin_right,
            "vertical_offset": playmat.vertical_offset,
            "zoom": playmat.zoom,
        })
    });
    let zones = player.zones.iter().map(|(name, zone)| self::zone(name, zone));
    let counters = player.counters.iter();
    let counters = counters.map(|(&id, counter)| self::counter(id, counter));
    let arrows = player.arrows.iter().map(|(&id, arrow)| self::arrow(id, arrow));
    json!({
        "properties": {
            "player_id": player.id,
            "spectator": player.spectator,
            "conceded": player.conceded,
            "ready_start": player.ready,
            "deck_hash": player.deck_hash,
            "sideboard_locked": player.sideboard_locked,
            "judge": player.judge,
            "playmat_params": playmat,
        },
        "zone_list": zones.collect::<Vec<_>>(),
        "counter_list": counters.collect::<Vec<_>>(),
        "arrow_list": arrows.collect::<Vec<_>>(),
    })
}

fn zone(name: &str, zone: &Zone) -> Value {
    json!({
        "name": name,
        "type": zone.kind.name(),
        "with_coords": zone.with_coords,
        "card_count": zone.len(),
        "always_reveal_top_card": zone.always_reveal_top_card,
        "always_look_at_top_card": zone.always_look_at_top_card,
        "card_list": zone.cards().iter().map(card).collect::<Vec<_>>(),
    })
}

fn card(card: &Card) -> Value {
    let counters = card.counters.iter();
    let counters = counters.map(|(id, value)| json!({ "id": id, "value": value }));
    let mut json = json!({
        "id": card.id,
        "name": card.name.as_deref().filter(|_| !card.face_down),
        "x": card.x,
        "y": card.y,
        "face_down": card.face_down,
        "tapped": card.tapped,
        "attacking": card.attacking,
        "color": card.color,
        "pt": card.pt,
        "annotation": card.annotation,
        "destroy_on_zone_change": card.destroy_on_zone_change,
        "doesnt_untap": card.doesnt_untap,
        "provider_id": card.provider_id,
        "counter_list": counters.collect::<Vec<_>>(),
    });
    if let Some(place) = &card.attached_to {
        json["attach_player_id"] = place.player.into();
        json["attach_zone"] = (*place.zone).into();
        json["attach_card_id"] = place.card.into();
    }
    json
}

fn counter(id: i32, counter: &Counter) -> Value {
    json!({
        "id": id,
        "name": counter.name,
        "counter_color": color(counter.color),
        "radius": counter.radius,
        "count": counter.value,
    })
}

fn arrow(id: i32, arrow: &Arrow) -> Value {
    let (target_player_id, card) = match &arrow.target {
        ArrowEnd::Card(place) => (place.player, Some(place)),
        ArrowEnd::Player(player) => (*player, None),
    };
    json!({
        "id": id,
        "start_player_id": arrow.start.player,
        "start_zone": arrow.start.zone,
        "start_card_id": arrow.start.card,
        "target_player_id": target_player_id,
        "target_zone": card.map(|place| &place.zone),
        "target_card_id": card.map(|place| place.card),
        "arrow_color": color(arrow.color),
    })
}

fn color(color: Color) -> Value {
    json!({ "r": color.r, "g": color.g, "b": color.b, "a": color.a })
}

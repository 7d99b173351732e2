//! A recorded game as the changes of its table, and the final table.

use std::io::{self, Write};

use portreeve::game::event::GameEventContainer;
use portreeve::game::table::{
    Arrow, ArrowEnd, Card, CardPlace, Color, Counter, Player, Shown, Table, Viewer, Zone,
};
use portreeve::game::{DecodeError, GameReplay};
use serde_json::{Map, Value, json};

use super::Stop;
use crate::cli::terminal::escape_json;

/// Writes a line for each container of a replay that changed the table and one for the final table, at most `limit`;
/// returns how many there were.
pub(super) fn states(
    replay: &GameReplay<'_>,
    limit: u64,
    out: &mut impl Write,
) -> Result<u64, Stop> {
    let mut table = Table::new(Viewer::Everything);
    let mut state = Value::Object(Map::new());
    let mut written = 0;
    for (number, container) in replay.event_list().enumerate() {
        let container = container?;
        table.apply(&container)?;
        let after = table_json(&table);
        let Some(patch) = patch(&state, &after) else {
            continue;
        };
        if written == limit {
            return Ok(written);
        }
        written += 1;
        let (players, events) = events(&container)?;
        let mut line = json!({
            "type": "change",
            "container": number,
            "seconds": container.seconds_elapsed(),
            "players": players,
            "events": events,
            "patch": patch,
        });
        if let Ok(Some(context)) = container.context()
            && let Some(kind) = context.kind()
        {
            line["context"] = kind.name().into();
        }
        push(&line, out)?;
        state = after;
    }
    if written < limit {
        written += 1;
        push(&json!({"type": "table", "table": state}), out)?;
    }
    Ok(written)
}

fn push(line: &Value, out: &mut impl Write) -> io::Result<()> {
    let mut text = line.to_string();
    escape_json(&mut text);
    text.push('\n');
    out.write_all(text.as_bytes())
}

/// The acting players and the names of the events, in order; an event that the schema does not have is `UNKNOWN`.
fn events(
    container: &GameEventContainer<'_>,
) -> Result<(Vec<i32>, Vec<&'static str>), DecodeError> {
    let mut players = Vec::new();
    let mut names = Vec::new();
    for event in container.event_list() {
        let event = event?;
        let player = event.player_id();
        if player >= 0 && !players.contains(&player) {
            players.push(player);
        }
        names.push(event.kind().map_or("UNKNOWN", |kind| kind.name()));
    }
    Ok((players, names))
}

/// The JSON merge patch (RFC 7396) from `before` to `after`; `None` if they are equal.
fn patch(before: &Value, after: &Value) -> Option<Value> {
    let (Value::Object(old), Value::Object(new)) = (before, after) else {
        return (before != after).then(|| after.clone());
    };
    let mut changes = Map::new();
    for key in old.keys().filter(|key| !new.contains_key(*key)) {
        changes.insert(key.clone(), Value::Null);
    }
    for (key, value) in new {
        let change = match old.get(key) {
            Some(known) => patch(known, value),
            None => Some(value.clone()),
        };
        if let Some(change) = change {
            changes.insert(key.clone(), change);
        }
    }
    (!changes.is_empty()).then_some(Value::Object(changes))
}

/// Contains no null, which a merge patch cannot express.
fn table_json(table: &Table) -> Value {
    let players = table.participants();
    without_nulls(json!({
        "started": table.started(),
        "over": table.over(),
        "reversed": table.reversed(),
        "host": table.host(),
        "active_player": table.active_player(),
        "active_phase": table.active_phase(),
        "players": by_key(players.map(|player| (player.id, player_json(player)))),
    }))
}

fn player_json(player: &Player) -> Value {
    let zones = || player.zones.iter();
    let cards = zones().flat_map(|(name, zone)| {
        let card = |card: &Card| (card.id, card_json(name, card));
        zone.cards().iter().map(card)
    });
    let counters = player.counters.iter();
    let arrows = player.arrows.iter();
    without_nulls(json!({
        "name": player.name,
        "spectator": player.spectator,
        "judge": player.judge,
        "conceded": player.conceded,
        "ready": player.ready,
        "sideboard_locked": player.sideboard_locked,
        "ping_seconds": player.ping_seconds,
        "deck_hash": player.deck_hash,
        "deck_list": player.deck_list,
        "zones": by_key(zones().map(|(name, zone)| (name, zone_json(zone)))),
        "cards": by_key(cards),
        "counters": by_key(counters.map(|(id, counter)| (id, counter_json(counter)))),
        "arrows": by_key(arrows.map(|(id, arrow)| (id, arrow_json(arrow)))),
    }))
}

fn zone_json(zone: &Zone) -> Value {
    let ids = || zone.cards().iter().map(|card| card.id).collect::<Vec<_>>();
    without_nulls(json!({
        "kind": zone.kind.name(),
        "count": zone.len(),
        "cards": zone.is_seen().then(ids),
        "always_reveal_top_card": zone.always_reveal_top_card,
        "always_look_at_top_card": zone.always_look_at_top_card,
        "top_card": zone.top_card.as_ref().and_then(|card| card.name.as_deref()),
    }))
}

fn card_json(zone: &str, card: &Card) -> Value {
    let if_set = |flag: bool| flag.then_some(true);
    let if_any = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    without_nulls(json!({
        "zone": zone,
        "name": card.name,
        "provider_id": card.provider_id,
        "x": card.x,
        "y": card.y,
        "face_down": if_set(card.face_down),
        "tapped": if_set(card.tapped),
        "attacking": if_set(card.attacking),
        "destroy_on_zone_change": if_set(card.destroy_on_zone_change),
        "doesnt_untap": if_set(card.doesnt_untap),
        "color": if_any(&card.color),
        "pt": if_any(&card.pt),
        "annotation": if_any(&card.annotation),
        "counters": (!card.counters.is_empty()).then_some(&card.counters),
        "attached_to": card.attached_to.as_deref().map(place_json),
        "shown_to": match &card.shown {
            Shown::ToNobody => Value::Null,
            Shown::To(players) => json!(players),
            Shown::ToAll => "all".into(),
        },
    }))
}

fn counter_json(counter: &Counter) -> Value {
    json!({
        "name": counter.name,
        "value": counter.value,
        "radius": counter.radius,
        "color": color_json(counter.color),
    })
}

fn arrow_json(arrow: &Arrow) -> Value {
    let target = match &arrow.target {
        ArrowEnd::Card(place) => place_json(place),
        ArrowEnd::Player(player) => json!({"player": player}),
    };
    json!({
        "start": place_json(&arrow.start),
        "target": target,
        "color": color_json(arrow.color),
    })
}

fn place_json(place: &CardPlace) -> Value {
    json!({"player": place.player, "zone": place.zone, "card": place.card})
}

fn color_json(color: Color) -> Value {
    [color.r, color.g, color.b].to_vec().into()
}

/// An object with a member for each key.
fn by_key(members: impl Iterator<Item = (impl ToString, Value)>) -> Map<String, Value> {
    members
        .map(|(key, value)| (key.to_string(), value))
        .collect()
}

fn without_nulls(mut object: Value) -> Value {
    if let Some(members) = object.as_object_mut() {
        members.retain(|_, value| !value.is_null());
    }
    object
}

//! A recorded game as the changes of its table, and the final table.

use std::fmt::Write as _;

use portreeve::game::event::GameEventContainer;
use portreeve::game::table::{
    Arrow, ArrowEnd, Card, CardPlace, Color, Counter, Player, Shown, Table, Viewer, Zone,
};
use portreeve::game::{DecodeError, GameReplay, check};
use serde_json::{Map, Value, json};

use super::terminal::escape;

/// Appends a line for each container of a replay that changed the table and one for the final table, at most `limit`;
/// returns how many there were.
pub(super) fn states(bytes: &[u8], limit: u64, out: &mut String) -> Result<u64, String> {
    let replay = GameReplay::parse(bytes)
        .and_then(|replay| check(&replay).map(|()| replay))
        .map_err(|error| error.within(bytes).to_string())?;
    let mut table = Table::new(Viewer::Everything);
    let mut state = Value::Object(Map::new());
    let mut written = 0;
    for (number, container) in replay.event_list().enumerate() {
        let container = container.map_err(|error| error.within(bytes).to_string())?;
        table.apply(&container).map_err(|error| error.to_string())?;
        let after = of_table(&table);
        let Some(patch) = patch(&state, &after) else {
            continue;
        };
        if written == limit {
            return Ok(written);
        }
        written += 1;
        let (players, events) =
            events(&container).map_err(|error| error.within(bytes).to_string())?;
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
        push(&line, out);
        state = after;
    }
    if written < limit {
        written += 1;
        push(&json!({"type": "table", "table": state}), out);
    }
    Ok(written)
}

fn push(line: &Value, out: &mut String) {
    let mut text = line.to_string();
    escape(&mut text);
    // Writing to memory does not fail.
    let _ = writeln!(out, "{text}");
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
fn of_table(table: &Table) -> Value {
    let players = table.participants();
    let players = players.map(|player| (player.id.to_string(), of_player(player)));
    let mut object = Map::new();
    object.insert("started".into(), table.started().into());
    object.insert("over".into(), table.over().into());
    object.insert("reversed".into(), table.reversed().into());
    let numbers = [
        ("host", table.host()),
        ("active_player", table.active_player()),
        ("active_phase", table.active_phase()),
    ];
    for (key, number) in numbers {
        insert_some(&mut object, key, number);
    }
    object.insert("players".into(), players.collect::<Map<_, _>>().into());
    object.into()
}

fn of_player(player: &Player) -> Value {
    let mut object = Map::new();
    object.insert("name".into(), (&*player.name).into());
    let flags = [
        ("spectator", player.spectator),
        ("judge", player.judge),
        ("conceded", player.conceded),
        ("ready", player.ready),
        ("sideboard_locked", player.sideboard_locked),
    ];
    for (key, flag) in flags {
        object.insert(key.into(), flag.into());
    }
    object.insert("ping_seconds".into(), player.ping_seconds.into());
    insert_some(&mut object, "deck_hash", player.deck_hash.as_deref());
    insert_some(&mut object, "deck_list", player.deck_list.as_deref());
    let zones = player.zones.iter();
    let zones = zones.map(|(name, zone)| (name.to_string(), of_zone(zone)));
    object.insert("zones".into(), zones.collect::<Map<_, _>>().into());
    let cards = player.zones.iter().flat_map(|(name, zone)| {
        let card = |card: &Card| (card.id.to_string(), of_card(name, card));
        zone.cards().iter().map(card)
    });
    object.insert("cards".into(), cards.collect::<Map<_, _>>().into());
    let counters = player.counters.iter();
    let counters = counters.map(|(id, counter)| (id.to_string(), of_counter(counter)));
    object.insert("counters".into(), counters.collect::<Map<_, _>>().into());
    let arrows = player.arrows.iter();
    let arrows = arrows.map(|(id, arrow)| (id.to_string(), of_arrow(arrow)));
    object.insert("arrows".into(), arrows.collect::<Map<_, _>>().into());
    object.into()
}

fn of_zone(zone: &Zone) -> Value {
    let mut object = Map::new();
    object.insert("kind".into(), zone.kind.name().into());
    object.insert("count".into(), zone.len().into());
    if zone.is_seen() {
        let ids: Vec<_> = zone.cards().iter().map(|card| card.id).collect();
        object.insert("cards".into(), ids.into());
    }
    let flags = [
        ("always_reveal_top_card", zone.always_reveal_top_card),
        ("always_look_at_top_card", zone.always_look_at_top_card),
    ];
    for (key, flag) in flags {
        object.insert(key.into(), flag.into());
    }
    if let Some(card) = &zone.top_card {
        insert_some(&mut object, "top_card", card.name.as_deref());
    }
    object.into()
}

fn of_card(zone: &str, card: &Card) -> Value {
    let mut object = Map::new();
    object.insert("zone".into(), zone.into());
    insert_some(&mut object, "name", card.name.as_deref());
    insert_some(&mut object, "provider_id", card.provider_id.as_deref());
    object.insert("x".into(), card.x.into());
    object.insert("y".into(), card.y.into());
    let flags = [
        ("face_down", card.face_down),
        ("tapped", card.tapped),
        ("attacking", card.attacking),
        ("destroy_on_zone_change", card.destroy_on_zone_change),
        ("doesnt_untap", card.doesnt_untap),
    ];
    for (key, _) in flags.iter().filter(|(_, flag)| *flag) {
        object.insert((*key).into(), true.into());
    }
    let texts = [
        ("color", &card.color),
        ("pt", &card.pt),
        ("annotation", &card.annotation),
    ];
    for (key, text) in texts.iter().filter(|(_, text)| !text.is_empty()) {
        object.insert((*key).into(), (&***text).into());
    }
    if !card.counters.is_empty() {
        let counters = card.counters.iter();
        let counters = counters.map(|(id, value)| (id.to_string(), Value::from(*value)));
        object.insert("counters".into(), counters.collect::<Map<_, _>>().into());
    }
    if let Some(place) = &card.attached_to {
        object.insert("attached_to".into(), of_place(place));
    }
    match &card.shown {
        Shown::ToNobody => {}
        Shown::To(players) => drop(object.insert("shown_to".into(), players.clone().into())),
        Shown::ToAll => drop(object.insert("shown_to".into(), "all".into())),
    }
    object.into()
}

fn of_counter(counter: &Counter) -> Value {
    json!({
        "name": counter.name,
        "value": counter.value,
        "radius": counter.radius,
        "color": of_color(counter.color),
    })
}

fn of_arrow(arrow: &Arrow) -> Value {
    let target = match &arrow.target {
        ArrowEnd::Card(place) => of_place(place),
        ArrowEnd::Player(player) => json!({"player": player}),
    };
    json!({
        "start": of_place(&arrow.start),
        "target": target,
        "color": of_color(arrow.color),
    })
}

fn of_place(place: &CardPlace) -> Value {
    json!({"player": place.player, "zone": place.zone, "card": place.card})
}

fn of_color(color: Color) -> Value {
    [color.r, color.g, color.b].to_vec().into()
}

fn insert_some(object: &mut Map<String, Value>, key: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        object.insert(key.into(), value.into());
    }
}

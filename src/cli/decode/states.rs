//! A recorded game as the changes of its table, and the final table.
//!
//! Only what an event names is compared, so that the time does not grow with the table.

use std::collections::BTreeSet;
use std::io::{self, Write};

use portreeve::game::context::ContextKind;
use portreeve::game::event::{GameEvent, GameEventKind};
use portreeve::game::fields::{AnyMessage, Value as FieldValue};
use portreeve::game::table::{
    Arrow, ArrowEnd, Card, CardPlace, Color, Counter, Player, Shown, Table, Viewer, Zone,
};
use portreeve::game::{DecodeError, GameReplay, Message as _};
use serde_json::{Map, Value, json};

use super::{Printer, ReplayError};
use crate::cli::terminal::escape_json;

/// Prints a line for each container that changed the table and one for the final table, at most as many as remain.
pub(super) fn states(
    printer: &mut Printer<'_, impl Write>,
    file: Option<&str>,
    replay: &GameReplay<'_>,
) -> Result<(), ReplayError> {
    let mut table = Table::new(Viewer::Everything);
    let mut state = State { known: json!({}), patch: Value::Null };
    for (number, container) in replay.event_list().enumerate() {
        let container = container?;
        table.apply(&container)?;
        let context = container.context().ok().flatten();
        let context = context.and_then(|context| context.kind());
        let (mut players, mut events) = (Vec::new(), Vec::new());
        state.compare_game(&table);
        for event in container.event_list() {
            let event = event?;
            let player = event.player_id();
            if player >= 0 && !players.contains(&player) {
                players.push(player);
            }
            // Unknown ones are not in the schema.
            events.push(event.kind().map_or("UNKNOWN", GameEventKind::name));
            if context == Some(ContextKind::DeckSelect) {
                state.compare_properties(&player.to_string(), table.participant(player));
            }
            state.compare(&event, &table)?;
        }
        let patch = std::mem::take(&mut state.patch);
        if patch.is_null() {
            continue;
        }
        let mut line = json!({
            "type": "change",
            "container": number,
            "seconds": container.seconds_elapsed(),
            "players": players,
            "events": events,
            "patch": patch,
        });
        if let Some(kind) = context {
            line["context"] = kind.name().into();
        }
        if !print(printer, file, line)? {
            return Ok(());
        }
    }
    print(printer, file, json!({"type": "table", "table": state.known}))?;
    Ok(())
}

fn print(
    printer: &mut Printer<'_, impl Write>,
    file: Option<&str>,
    mut line: Value,
) -> io::Result<bool> {
    if let Some(file) = file {
        line["file"] = file.into();
    }
    let mut text = line.to_string();
    escape_json(&mut text);
    text.push('\n');
    printer.print(&text)
}

/// The JSON merge patch (RFC 7396) from `old` to `new`; `None` if they are equal.
fn patch(old: &Value, new: &Value) -> Option<Value> {
    let (Value::Object(before), Value::Object(after)) = (old, new) else {
        return (old != new).then(|| new.clone());
    };
    let gone = before.keys().filter(|key| !after.contains_key(*key));
    let gone = gone.map(|key| (key.clone(), Value::Null));
    let changed = after.iter().filter_map(|(key, value)| {
        let change = patch(before.get(key).unwrap_or(&Value::Null), value)?;
        Some((key.clone(), change))
    });
    let changes: Map<_, _> = gone.chain(changed).collect();
    (!changes.is_empty()).then_some(changes.into())
}

fn merge(into: &mut Value, more: Value) {
    match more {
        Value::Object(more) if into.is_object() => {
            for (key, value) in more {
                merge(&mut into[&key], value);
            }
        }
        more => *into = more,
    }
}

/// Adds the number or the name, or of messages their numbers.
fn keys(value: FieldValue<'_>, keys: &mut Vec<String>) -> Result<(), DecodeError> {
    match value {
        FieldValue::Text(name) => keys.push(name.to_string()),
        FieldValue::Number(number) => {
            let mut key = String::new();
            number.write_json(&mut key);
            keys.push(key);
        }
        FieldValue::List(mut list) => list.try_for_each(|value| self::keys(value, keys))?,
        FieldValue::Message(message) => {
            let mut fields = message.fields()?;
            let id = fields.find(|(field, _)| matches!(field.name, "id" | "player_id"));
            id.map_or(Ok(()), |(_, id)| self::keys(id, keys))?;
        }
        _ => {}
    }
    Ok(())
}

/// The table as far as it was compared, and what has changed since the last line.
struct State {
    known: Value,
    patch: Value,
}

// === impl State ===

impl State {
    /// Compares what an event may have changed: what it names, of the players that it names, and what goes with that.
    fn compare(&mut self, event: &GameEvent<'_>, table: &Table) -> Result<(), DecodeError> {
        use GameEventKind as Kind;
        let kind = match event.kind() {
            None | Some(Kind::DumpZone) => return Ok(()),
            Some(Kind::GameStateChanged) => {
                self.compare_all(table);
                return Ok(());
            }
            Some(kind) => kind,
        };
        let mut players = vec![event.player_id().to_string()];
        let mut items = ["zones", "cards", "counters", "arrows"].map(|of| (of, Vec::new()));
        let [(_, zones), (_, cards), (_, counters), (_, arrows)] = &mut items;
        let bytes = event.to_vec();
        for (_, value) in AnyMessage::new::<GameEvent<'_>>(&bytes).fields()? {
            let FieldValue::Message(payload) = value else {
                continue;
            };
            for (field, value) in payload.fields()? {
                let named = match field.name {
                    "start_player_id" | "target_player_id" | "player_properties" => &mut players,
                    "start_zone" | "target_zone" | "zone_name" => &mut *zones,
                    "card_id" | "new_card_id" | "cards" => &mut *cards,
                    "counter_id" | "counter_info" => &mut *counters,
                    "arrow_id" | "arrow_info" => &mut *arrows,
                    _ => continue,
                };
                keys(value, named)?;
            }
        }
        players.dedup();
        match kind {
            Kind::DrawCards => *zones = ["deck", "hand"].map(str::to_owned).into(),
            // After a mulligan the zone is not named.
            Kind::Shuffle => zones.push("deck".to_owned()),
            // Without a number, all cards of the zone.
            Kind::SetCardAttr if cards.is_empty() => {
                let here = table.participant(event.player_id());
                let found = zones.iter().filter_map(|zone| here?.zones.get(&**zone));
                cards.extend(found.flat_map(Zone::cards).map(|card| card.id.to_string()));
            }
            Kind::MoveCard | Kind::DestroyCard => self.compare_attached(table, players.len() > 1),
            _ => {}
        }
        use Kind::{AttachCard, CreateArrow, FlipCard, SetCardAttr, SetCardCounter};
        if matches!(kind, SetCardAttr | SetCardCounter | FlipCard | AttachCard | CreateArrow) {
            zones.clear();
        }
        for id in &players {
            let player = find(table, id);
            match kind {
                Kind::Join | Kind::Leave => self.compare_player(id, player),
                // Who concedes has nothing any more.
                Kind::PlayerPropertiesChanged if player.is_some_and(|it| it.zones.is_empty()) => {
                    self.compare_player(id, player);
                }
                Kind::PlayerPropertiesChanged => self.compare_properties(id, player),
                _ => {}
            }
            for (of, keys) in &items {
                for key in keys {
                    self.compare_item(player, &["players", id, of, key]);
                }
            }
        }
        Ok(())
    }

    /// The game without its players.
    fn compare_game(&mut self, table: &Table) {
        if self.known["players"].is_null() {
            self.set(&["players"], json!({}));
        }
        let game = json!({
            "started": table.started(),
            "over": table.over(),
            "reversed": table.reversed(),
            "host": table.host(),
            "active_player": table.active_player(),
            "active_phase": table.active_phase(),
        });
        self.set_members(&[], game);
    }

    fn compare_all(&mut self, table: &Table) {
        let known = self.known["players"].as_object();
        let known: BTreeSet<_> = known.into_iter().flat_map(Map::keys).cloned().collect();
        let here = table.participants().map(|player| player.id.to_string());
        for id in known.into_iter().chain(here) {
            self.compare_player(&id, find(table, &id));
        }
    }

    fn compare_player(&mut self, id: &str, player: Option<&Player>) {
        let player = player.map(player_json).unwrap_or_default();
        self.set(&["players", id], player);
    }

    fn compare_properties(&mut self, id: &str, player: Option<&Player>) {
        let properties = player.map(properties_json).unwrap_or_default();
        self.set_members(&["players", id], properties);
    }

    /// Compares what a card takes with it: arrows; and, to another player, what it is attached to.
    fn compare_attached(&mut self, table: &Table, to_another: bool) {
        for player in table.participants() {
            let id = player.id.to_string();
            if let Value::Object(known) = &self.known["players"][&id]["arrows"]
                && known.len() != player.arrows.len()
            {
                for arrow in known.keys().cloned().collect::<Vec<_>>() {
                    self.compare_item(Some(player), &["players", &id, "arrows", &arrow]);
                }
            }
            let cards = player.zones.values().flat_map(Zone::cards);
            for card in cards.filter(|card| to_another && card.attached_to.is_some()) {
                let card = card.id.to_string();
                self.compare_item(Some(player), &["players", &id, "cards", &card]);
            }
        }
    }

    fn compare_item(&mut self, player: Option<&Player>, path: &[&str; 4]) {
        let [_, id, of, key] = *path;
        let number = key.parse::<i32>().unwrap_or(-1);
        let item = player.and_then(|player| match of {
            "zones" => player.zones.get(key).map(zone_json),
            "cards" => player.zones.iter().rev().find_map(|(name, zone)| {
                let card = zone.cards().iter().rev().find(|card| card.id == number)?;
                Some(card_json(name, card))
            }),
            "counters" => player.counters.get(&number).map(counter_json),
            _ => player.arrows.get(&number).map(arrow_json),
        });
        let item = item.unwrap_or_default();
        // Cards of a zone into which nobody sees any more.
        if of == "zones"
            && !item["cards"].is_array()
            && let Value::Array(cards) = self.known["players"][id][of][key]["cards"].clone()
        {
            for card in cards {
                self.compare_item(player, &["players", id, "cards", &card.to_string()]);
            }
        }
        self.set(path, item);
    }

    fn set_members(&mut self, path: &[&str], members: Value) {
        for (key, value) in members.as_object().into_iter().flatten() {
            self.set(&[path, &[key]].concat(), value.clone());
        }
    }

    /// Sets a member, if there is the object that it belongs to, and adds the difference to the patch. Null is none.
    fn set(&mut self, path: &[&str], mut new: Value) {
        without_nulls(&mut new);
        let Some((key, path)) = path.split_last() else {
            return;
        };
        let object = (path.iter()).try_fold(&mut self.known, |of, name| of.get_mut(name));
        let Some(Value::Object(known)) = object else {
            return;
        };
        let Some(change) = patch(known.get(*key).unwrap_or(&Value::Null), &new) else {
            return;
        };
        match new {
            Value::Null => known.remove(*key),
            new => known.insert((*key).to_owned(), new),
        };
        let into = path.iter().fold(&mut self.patch, |of, name| &mut of[*name]);
        // What is compared twice is the same the second time.
        merge(&mut into[*key], change);
    }
}

fn find<'t>(table: &'t Table, id: &str) -> Option<&'t Player> {
    table.participant(id.parse().ok()?)
}

/// A player without what they have.
fn properties_json(player: &Player) -> Value {
    json!({
        "name": player.name,
        "spectator": player.spectator,
        "judge": player.judge,
        "conceded": player.conceded,
        "ready": player.ready,
        "sideboard_locked": player.sideboard_locked,
        "ping_seconds": player.ping_seconds,
        "deck_hash": player.deck_hash,
        "deck_list": player.deck_list,
    })
}

fn player_json(player: &Player) -> Value {
    let zones = || player.zones.iter();
    let cards = zones().flat_map(|(name, zone)| {
        let cards = zone.cards().iter();
        cards.map(move |card| (card.id, card_json(name, card)))
    });
    let (counters, arrows) = (player.counters.iter(), player.arrows.iter());
    let more = json!({
        "zones": by_key(zones().map(|(name, zone)| (name, zone_json(zone)))),
        "cards": by_key(cards),
        "counters": by_key(counters.map(|(id, counter)| (id, counter_json(counter)))),
        "arrows": by_key(arrows.map(|(id, arrow)| (id, arrow_json(arrow)))),
    });
    let mut player = properties_json(player);
    merge(&mut player, more);
    player
}

fn zone_json(zone: &Zone) -> Value {
    let ids = || zone.cards().iter().map(|card| card.id).collect::<Vec<_>>();
    json!({
        "kind": zone.kind.name(),
        "count": zone.len(),
        "cards": zone.is_seen().then(ids),
        "always_reveal_top_card": zone.always_reveal_top_card,
        "always_look_at_top_card": zone.always_look_at_top_card,
        "top_card": zone.top_card.as_ref().and_then(|card| card.name.as_deref()),
    })
}

fn card_json(zone: &str, card: &Card) -> Value {
    let if_set = |flag: bool| flag.then_some(true);
    let if_any = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    json!({
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
    })
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

fn by_key(members: impl Iterator<Item = (impl ToString, Value)>) -> Map<String, Value> {
    let members = members.map(|(key, value)| (key.to_string(), value));
    members.collect()
}

fn without_nulls(value: &mut Value) {
    if let Some(members) = value.as_object_mut() {
        members.retain(|_, value| !value.is_null());
        members.values_mut().for_each(without_nulls);
    }
}

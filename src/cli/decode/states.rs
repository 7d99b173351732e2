//! A recorded game as the changes of its table, and the final table.
//!
//! Only what an event names is compared, so that the time does not grow with the table.

use std::io::Write;

use portreeve::game::context::ContextKind;
use portreeve::game::event::{GameEvent, GameEventKind, GameEventPayload};
use portreeve::game::table::{
    Arrow, ArrowEnd, Card, CardPlace, Color, Counter, Player, Shown, Table, Viewer, Zone,
};
use portreeve::game::{DecodeError, GameReplay};
use serde_json::{Value, json};

use super::{Printer, ReplayError};
use crate::cli::terminal::json_line;

/// Prints a line for each container that changed the table and one for the final table, at most as many as remain.
pub(super) fn states(
    printer: &mut Printer<'_, impl Write>,
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
                state.compare(&table, player, Part::Properties);
            }
            state.compare_event(&table, &event)?;
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
        if !printer.print(&json_line(&line))? {
            return Ok(());
        }
    }
    printer.print(&json_line(&json!({"type": "table", "table": state.known})))?;
    Ok(())
}

/// Sets `known` to `new`, and adds the JSON merge patch (RFC 7396) from the one to the other to `patch`.
fn update(known: &mut Value, new: Value, patch: &mut Value) {
    match (known, new) {
        (Value::Object(known), Value::Object(new)) => {
            known.retain(|key, _| {
                let remains = new.contains_key(key);
                if !remains {
                    patch[key] = Value::Null;
                }
                remains
            });
            for (key, value) in new {
                if known.get(&key) != Some(&value) {
                    update(known.entry(&key).or_insert(Value::Null), value, &mut patch[key]);
                }
            }
        }
        (known, new) => {
            patch.clone_from(&new);
            *known = new;
        }
    }
}

/// The numbers in a list of cards, or by which members are known.
fn numbers(of: &Value) -> Vec<i32> {
    match of {
        Value::Array(numbers) => {
            numbers.iter().filter_map(|number| number.as_i64()?.try_into().ok()).collect()
        }
        Value::Object(members) => members.keys().filter_map(|key| key.parse().ok()).collect(),
        _ => Vec::new(),
    }
}

/// The table as far as it was compared, and what has changed since the last line.
struct State {
    known: Value,
    patch: Value,
}

#[derive(Clone, Copy)]
enum Part<'n> {
    All,
    Properties,
    Zone(&'n str),
    Card(i32),
    Counter(i32),
    Arrow(i32),
}

impl State {
    /// Compares what an event may have changed. As for the table, a number that is absent is the default.
    fn compare_event(&mut self, table: &Table, event: &GameEvent<'_>) -> Result<(), DecodeError> {
        use GameEventPayload as E;
        let Some(payload) = event.payload()? else {
            return Ok(());
        };
        let by = event.player_id();
        let mut see = |part| self.compare(table, by, part);
        match payload {
            E::GameStateChanged(_) => {
                let mut players = numbers(&self.known["players"]);
                players.extend(table.participants().map(|player| player.id));
                players.iter().for_each(|&player| self.compare(table, player, Part::All));
            }
            E::Join(event) => {
                let joined = event.player_properties()?.unwrap_or_default();
                self.compare(table, joined.player_id(), Part::All);
            }
            E::Leave(_) => see(Part::All),
            E::PlayerPropertiesChanged(_) => {
                // Who concedes has nothing any more.
                let is_bare = table.participant(by).is_some_and(|player| player.zones.is_empty());
                see(if is_bare { Part::All } else { Part::Properties });
            }
            E::MoveCard(event) => {
                let (from, to) = (event.start_player_id(), event.target_player_id());
                let (start, target) = (event.start_zone()?, event.target_zone()?);
                let target = if target.is_empty() { start } else { target };
                self.compare(table, from, Part::Zone(start));
                self.compare(table, to, Part::Zone(target));
                self.compare(table, from, Part::Card(event.card_id()));
                self.compare(table, to, Part::Card(event.card_id()));
                self.compare(table, to, Part::Card(event.new_card_id()));
                self.compare_attached(table, from != to);
            }
            E::DrawCards(event) => {
                see(Part::Zone("deck"));
                see(Part::Zone("hand"));
                event.cards().flatten().for_each(|card| see(Part::Card(card.id())));
            }
            E::RevealCards(event) => {
                see(Part::Zone(event.zone_name()?));
                event.cards().flatten().for_each(|card| see(Part::Card(card.id())));
            }
            E::DestroyCard(event) => {
                see(Part::Zone(event.zone_name()?));
                see(Part::Card(event.card_id()));
                self.compare_attached(table, false);
            }
            E::CreateToken(event) => {
                see(Part::Zone(event.zone_name()?));
                see(Part::Card(event.card_id()));
            }
            E::Shuffle(event) => {
                // After a mulligan the zone is not named.
                let zone = event.zone_name()?;
                see(Part::Zone(if zone.is_empty() { "deck" } else { zone }));
            }
            E::ChangeZoneProperties(event) => see(Part::Zone(event.zone_name()?)),
            E::SetCardAttr(event) => match (event.card_id, event.zone_name()?) {
                (Some(card), _) => see(Part::Card(card)),
                (None, zone) => {
                    let zone = table.participant(by).and_then(|player| player.zones.get(zone));
                    let cards = zone.into_iter().flat_map(Zone::cards);
                    cards.for_each(|card| see(Part::Card(card.id)));
                }
            },
            E::SetCardCounter(event) => see(Part::Card(event.card_id())),
            E::FlipCard(event) => see(Part::Card(event.card_id())),
            E::AttachCard(event) => see(Part::Card(event.card_id())),
            E::CreateCounter(event) => {
                see(Part::Counter(event.counter_info()?.unwrap_or_default().id()));
            }
            E::SetCounter(event) => see(Part::Counter(event.counter_id())),
            E::DelCounter(event) => see(Part::Counter(event.counter_id())),
            E::CreateArrow(event) => see(Part::Arrow(event.arrow_info()?.unwrap_or_default().id())),
            E::DeleteArrow(event) => see(Part::Arrow(event.arrow_id())),
            _ => {}
        }
        Ok(())
    }

    /// Compares what a card takes with it: arrows; and, to another player, what it is attached to.
    fn compare_attached(&mut self, table: &Table, to_another: bool) {
        for player in table.participants() {
            let arrows = numbers(&self.known["players"][player.id.to_string()]["arrows"]);
            for arrow in arrows.into_iter().filter(|arrow| !player.arrows.contains_key(arrow)) {
                self.compare(table, player.id, Part::Arrow(arrow));
            }
            let cards = player.zones.values().flat_map(Zone::cards);
            for card in cards.filter(|card| to_another && card.attached_to.is_some()) {
                self.compare(table, player.id, Part::Card(card.id));
            }
        }
    }

    fn compare_game(&mut self, table: &Table) {
        if self.known["players"].is_null() {
            self.set(&["players"], Some(json!({})));
        }
        let game = json!({
            "started": table.started,
            "over": table.over,
            "reversed": table.reversed,
            "host": table.host,
            "active_player": table.active_player,
            "active_phase": table.active_phase,
        });
        self.set_members(&[], Some(game));
    }

    fn compare(&mut self, table: &Table, number: i32, part: Part<'_>) {
        let (player, id) = (table.participant(number), &*number.to_string());
        let (of, key, item) = match part {
            Part::All => return self.set(&["players", id], player.map(player_json)),
            Part::Properties => {
                return self.set_members(&["players", id], player.map(properties_json));
            }
            Part::Zone(name) => {
                let zone = player.and_then(|player| player.zones.get(name));
                if !zone.is_some_and(Zone::is_seen) {
                    // Nobody sees any more which cards are in it.
                    let cards = numbers(&self.known["players"][id]["zones"][name]["cards"]);
                    for card in cards {
                        self.compare(table, number, Part::Card(card));
                    }
                }
                ("zones", name.to_owned(), zone.map(zone_json))
            }
            Part::Card(key) => {
                let zones = player.into_iter().flat_map(|player| player.zones.iter().rev());
                let mut cards = zones.flat_map(|(name, zone)| {
                    zone.cards().iter().rev().map(move |card| (name, card))
                });
                let found = cards.find(|(_, card)| card.id == key);
                ("cards", key.to_string(), found.map(|(zone, card)| card_json(zone, card)))
            }
            Part::Counter(key) => {
                let counter = player.and_then(|player| player.counters.get(&key));
                ("counters", key.to_string(), counter.map(counter_json))
            }
            Part::Arrow(key) => {
                let arrow = player.and_then(|player| player.arrows.get(&key));
                ("arrows", key.to_string(), arrow.map(arrow_json))
            }
        };
        self.set(&["players", id, of, &key], item);
    }

    fn set_members(&mut self, path: &[&str], members: Option<Value>) {
        for (key, value) in members.iter().filter_map(Value::as_object).flatten() {
            self.set(&[path, &[key]].concat(), Some(value.clone()));
        }
    }

    /// Sets a member, if there is the object that it belongs to, and adds the difference to the patch. Null is none.
    fn set(&mut self, path: &[&str], new: Option<Value>) {
        let mut new = new.unwrap_or_default();
        without_nulls(&mut new);
        let Some((key, path)) = path.split_last() else {
            return;
        };
        let object = (path.iter()).try_fold(&mut self.known, |of, name| of.get_mut(name));
        let Some(Value::Object(known)) = object else {
            return;
        };
        if known.get(*key).unwrap_or(&Value::Null) == &new {
            return;
        }
        let patch = path.iter().fold(&mut self.patch, |of, name| &mut of[*name]);
        update(known.entry(*key).or_insert(Value::Null), new, &mut patch[*key]);
        if known[*key].is_null() {
            known.remove(*key);
        }
    }
}

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
    let mut player = properties_json(player);
    player["zones"] = by_key(zones().map(|(name, zone)| (name, zone_json(zone))));
    player["cards"] = by_key(cards);
    player["counters"] = by_key(counters.map(|(id, counter)| (id, counter_json(counter))));
    player["arrows"] = by_key(arrows.map(|(id, arrow)| (id, arrow_json(arrow))));
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
    let color = color_json(counter.color);
    json!({"name": counter.name, "value": counter.value, "radius": counter.radius, "color": color})
}

fn arrow_json(arrow: &Arrow) -> Value {
    let target = match &arrow.target {
        ArrowEnd::Card(place) => place_json(place),
        ArrowEnd::Player(player) => json!({"player": player}),
    };
    json!({"start": place_json(&arrow.start), "target": target, "color": color_json(arrow.color)})
}

fn place_json(place: &CardPlace) -> Value {
    json!({"player": place.player, "zone": place.zone, "card": place.card})
}

fn color_json(color: Color) -> Value {
    [color.r, color.g, color.b].to_vec().into()
}

fn by_key(members: impl Iterator<Item = (impl ToString, Value)>) -> Value {
    members.map(|(key, value)| (key.to_string(), value)).collect()
}

fn without_nulls(value: &mut Value) {
    if let Some(members) = value.as_object_mut() {
        members.retain(|_, value| !value.is_null());
        members.values_mut().for_each(without_nulls);
    }
}

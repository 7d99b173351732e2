//! A replay as rows, one per event: for a spreadsheet, or to read.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use portreeve::game::event::{GameEvent, GameEventPayload};
use portreeve::game::info::Card;
use portreeve::game::{DecodeError, GameReplay, Text};

use super::Stop;
use super::arguments::Format;
use super::content::{summarize, summarize_payload};
use super::filter::Filter;
use super::names::{Names, printable};

/// The fields with their own columns.
const COLUMNS: &[&str] = &[
    "card_name",
    "cards",
    "start_zone",
    "target_zone",
    "zone_name",
    "player_properties",
    "target_player_id",
    "start_player_id",
    "target_card_id",
    "other_player_id",
];

#[derive(Default)]
struct Row {
    seconds: u32,
    player_id: Option<i32>,
    player: String,
    event: &'static str,
    card: String,
    from: String,
    to: String,
    detail: String,
}

/// The header line of comma-separated values.
pub(super) fn head(out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"replay_id,seconds,player_id,player,event,card,from,to,context,detail\r\n")
}

/// Writes the rows of the wanted events of a replay, at most `limit`; returns how many there were.
pub(super) fn rows(
    replay: &GameReplay<'_>,
    filter: &Filter,
    limit: u64,
    format: Format,
    out: &mut impl Write,
) -> Result<u64, Stop> {
    let mut line = String::new();
    let mut names = Names::default();
    for container in replay.event_list() {
        for event in container?.event_list() {
            names.learn(&event?)?;
        }
    }
    names = names.players_only();
    if format == Format::Timeline {
        title(replay, &mut line)?;
    }
    let mut written = 0;
    for container in replay.event_list() {
        let container = container?;
        let context = container.context()?.and_then(|context| context.kind());
        let context = context.map_or("", |kind| kind.name());
        for event in container.event_list() {
            let event = event?;
            names.learn(&event)?;
            let mut row = row(&names, &event)?;
            if !filter.wants_event(row.event, context) {
                continue;
            }
            if written == limit {
                return Ok(written);
            }
            written += 1;
            row.seconds = container.seconds_elapsed();
            if let Some(judge) = container.forced_by_judge {
                let judge = names.player(judge as i32);
                let _ = write!(row.detail, " judge={judge}");
            }
            match format {
                Format::Timeline => row.timeline(context, &mut line),
                _ => row.csv(replay.replay_id(), context, &mut line),
            }
            out.write_all(line.as_bytes())?;
            line.clear();
        }
    }
    // The title, if there are no rows.
    out.write_all(line.as_bytes())?;
    Ok(written)
}

/// The title line, before the rows.
fn title(replay: &GameReplay<'_>, out: &mut String) -> Result<(), DecodeError> {
    let _ = write!(out, "replay {}", replay.replay_id());
    if let Some(game) = replay.game_info()? {
        let description = printable(game.description.unwrap_or_default());
        let _ = write!(out, ", game {} {description:?}", game.game_id());
    }
    let _ = writeln!(out, ", {}", clock(replay.duration_seconds()));
    Ok(())
}

/// Minutes and seconds.
fn clock(seconds: u32) -> String {
    format!("{:02}:{:02}", seconds / 60, seconds % 60)
}

/// Describes an event.
fn row(names: &Names<'_>, event: &GameEvent<'_>) -> Result<Row, DecodeError> {
    let zone = |text: Option<Text<'_>>| text.map_or_else(String::new, printable);
    let mut row = Row {
        player_id: event.player_id.filter(|&id| id >= 0),
        event: event.kind().map_or("UNKNOWN", |kind| kind.name()),
        ..Row::default()
    };
    let player = event.player_id();
    // A zone of a player other than the acting one is shown with its owner.
    let place = |owner: Option<i32>, zone: String| match owner {
        Some(owner) if owner >= 0 && owner != player => {
            format!("{zone} of {}", names.player(owner))
        }
        _ => zone,
    };
    use GameEventPayload as E;
    let payload = event.payload()?;
    // The detail of others is what has no column.
    let has_own_detail = matches!(
        payload,
        Some(
            E::SetCounter(_)
                | E::DelCounter(_)
                | E::CreateArrow(_)
                | E::Join(_)
                | E::PlayerPropertiesChanged(_)
                | E::SetActivePlayer(_)
        )
    );
    match payload {
        Some(E::MoveCard(moved)) => {
            let owner = moved.start_player_id.unwrap_or(player);
            row.card = names.card(owner, moved.card_id, moved.card_name);
            row.from = place(moved.start_player_id, zone(moved.start_zone));
            let target = moved.target_zone.or(moved.start_zone);
            row.to = place(moved.target_player_id, zone(target));
        }
        Some(E::DrawCards(drawn)) => {
            row.card = names_of(drawn.cards())?;
            (row.from, row.to) = ("deck".to_owned(), "hand".to_owned());
        }
        Some(E::RevealCards(shown)) => {
            row.card = names_of(shown.cards())?;
            row.from = zone(shown.zone_name);
            let to = shown.other_player_id.filter(|&id| id >= 0);
            row.to = to.map_or_else(String::new, |id| names.player(id));
        }
        Some(E::FlipCard(flipped)) => {
            row.card = names.card(player, flipped.card_id, flipped.card_name);
            row.from = zone(flipped.zone_name);
        }
        Some(E::DestroyCard(destroyed)) => {
            let id = destroyed.card_id.map(|id| id as i32);
            row.card = names.card(player, id, None);
            row.from = zone(destroyed.zone_name);
        }
        Some(E::AttachCard(attached)) => {
            row.card = names.card(player, attached.card_id, None);
            row.from = zone(attached.start_zone);
            row.to = place(attached.target_player_id, zone(attached.target_zone));
            if let Some(id) = attached.target_card_id {
                let owner = attached.target_player_id.unwrap_or(player);
                let _ = write!(row.detail, "target={} ", names.card(owner, Some(id), None));
            }
        }
        Some(E::CreateToken(token)) => {
            row.card = names.card(player, token.card_id, token.card_name);
            row.to = zone(token.zone_name);
        }
        Some(E::SetCardAttr(set)) => {
            row.card = names.card(player, set.card_id, None);
            row.from = zone(set.zone_name);
        }
        Some(E::SetCardCounter(set)) => {
            row.card = names.card(player, set.card_id, None);
            row.from = zone(set.zone_name);
        }
        Some(E::SetCounter(set)) => {
            let counter = names.counter(player, set.counter_id());
            let _ = write!(row.detail, "counter={counter} value={}", set.value());
        }
        Some(E::DelCounter(gone)) => {
            let counter = names.counter(player, gone.counter_id());
            let _ = write!(row.detail, "counter={counter}");
        }
        Some(E::Shuffle(shuffled)) => {
            row.from = zone(shuffled.zone_name);
        }
        Some(E::DumpZone(looked)) => {
            row.from = place(looked.zone_owner_id, zone(looked.zone_name));
        }
        Some(E::ChangeZoneProperties(changed)) => {
            row.from = zone(changed.zone_name);
        }
        Some(E::CreateArrow(created)) => {
            if let Some(arrow) = created.arrow_info()? {
                let owner = arrow.start_player_id.unwrap_or(player);
                row.card = names.card(owner, arrow.start_card_id, None);
                row.from = place(arrow.start_player_id, zone(arrow.start_zone));
                row.to = match arrow.target_player_id {
                    Some(target) if arrow.target_zone.is_none() => names.player(target),
                    target => place(target, zone(arrow.target_zone)),
                };
                if let (Some(target), Some(id)) = (arrow.target_player_id, arrow.target_card_id) {
                    let _ = write!(row.detail, "target={} ", names.card(target, Some(id), None));
                }
                let _ = write!(row.detail, "arrow_id={}", arrow.id());
            }
        }
        Some(E::Join(join)) => {
            row.player_id = join.player_properties()?.and_then(|who| who.player_id);
            if let Some(who) = join.player_properties()? {
                summarize(&who, &["player_id", "user_info"], &mut row.detail);
            }
        }
        Some(E::PlayerPropertiesChanged(changed)) => {
            if let Some(who) = changed.player_properties()? {
                row.player_id = row.player_id.or(who.player_id);
                summarize(&who, &["player_id", "user_info"], &mut row.detail);
            }
        }
        Some(E::SetActivePlayer(active)) => {
            row.player_id = active.active_player_id;
        }
        Some(_) | None => {}
    }
    if payload.is_some() && !has_own_detail {
        summarize_payload(event, COLUMNS, &mut row.detail);
    }
    row.player = row
        .player_id
        .map_or_else(String::new, |id| names.player(id));
    Ok(row)
}

/// The names of the cards that are shown.
fn names_of<'c>(
    cards: impl Iterator<Item = Result<Card<'c>, DecodeError>>,
) -> Result<String, DecodeError> {
    let mut list = String::new();
    for card in cards {
        let name = card?.name.unwrap_or_default();
        if !name.as_bytes().is_empty() {
            list.push_str(if list.is_empty() { "" } else { " / " });
            list.push_str(&printable(name));
        }
    }
    Ok(list)
}

// === impl Row ===

impl Row {
    fn csv(&self, replay_id: u64, context: &str, out: &mut String) {
        let _ = write!(out, "{replay_id},{},", self.seconds);
        if let Some(id) = self.player_id {
            let _ = write!(out, "{id}");
        }
        let (player, card, from, to) = (&self.player, &self.card, &self.from, &self.to);
        let detail = self.detail.trim();
        for cell in [player, self.event, card, from, to, context, detail] {
            out.push(',');
            // A spreadsheet takes such a cell for a formula; an apostrophe makes it text.
            let is_formula = cell.starts_with(['=', '+', '-', '@']) && cell.parse::<f64>().is_err();
            let cell: &str = &match is_formula {
                true => Cow::Owned(format!("'{cell}")),
                false => Cow::Borrowed(cell),
            };
            if cell.contains([',', '"', '\r', '\n']) {
                let _ = write!(out, "\"{}\"", cell.replace('"', "\"\""));
            } else {
                out.push_str(cell);
            }
        }
        out.push_str("\r\n");
    }

    fn timeline(&self, context: &str, out: &mut String) {
        let start = out.len();
        let _ = write!(
            out,
            "{:>6}  {:<16}  {:<24}",
            clock(self.seconds),
            self.player,
            self.event
        );
        for part in [&self.card, &places(&self.from, &self.to)] {
            if !part.is_empty() {
                let _ = write!(out, "  {part}");
            }
        }
        for (open, part, close) in [("[", self.detail.trim(), "]"), ("(", context, ")")] {
            if !part.is_empty() {
                let _ = write!(out, "  {open}{part}{close}");
            }
        }
        let line = out[start..].trim_end().len();
        out.truncate(start + line);
        out.push('\n');
    }
}

fn places(from: &str, to: &str) -> String {
    match (from, to) {
        ("", "") => String::new(),
        (from, "") => from.to_owned(),
        (from, to) if from == to => from.to_owned(),
        ("", to) => format!("-> {to}"),
        (from, to) => format!("{from} -> {to}"),
    }
}

//! A replay as rows, one per event: for a spreadsheet, or to read.

use std::fmt::Write as _;
use std::io::{self, Write};

use portreeve::game::event::{GameEvent, GameEventPayload};
use portreeve::game::fields::AnyMessage;
use portreeve::game::info::{Card, PlayerProperties};
use portreeve::game::{DecodeError, GameReplay, Message as _, Text};

use super::arguments::Format;
use super::content::{summarize, summarize_payload};
use super::names::{Names, printable};
use super::{Printer, ReplayError};
use crate::cli::terminal::escape;

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
    /// What was said, as it was; `detail` has it on one line.
    text: String,
}

pub(super) fn head(of_files: bool, out: &mut impl Write) -> io::Result<()> {
    out.write_all(if of_files { b"file," } else { b"" })?;
    out.write_all(b"replay_id,seconds,player_id,player,event,card,from,to,context,detail,text\r\n")
}

/// Prints the rows of the wanted events of a replay, at most as many as remain.
pub(super) fn rows(
    printer: &mut Printer<'_, impl Write>,
    file: Option<&str>,
    replay: &GameReplay<'_>,
) -> Result<(), ReplayError> {
    let mut names = Names::of(replay)?;
    let is_timeline = printer.arguments.format == Format::Timeline;
    if is_timeline {
        let file = file.map_or_else(String::new, |file| format!("{}: ", escape(file)));
        writeln!(printer.out, "{file}{}", title(replay)?)?;
    }
    for container in replay.event_list() {
        let container = container?;
        let context = container.context()?.and_then(|context| context.kind());
        let context = context.map_or("", |kind| kind.name());
        for event in container.event_list() {
            let event = event?;
            let mut row = row(&names, &event)?;
            // Of what a table cannot take, the numbers are shown.
            let _ = names.table.apply_event(&container, &event);
            let filter = &printer.arguments.filter;
            if !filter.wants_kinds(&[row.event, context])
                || !filter.wants_player(row.player_id, row.player_id.map(|_| &*row.player))
            {
                continue;
            }
            row.seconds = container.seconds_elapsed();
            if let Some(judge) = container.forced_by_judge {
                let judge = names.player(judge);
                let _ = write!(row.detail, " judge={judge}");
            }
            let mut line = String::new();
            if is_timeline {
                row.timeline(context, &mut line);
            } else {
                if let Some(file) = file {
                    cell(&escape(file), &mut line);
                    line.push(',');
                }
                row.csv(replay.replay_id(), context, &mut line);
            }
            if !printer.print(&line)? {
                return Ok(());
            }
        }
    }
    Ok(())
}

fn title(replay: &GameReplay<'_>) -> Result<String, DecodeError> {
    let mut title = format!("replay {}", replay.replay_id());
    if let Some(game) = replay.game_info()? {
        let description = printable(game.description.unwrap_or_default());
        let _ = write!(title, ", game {} {description:?}", game.game_id());
    }
    Ok(title + ", " + &clock(replay.duration_seconds()))
}

fn clock(seconds: u32) -> String {
    format!("{:02}:{:02}", seconds / 60, seconds % 60)
}

fn row(names: &Names, event: &GameEvent<'_>) -> Result<Row, DecodeError> {
    use GameEventPayload as E;
    let mut row = Row {
        player_id: event.player_id.filter(|&id| id >= 0),
        event: event.kind().map_or("UNKNOWN", |kind| kind.name()),
        ..Row::default()
    };
    let player = event.player_id();
    // A zone of a player other than the acting one is shown with its owner.
    let place = |(owner, zone): (Option<i32>, Option<Text<'_>>)| {
        let zone = zone.map_or_else(String::new, printable);
        match owner {
            Some(owner) if owner >= 0 && owner != player => {
                format!("{zone} of {}", names.player(owner))
            }
            _ => zone,
        }
    };
    let card = |owner: Option<i32>, id, name| names.card(owner.unwrap_or(player), id, name);
    let nowhere = (None, None);
    let payload = event.payload()?;
    // The zones are those of the acting player, if there is no other.
    let own = |id, name| card(None, id, name);
    let none = String::new();
    let (card_name, from, to) = match &payload {
        Some(E::MoveCard(e)) => {
            let card = card(e.start_player_id, e.card_id, e.card_name);
            let target = (e.target_player_id, e.target_zone.or(e.start_zone));
            (card, (e.start_player_id, e.start_zone), target)
        }
        Some(E::DrawCards(e)) => {
            let [deck, hand] = ["deck", "hand"].map(|zone| (None, Some(zone.into())));
            (names_of(e.cards())?, deck, hand)
        }
        Some(E::RevealCards(e)) => (names_of(e.cards())?, (None, e.zone_name), nowhere),
        Some(E::FlipCard(e)) => (own(e.card_id, e.card_name), (None, e.zone_name), nowhere),
        Some(E::DestroyCard(e)) => (own(e.card_id, None), (None, e.zone_name), nowhere),
        Some(E::AttachCard(e)) => {
            if e.target_card_id.is_some() {
                let target = card(e.target_player_id, e.target_card_id, None);
                let _ = write!(row.detail, "target={target} ");
            }
            let target = (e.target_player_id, e.target_zone);
            (own(e.card_id, None), (None, e.start_zone), target)
        }
        Some(E::CreateToken(e)) => (own(e.card_id, e.card_name), nowhere, (None, e.zone_name)),
        Some(E::SetCardAttr(e)) => (own(e.card_id, None), (None, e.zone_name), nowhere),
        Some(E::SetCardCounter(e)) => (own(e.card_id, None), (None, e.zone_name), nowhere),
        Some(E::Shuffle(e)) => (none, (None, e.zone_name), nowhere),
        Some(E::DumpZone(e)) => (none, (e.zone_owner_id, e.zone_name), nowhere),
        Some(E::ChangeZoneProperties(e)) => (none, (None, e.zone_name), nowhere),
        _ => (none, nowhere, nowhere),
    };
    (row.card, row.from, row.to) = (card_name, place(from), place(to));
    if let Some(E::RevealCards(e)) = &payload {
        let to = e.other_player_id.filter(|&id| id >= 0);
        row.to = to.map_or_else(String::new, |id| names.player(id));
    }
    if let Some(E::GameSay(e)) = &payload {
        let text = e.message.unwrap_or_default().to_string_lossy();
        let lines = text.split('\n');
        let lines = lines.map(|line| escape(line.trim_end_matches('\r')));
        row.text = lines.collect::<Vec<_>>().join("\n");
    }
    let mut who = None;
    match payload {
        Some(E::SetCounter(e)) => {
            let counter = names.counter(player, e.counter_id());
            row.detail = format!("counter={counter} value={}", e.value());
        }
        Some(E::DelCounter(e)) => {
            row.detail = format!("counter={}", names.counter(player, e.counter_id()));
        }
        Some(E::CreateArrow(e)) => {
            if let Some(arrow) = e.arrow_info()? {
                row.card = card(arrow.start_player_id, arrow.start_card_id, None);
                row.from = place((arrow.start_player_id, arrow.start_zone));
                row.to = match arrow.target_player_id {
                    Some(target) if arrow.target_zone.is_none() => names.player(target),
                    target => place((target, arrow.target_zone)),
                };
                if arrow.target_player_id.is_some() && arrow.target_card_id.is_some() {
                    let target = card(arrow.target_player_id, arrow.target_card_id, None);
                    let _ = write!(row.detail, "target={target} ");
                }
                let _ = write!(row.detail, "arrow_id={}", arrow.id());
            }
        }
        Some(E::Join(e)) => who = e.player_properties()?,
        Some(E::PlayerPropertiesChanged(e)) => who = e.player_properties()?,
        Some(E::SetActivePlayer(e)) => row.player_id = e.active_player_id,
        // What has no column.
        _ => {
            let bytes = event.to_vec();
            let fields = AnyMessage::new::<GameEvent<'_>>(&bytes).fields()?;
            summarize_payload(fields, COLUMNS, &mut row.detail);
        }
    }
    if let Some(who) = who {
        row.player_id = row.player_id.or(who.player_id);
        let bytes = who.to_vec();
        let who = AnyMessage::new::<PlayerProperties<'_>>(&bytes);
        summarize(&who, &["player_id", "user_info"], &mut row.detail);
    }
    let player = row.player_id.map(|id| names.player(id));
    row.player = player.unwrap_or_default();
    Ok(row)
}

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
        let detail = Some(self.detail.trim()).filter(|_| self.text.is_empty());
        let (detail, text) = (detail.unwrap_or_default(), &self.text);
        for text in [player, self.event, card, from, to, context, detail, text] {
            out.push(',');
            cell(text, out);
        }
        out.push_str("\r\n");
    }

    fn timeline(&self, context: &str, out: &mut String) {
        let start = out.len();
        let (clock, player) = (clock(self.seconds), &self.player);
        let _ = write!(out, "{clock:>6}  {player:<16}  {:<24}", self.event);
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
        out.truncate(start + out[start..].trim_end().len());
        out.push('\n');
    }
}

/// Appends a cell of comma-separated values (RFC 4180).
fn cell(text: &str, out: &mut String) {
    // A spreadsheet takes such a cell for a formula; an apostrophe makes it text.
    let is_formula = text.starts_with(['=', '+', '-', '@']) && text.parse::<f64>().is_err();
    let guard = if is_formula { "'" } else { "" };
    if text.contains([',', '"', '\r', '\n']) {
        let _ = write!(out, "\"{guard}{}\"", text.replace('"', "\"\""));
    } else {
        let _ = write!(out, "{guard}{text}");
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

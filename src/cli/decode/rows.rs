//! A replay as rows, one per event: for a spreadsheet, or to read.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write;

use portreeve::game::event::{GameEvent, GameEventContainer, GameEventKind};
use portreeve::game::fields::{AnyMessage, Value};
use portreeve::game::scalar::Number;
use portreeve::game::{DecodeError, GameReplay, Message as _, Nested, Text};

use super::arguments::Format;
use super::content::{DEPTH, is_payload, summarize_payload, write_fields};
use super::names::{Names, printable};
use super::{Printer, ReplayError};
use crate::cli::terminal::escape;

/// The fields that are in a column, or in the detail in another form.
const COLUMNS: &[&str] = &[
    "arrow_info",
    "card_name",
    "cards",
    "other_player_id",
    "player_properties",
    "start_player_id",
    "start_zone",
    "target_card_id",
    "target_player_id",
    "target_zone",
    "zone_name",
];

/// The parts of events that are what they are about.
const PARTS: &[&str] = &["arrow_info", "player_properties"];

#[derive(Default)]
struct Row {
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

pub(super) const HEAD: &str =
    "replay_id,seconds,player_id,player,event,card,from,to,context,detail,text\r";

/// Prints the rows of the wanted events of a replay, at most as many as remain.
pub(super) fn rows(
    printer: &mut Printer<'_, impl Write>,
    replay: &GameReplay<'_>,
) -> Result<(), ReplayError> {
    let mut names = Names::of(replay)?;
    let is_timeline = printer.arguments.format == Format::Timeline;
    if is_timeline {
        writeln!(printer.out, "{}{}", printer.file, title(replay)?)?;
    }
    for container in replay.event_list() {
        let container = container?;
        let context = container.context()?.and_then(|context| context.kind());
        let context = context.map_or("", |kind| kind.name());
        let seconds = container.seconds_elapsed();
        // The context, which may be long, is about the first event of a player.
        let mut seen = BTreeSet::new();
        let without_context = GameEventContainer { context: Nested::ABSENT, ..container };
        for event in container.event_list() {
            let event = event?;
            let mut row = row(&names, &event)?;
            // Of what a table cannot take, the numbers are shown.
            let player = event.player_id();
            let is_first = names.table.participant(player).is_some() && seen.insert(player);
            let of = if is_first { &container } else { &without_context };
            let _ = names.table.apply_event(of, &event);
            let filter = &printer.arguments.filter;
            if !filter.wants_kinds(&[row.event, context])
                || !filter.wants_player(row.player_id, row.player_id.map(|_| &*row.player))
            {
                continue;
            }
            if let Some(judge) = container.forced_by_judge {
                let judge = names.player(judge);
                let _ = write!(row.detail, " judge={judge}");
            }
            let line = if is_timeline {
                row.timeline(seconds, context)
            } else {
                row.csv(replay.replay_id(), seconds, context)
            };
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
    use GameEventKind as Kind;
    let bytes = event.to_vec();
    let whole = AnyMessage::new::<GameEvent<'_>>(&bytes);
    let number = |name| number(&whole, name);
    let id = |name| number(name).filter(|&id| id >= 0);
    let text = |name| text(&whole, name);
    let actor = event.player_id();
    // A zone of a player other than the acting one is shown with its owner.
    let place = |owner: Option<i32>, zone: Option<Text<'_>>| {
        let zone = zone.map_or_else(String::new, printable);
        match owner.filter(|&owner| owner >= 0 && owner != actor) {
            Some(owner) => format!("{zone} of {}", names.player(owner)),
            None => zone,
        }
    };
    let card = |owner: Option<i32>, id, name| names.card(owner.unwrap_or(actor), id, name);
    let player = |id: Option<i32>| id.map_or_else(String::new, |id| names.player(id));
    let (start, target) = (number("start_player_id"), number("target_player_id"));
    let card_id = number("card_id").or(number("start_card_id"));
    let zone = text("start_zone").or(text("zone_name"));
    let mut row = Row {
        player_id: id("player_id"),
        event: event.kind().map_or("UNKNOWN", |kind| kind.name()),
        card: card(start, card_id, text("card_name")) + &card_names(&whole),
        from: place(start.or(number("zone_owner_id")), zone),
        to: place(target, text("target_zone")),
        ..Row::default()
    };
    if let Some(id) = number("target_card_id") {
        let target = card(target, Some(id), None);
        row.detail = format!("target={target} ");
    }
    let mut without = COLUMNS;
    match event.kind() {
        Some(Kind::MoveCard) if text("target_zone").is_none() => row.to = place(target, zone),
        Some(Kind::DrawCards) => (row.from, row.to) = ("deck".into(), "hand".into()),
        Some(Kind::RevealCards) => row.to = player(id("other_player_id")),
        Some(Kind::CreateToken) => row.to = std::mem::take(&mut row.from),
        Some(Kind::CreateArrow) => {
            if text("target_zone").is_none() {
                row.to = player(target);
            }
            let _ = write!(row.detail, "arrow_id={}", number("id").unwrap_or_default());
        }
        Some(Kind::SetCounter | Kind::DelCounter) => {
            let counter = names.counter(actor, number("counter_id").unwrap_or_default());
            row.detail = format!("counter={counter}");
            without = &["counter_id"];
        }
        Some(Kind::SetActivePlayer) => {
            row.player_id = number("active_player_id").or(Some(0));
            without = &["active_player_id"];
        }
        Some(Kind::GameSay) => {
            let said = text("message").unwrap_or_default().to_string_lossy();
            let lines = said.split('\n').map(|line| escape(line.trim_end_matches('\r')));
            row.text = lines.collect::<Vec<_>>().join("\n");
        }
        _ => {}
    }
    summarize_payload(whole.fields()?, without, &mut row.detail);
    if let Some(Value::Message(properties)) = told(&whole, "player_properties") {
        // The number of who joins may be absent: it is 0.
        let joined = (event.kind() == Some(Kind::Join)).then_some(0);
        let named = self::number(&properties, "player_id").or(joined);
        row.player_id = row.player_id.or(named);
        write_fields(&properties, &["player_id", "user_info"], DEPTH, &mut row.detail);
    }
    row.player = player(row.player_id);
    Ok(row)
}

/// What an event says in the field with this name, be it one of its payload, or of the arrow or the player there: it means
/// the same in all events. They were checked before.
fn told<'a>(message: &AnyMessage<'a>, name: &str) -> Option<Value<'a>> {
    message.fields().ok()?.find_map(|(field, value)| match value {
        value if field.name == name => Some(value),
        Value::Message(of) if is_payload(field.name) || PARTS.contains(&field.name) => {
            told(&of, name)
        }
        _ => None,
    })
}

fn number(of: &AnyMessage<'_>, name: &str) -> Option<i32> {
    match told(of, name)? {
        Value::Number(Number::I32(number)) => Some(number),
        Value::Number(Number::U32(number)) => Some(number.cast_signed()),
        _ => None,
    }
}

fn text<'a>(of: &AnyMessage<'a>, name: &str) -> Option<Text<'a>> {
    match told(of, name)? {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

fn card_names(of: &AnyMessage<'_>) -> String {
    let Some(Value::List(cards)) = told(of, "cards") else {
        return String::new();
    };
    let names = cards.filter_map(|card| match card {
        Value::Message(card) => text(&card, "name").map(printable),
        _ => None,
    });
    let names: Vec<_> = names.filter(|name| !name.is_empty()).collect();
    names.join(" / ")
}

impl Row {
    fn csv(&self, replay_id: u64, seconds: u32, context: &str) -> String {
        let player_id = self.player_id.map_or_else(String::new, |id| id.to_string());
        let detail = Some(self.detail.trim()).filter(|_| self.text.is_empty());
        let cells: [&str; 11] = [
            &replay_id.to_string(),
            &seconds.to_string(),
            &player_id,
            &self.player,
            self.event,
            &self.card,
            &self.from,
            &self.to,
            context,
            detail.unwrap_or_default(),
            &self.text,
        ];
        cells.map(cell).join(",") + "\r"
    }

    fn timeline(&self, seconds: u32, context: &str) -> String {
        let (clock, player) = (clock(seconds), &self.player);
        let mut line = format!("{clock:>6}  {player:<16}  {:<24}", self.event);
        let places = match (&*self.from, &*self.to) {
            (from, to) if to.is_empty() || from == to => from.to_owned(),
            ("", to) => format!("-> {to}"),
            (from, to) => format!("{from} -> {to}"),
        };
        for part in [&self.card, &places] {
            if !part.is_empty() {
                let _ = write!(line, "  {part}");
            }
        }
        for (open, part, close) in [("[", self.detail.trim(), "]"), ("(", context, ")")] {
            if !part.is_empty() {
                let _ = write!(line, "  {open}{part}{close}");
            }
        }
        line.truncate(line.trim_end().len());
        line
    }
}

/// A cell of comma-separated values (RFC 4180).
pub(super) fn cell(text: &str) -> String {
    // A spreadsheet takes such a cell for a formula; an apostrophe makes it text.
    let is_formula = text.starts_with(['=', '+', '-', '@']) && text.parse::<f64>().is_err();
    let guard = if is_formula { "'" } else { "" };
    if text.contains([',', '"', '\r', '\n']) {
        format!("\"{guard}{}\"", text.replace('"', "\"\""))
    } else {
        format!("{guard}{text}")
    }
}

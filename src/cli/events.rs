//! `portreeve events`: lists the events for webhooks, and evaluates filters. It needs no configuration, gateway or server.

use std::fs::File;
use std::io;

use clap::{Arg, ArgMatches, Command};
use portreeve::groupware::{
    EventClasses, EventFilter, EventMatch, EventSample, JobLimit, KnownEvent, MatchResult,
};
use serde::Serialize;
use zeroize::Zeroizing;

use super::Failure;
use super::commands::{Row, argument, option, switch, text};
use super::output::print;
use super::terminal::{escape, escape_json};
use crate::config::Suggested;
use crate::files;

/// More than any event that a server delivers.
const MAX_SAMPLE: u64 = 1024 * 1024;

/// The exit code of a filter that does not match.
const DOES_NOT_MATCH: u8 = 1;

/// The exit code of a filter that is refused, or that cannot be evaluated here.
const NOT_JUDGED: u8 = 3;

pub(super) const COMMANDS: &[Row] =
    &[Row::One(list_command, list), Row::One(show_command, show), Row::One(match_command, judge)];

pub(super) fn command() -> Command {
    Command::new("events")
        .about("List the events that webhooks can be registered for, and try filters on them")
}

/// Adds the class. To be deferred: no other command needs the catalogue, and reading it takes milliseconds.
fn with_class(command: Command) -> Command {
    let names: Vec<_> = KnownEvent::all().map(KnownEvent::name).collect();
    let help = "The event class: its full name, or the last part of it";
    let class = argument("class", "CLASS", help).value_parser(Suggested::from_names(&names));
    command.arg(class.hide_possible_values(true))
}

fn json_argument() -> Arg {
    switch("json", "Print JSON, as the API returns it")
}

fn list_command() -> Command {
    Command::new("list").about("List the event classes").arg(json_argument())
}

fn list(matches: &ArgMatches) -> Result<(), Failure> {
    if matches.get_flag("json") {
        return print_json(&KnownEvent::all().collect::<Vec<_>>());
    }
    let mut rows = vec![["class", "part_of", "fires"]];
    rows.extend(KnownEvent::all().map(|event| [event.class, event.part_of, event.fires]));
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let (class_width, part_width) = (width(0), width(1));
    let mut out = String::new();
    for [class, part, fires] in rows {
        out += &format!("{class:class_width$}  {part:part_width$}  {fires}\n");
    }
    print(out.as_bytes())
}

fn show_command() -> Command {
    Command::new("show")
        .about("Show an event class: its fields, an example, and its known problems")
        .defer(with_class)
        .arg(json_argument())
}

fn show(matches: &ArgMatches) -> Result<(), Failure> {
    let name = text(matches, "class");
    let event = KnownEvent::named(name).ok_or_else(|| unknown(name))?;
    if matches.get_flag("json") {
        return print_json(event);
    }
    let known =
        if event.recorded { "recorded deliveries" } else { "the sources of the server or app" };
    let mut out = format!(
        "{}\n\nPart of   {}\nFires     {}\nKnown by  {known}\n",
        event.class, event.part_of, event.fires
    );
    for problem in &event.known_problems {
        out += &format!("Problem   {problem}\n");
    }
    out += "\nFields:\n";
    for field in &event.fields {
        let always = if field.always { ", always present" } else { "" };
        out += &format!("  {}: {}{always}\n      {}\n", field.path, field.kind, field.about);
        if let Some(not) = field.not_in_filters {
            out += &format!("      Not in filters: {not}.\n");
        }
    }
    let example: serde_json::Value = serde_json::from_str(&event.example())?;
    out += &format!("\nExample:\n{example:#}\n");
    print(out.as_bytes())
}

fn match_command() -> Command {
    Command::new("match")
        .about("Evaluate a filter on an event, and explain the result")
        .after_help(
            "The exit code is 0 if the filter matches, 1 if it does not, 3 if it is refused or \
             cannot be evaluated here, and 2 if the input is invalid.\n\n\
             portreeve events match NodeCreatedEvent \\\n  --filter '{\"event.node.path\": \
             \"/^\\\\/alice\\\\/files\\\\/Notes\\\\//\"}'",
        )
        .defer(with_class)
        .arg(option("filter", "JSON", "The filter, as in eventFilter").required(true))
        .arg(option(
            "sample",
            "FILE",
            "A file with the body of a delivery, or - for standard input; by default the example of the class",
        ))
        .arg(switch(
            "trusted",
            "Treat an unknown class as one of trusted_event_classes",
        ))
        .arg(json_argument())
}

fn judge(matches: &ArgMatches) -> Result<(), Failure> {
    let name = text(matches, "class");
    let known = KnownEvent::named(name);
    let class = known.map_or(name, |known| known.class);
    let trusted = matches.get_flag("trusted").then_some(class);
    let shape = EventClasses::trusting(trusted).shape(class);
    let sample = match (matches.get_one::<String>("sample"), known) {
        (Some(file), _) => read(file)?,
        (None, Some(known)) => known.example().into(),
        (None, None) => {
            return Err(Failure::usage(format_args!(
                "{}; pass the body of one of its deliveries with --sample",
                unknown(name).line
            )));
        }
    };
    let sample = EventSample::parse(&sample, class, shape)
        .map_err(|error| Failure::usage(format_args!("--sample: the sample {error}")))?;
    let filter = text(matches, "filter");
    serde_json::from_str::<serde::de::IgnoredAny>(filter)
        .map_err(|error| Failure::usage(format_args!("--filter: not valid JSON: {error}")))?;
    let found = match EventFilter::parse(filter, shape) {
        Ok(filter) => sample.judge(filter.as_ref(), JobLimit::default()),
        Err(fault) => EventMatch::refused(&fault),
    };
    if matches.get_flag("json") {
        print_json(&found)?;
    } else {
        print(in_words(&found).as_bytes())?;
    }
    match found.result {
        MatchResult::Matches => Ok(()),
        MatchResult::DoesNotMatch => Err(Failure::silent(DOES_NOT_MATCH)),
        MatchResult::Refused | MatchResult::Unknown => Err(Failure::silent(NOT_JUDGED)),
    }
}

fn in_words(found: &EventMatch) -> String {
    let result = match found.result {
        MatchResult::Matches => "matches",
        MatchResult::DoesNotMatch => "does not match",
        MatchResult::Refused => "refused",
        MatchResult::Unknown => "unknown",
    };
    let (reason, at) = (escape(&found.reason), escape(&found.at));
    match (found.result, at.is_empty()) {
        (MatchResult::Refused, false) => format!("{result}: {at}: {reason}\n"),
        (MatchResult::Refused, true) => format!("{result}: the filter {reason}\n"),
        _ => format!("{result}: {reason}\n"),
    }
}

fn read(file: &str) -> Result<Zeroizing<String>, Failure> {
    let read = match file {
        "-" => files::read_text_from(io::stdin().lock(), MAX_SAMPLE),
        file => File::open(file).and_then(|file| files::read_text_from(file, MAX_SAMPLE)),
    };
    read.map_err(|error| {
        Failure::usage(format_args!("--sample {file}: it cannot be read: {error}"))
    })
}

fn unknown(name: &str) -> Failure {
    let meant = KnownEvent::meant_by(name).map(|known| format!("; is it {}?", known.name()));
    Failure::usage(format_args!(
        "unknown event class {name:?}; `portreeve events list` lists the known ones{}",
        meant.unwrap_or_default()
    ))
}

fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let mut out = String::new();
    for line in serde_json::to_string_pretty(value)?.lines() {
        let mut line = line.to_owned();
        escape_json(&mut line);
        out += &(line + "\n");
    }
    print(out.as_bytes())
}

//! `portreeve deliveries`: what has been received and sent, and who may send.

use std::fmt::Display;
use std::str::FromStr;

use clap::{Arg, ArgMatches, Command};
use portreeve::deliveries::queue::MAX_PAGE;
use portreeve::deliveries::{
    Attempt, Deliveries, Delivery, DeliveryId, DeliveryState, Retried, Scope, Target, TargetId,
    TargetState,
};
use portreeve::gateway::Endpoint;
use serde_json::{Value, json};

use super::commands::{Row, option, switch, text};
use super::output::{Records, cell, json_switch, print, say, time};
use super::terminal::escape;
use super::{Failure, block_on, open};
use crate::config::setting::Group;
use crate::config::{DeliveriesConfig, Sources, sender};

/// How often a change is made again that crossed with another one.
const TRIES: usize = 64;

const VAULT: &[Group] = &[Group::Vault];

pub(super) const COMMANDS: &[Row] = &[
    Row::WithSettings(targets_command, VAULT, targets),
    Row::WithSettings(list_command, VAULT, list),
    Row::WithSettings(show_command, VAULT, show),
    Row::WithSettings(retry_command, VAULT, retry),
    Row::WithSettings(
        || target_command("pause", "Send nothing to a target; what arrives waits"),
        VAULT,
        |matches, sources| change(matches, sources, Some(TargetState::Paused)),
    ),
    Row::WithSettings(
        || target_command("resume", "Send to a paused or disabled target again"),
        VAULT,
        |matches, sources| change(matches, sources, Some(TargetState::Active)),
    ),
    Row::WithSettings(
        || target_command("remove", "Remove a target, and what waits for it"),
        VAULT,
        |matches, sources| change(matches, sources, None),
    ),
    Row::WithSettings(address_command, &[Group::Deliveries], address),
];

pub(super) fn command() -> Command {
    Command::new("deliveries").about(
        "List the targets and deliveries that the gateway stores, send some again, pause or remove targets, and show the \
         address of deliveries; used with deliveries = true",
    )
}

fn targets_command() -> Command {
    Command::new("targets")
        .about("List the targets, and since when all attempts at one fail")
        .arg(json_switch())
}

fn targets(matches: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let columns = ["id", "user", "state", "pending", "failing_since", "uri"];
    with_deliveries(sources, async |deliveries| {
        let mut records = Records::new(matches, columns)?;
        let add = async |target: Target| {
            let settings = deliveries.open_target(&target).await;
            records.add([
                target.id.to_string().into(),
                target.account.as_deref().unwrap_or("*").into(),
                target.state.as_str().into(),
                target.waiting.into(),
                target.failing_since.map(time).into(),
                // Its key is missing.
                settings.ok().map(|settings| settings.uri).into(),
            ])
        };
        for_each_target(&deliveries, add).await?;
        records.end()
    })
}

fn list_command() -> Command {
    let state = option("state", "STATE", "Only those in this state")
        .value_parser(DeliveryState::ALL.map(DeliveryState::as_str));
    let target = option("target", "ID", "Only those to the target with this id");
    Command::new("list")
        .about("List the deliveries to each target, the newest first; their ids end in that of the target")
        .arg(target)
        .arg(state)
        .arg(json_switch())
}

fn list(matches: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let only: Option<TargetId> = match matches.contains_id("target") {
        true => Some(parsed(matches, "target", "--target")?),
        false => None,
    };
    let state = matches.get_one::<String>("state");
    let state = state.and_then(|state| state.parse().ok());
    with_deliveries(sources, async |deliveries| {
        let queue = deliveries.queue();
        let found = match only {
            Some(id) => queue.target(Scope::All, id).await?,
            None => None,
        };
        if let (Some(id), None) = (only, &found) {
            return Err(unknown("--target", "target", id, "targets"));
        }
        let mut records = Records::new(matches, COLUMNS)?;
        let mut add = async |target: Target| {
            let page = |before| queue.deliveries(Scope::All, target.id, state, before, MAX_PAGE);
            let mut before = None;
            // One that is removed meanwhile has no page.
            while let Some(page) = page(before).await?
                && let Some(last) = page.last()
            {
                before = Some(last.position);
                for delivery in &page {
                    records.add(values(delivery))?;
                }
            }
            Ok(())
        };
        match found {
            Some(target) => add(target).await?,
            None => for_each_target(&deliveries, add).await?,
        }
        records.end()
    })
}

fn show_command() -> Command {
    Command::new("show")
        .about("Show a delivery, and each of its attempts")
        .arg(id_argument())
        .arg(switch("json", "Print a JSON object"))
}

fn show(matches: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let id: DeliveryId = parsed(matches, "id", "ID")?;
    with_deliveries(sources, async |deliveries| {
        let delivery = deliveries.queue().delivery(Scope::All, id).await?;
        let delivery = delivery.ok_or_else(|| unknown("ID", "delivery", id, "list"))?;
        let attempts: Vec<_> = delivery.attempts.iter().map(attempt).collect();
        let (mut columns, mut values) = (COLUMNS, values(&delivery));
        if matches.get_flag("json") {
            (columns[6], values[6]) = ("attempts", attempts.into());
            let mut records = Records::new(matches, columns)?;
            records.add(values)?;
            return records.end();
        }
        let named = columns[..6].iter().copied().zip(&values);
        let set = named.filter(|(_, value)| !value.is_null());
        let all = set.chain(attempts.iter().map(|attempt| ("attempt", attempt)));
        let text: String = all
            .map(|(name, value)| format!("{name}\t{}\n", cell(value)))
            .collect();
        print(text.as_bytes())
    })
}

fn retry_command() -> Command {
    let about = "Send a delivery that is pending or failed again at once; a running gateway does so within a second";
    Command::new("retry").about(about).arg(id_argument())
}

fn retry(matches: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let id: DeliveryId = parsed(matches, "id", "ID")?;
    with_deliveries(sources, async |deliveries| {
        match deliveries.queue().retry(Scope::All, id).await? {
            Some(Retried::Delivered) => {
                let arrived = format_args!("ID: the delivery {id} has arrived already");
                return Err(Failure::new(arrived));
            }
            Some(Retried::UnderWay) => {
                say(format_args!("an attempt of the delivery {id} is under way"));
            }
            Some(Retried::Due) => {
                let target = deliveries.queue().target(Scope::All, id.target).await?;
                let later = target.map(|target| target.state.wait_of("its"));
                let later = later.unwrap_or_default();
                say(format_args!("the delivery {id} is sent again{later}"));
            }
            None => return Err(unknown("ID", "delivery", id, "list")),
        }
        Ok(())
    })
}

fn target_command(name: &'static str, about: &'static str) -> Command {
    let id = Arg::new("target").value_name("TARGET").required(true);
    let id = id.help("The id of the target");
    Command::new(name).about(about).arg(id)
}

/// Gives a target this state, whatever it had; without one, removes it.
fn change(
    matches: &ArgMatches,
    sources: &Sources<'_>,
    state: Option<TargetState>,
) -> Result<(), Failure> {
    let id: TargetId = parsed(matches, "target", "TARGET")?;
    with_deliveries(sources, async |deliveries| {
        let queue = deliveries.queue();
        for _ in 0..TRIES {
            let found = queue.target(Scope::All, id).await?;
            let found = found.ok_or_else(|| unknown("TARGET", "target", id, "targets"))?;
            let (waiting, revision) = (found.waiting, found.revision);
            let is_changed = match state {
                None => queue.remove_target(Scope::All, id).await?,
                Some(state) => {
                    let changing =
                        queue.change_target(Scope::All, id, revision, state, found.sealed);
                    changing.await?
                }
            };
            if !is_changed {
                continue;
            }
            let rest = match state {
                None => "are not sent, unless an attempt is under way",
                Some(TargetState::Active) if found.state == TargetState::Disabled => {
                    "are sent when due; what arrived while it was disabled is not among them"
                }
                Some(TargetState::Active) => "are sent when due",
                Some(_) => {
                    "and what arrives meanwhile wait until it is resumed, at most for deliveries_keep"
                }
            };
            let now = state.map_or("removed", TargetState::as_str);
            say(format_args!(
                "the target {id} is {now}: the deliveries that wait for it ({waiting}) {rest}"
            ));
            return Ok(());
        }
        let busy = "is being changed by others, and was left as it is: run this again";
        Err(Failure::new(format_args!("TARGET: the target {id} {busy}")))
    })
}

fn address_command() -> Command {
    Command::new("address")
        .about("Print the address to which deliveries are sent, and the credential of whoever sends them")
        .after_help(
            "The credential is sent as `Authorization: Bearer <credential>`. Webhooks that this gateway \
             registers have it already; the app Astrolabe takes it as mcp_webhook_secret.",
        )
}

fn address(_: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let (url, auth) = sender(sources)?;
    if DeliveriesConfig::read(sources)?.is_none() {
        say(
            "portreeve: warning: deliveries are switched off: set deliveries = true for the gateway",
        );
    }
    let address = format!("{url}{}", Endpoint::ReceiveDelivery.as_str());
    let credential = auth.authorization_for(&address);
    let credential = credential.expose().trim_start_matches("Bearer ");
    print(format!("address\t{address}\ncredential\t{credential}\n").as_bytes())
}

/// Does `work` with what the configured database has.
fn with_deliveries(
    sources: &Sources<'_>,
    work: impl AsyncFnOnce(Deliveries) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let config = open::existing(sources)?;
    block_on(async { work(open::deliveries(&config).await?).await })
}

/// Does `work` with each target, in the order of their ids.
async fn for_each_target(
    deliveries: &Deliveries,
    mut work: impl AsyncFnMut(Target) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut after = None;
    loop {
        let page = deliveries.queue().targets(Scope::All, after, MAX_PAGE);
        let page = page.await?;
        let Some(last) = page.last() else {
            return Ok(());
        };
        after = Some(last.id);
        for target in page {
            work(target).await?;
        }
    }
}

fn id_argument() -> Arg {
    let id = Arg::new("id").value_name("ID").required(true);
    id.help("The id of the delivery")
}

fn parsed<T: FromStr>(matches: &ArgMatches, name: &str, shown: &str) -> Result<T, Failure> {
    let text = text(matches, name);
    let parsed = text.parse();
    parsed.map_err(|_| Failure::new(format_args!("{shown}: {} is no such id", escape(text))))
}

fn unknown(shown: &str, kind: &str, id: impl Display, list: &str) -> Failure {
    let lists = format_args!("`portreeve deliveries {list}` lists them");
    Failure::new(format_args!("{shown}: there is no {kind} {id}: {lists}"))
}

/// What is shown of a delivery.
const COLUMNS: [&str; 7] = [
    "id",
    "received_at",
    "event",
    "state",
    "attempt_count",
    "next_attempt_at",
    "last_attempt",
];

fn values(delivery: &Delivery) -> [Value; 7] {
    [
        delivery.id.to_string().into(),
        time(delivery.received_at),
        (*delivery.class).into(),
        delivery.state.as_str().into(),
        delivery.attempts.len().into(),
        delivery.due_at.map(time).into(),
        delivery.attempts.last().map(attempt).into(),
    ]
}

fn attempt(attempt: &Attempt) -> Value {
    let (at, outcome) = (time(attempt.at), attempt.outcome.as_str());
    json!({"at": at, "outcome": outcome, "status": attempt.status})
}

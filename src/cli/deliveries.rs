//! `portreeve deliveries`: what has been received and sent, and who may send.

use std::fmt::Display;
use std::str::FromStr;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use portreeve::audit::{Action, Attempt};
use portreeve::deliveries::queue::MAX_PAGE;
use portreeve::deliveries::{
    AttemptOutcome, Deliveries, Delivery, DeliveryId, DeliveryState, Networks, PastAttempt,
    Retried, Scope, Sender, Suspension, Target, TargetId, TargetState,
};
use portreeve::gateway::Endpoint;
use portreeve::groupware::KnownEvent;
use serde_json::{Value, json};

use super::commands::{CHANGES, Row, VAULT, argument, option, switch, text};
use super::output::{Records, cell, json_switch, print, say, time};
use super::terminal::escape;
use super::{Failure, audit, block_on, open};
use crate::config::setting::{DELIVERY_NETWORKS, Group};
use crate::config::{DeliveriesConfig, Sources, sender};

/// How often a change is made again that crossed with another one.
const TRIES: usize = 64;

pub(super) const COMMANDS: &[Row] = &[
    Row::WithSettings(targets_command, VAULT, targets),
    Row::WithSettings(list_command, VAULT, list),
    Row::WithSettings(show_command, VAULT, show),
    Row::WithSettings(retry_command, CHANGES, retry),
    Row::WithSettings(
        || target_command("pause", "Send nothing to a target; what arrives waits"),
        CHANGES,
        |matches, sources| change(matches, sources, Some(TargetState::Paused)),
    ),
    Row::WithSettings(
        || target_command("resume", "Send to a paused or disabled target again"),
        CHANGES,
        |matches, sources| change(matches, sources, Some(TargetState::Active)),
    ),
    Row::WithSettings(
        || target_command("remove", "Remove a target, and what waits for it"),
        CHANGES,
        |matches, sources| change(matches, sources, None),
    ),
    Row::WithSettings(test_command, &[Group::Vault, Group::Deliveries], test),
    Row::WithSettings(address_command, &[Group::Deliveries], address),
];

pub(super) fn command() -> Command {
    Command::new("deliveries").about(
        "List the targets and deliveries that the gateway stores, send some again, test, pause or remove targets, and show the \
         address of deliveries; used with deliveries = true",
    )
}

fn targets_command() -> Command {
    Command::new("targets")
        .about("List the targets, and since when all attempts at one fail")
        .arg(json_switch())
}

fn targets(matches: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let columns =
        ["id", "user", "state", "suspended", "made_by", "pending", "failing_since", "uri"];
    with_deliveries(sources, async |deliveries| {
        let mut records = Records::new(matches, columns)?;
        let add = async |target: Target| {
            let settings = deliveries.open_target(&target).await;
            records.add([
                target.id.to_string().into(),
                target.account.as_deref().unwrap_or("*").into(),
                target.shown_state().into(),
                target.suspended.map(Suspension::as_str).into(),
                (*target.maker.account).into(),
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
    let states = DeliveryState::ALL.iter().map(|state| state.as_str());
    let states = PossibleValuesParser::new(states);
    Command::new("list")
        .about("List the deliveries to each target, the newest first; their ids end in that of the target")
        .arg(option("target", "ID", "Only those to the target with this id"))
        .arg(option("state", "STATE", "Only those in this state").value_parser(states))
        .arg(json_switch())
}

fn list(matches: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let has_target = matches.contains_id("target");
    let only = has_target.then(|| parsed::<TargetId>(matches, "target", "--target"));
    let only = only.transpose()?;
    let state = matches.get_one::<String>("state");
    let state = state.and_then(|state| state.parse().ok());
    with_deliveries(sources, async |deliveries| {
        let queue = deliveries.queue();
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
        match only {
            Some(id) => {
                let target = queue.target(Scope::All, id).await?;
                add(target.ok_or_else(|| unknown("--target", "target", id, "targets"))?).await?;
            }
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
        let set = columns[..6].iter().copied().zip(&values).filter(|(_, value)| !value.is_null());
        let all = set.chain(attempts.iter().map(|attempt| ("attempt", attempt)));
        let text: String = all.map(|(name, value)| format!("{name}\t{}\n", cell(value))).collect();
        print(text.as_bytes())
    })
}

fn retry_command() -> Command {
    let about = "Send a delivery that is pending or failed again at once; a running gateway does so within a second";
    Command::new("retry").about(about).arg(id_argument())
}

fn retry(matches: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let id: DeliveryId = parsed(matches, "id", "ID")?;
    let work = async |deliveries: Deliveries, _: &Attempt| {
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
                let later = target.map(|target| target.wait_of("its")).unwrap_or_default();
                say(format_args!("the delivery {id} is sent again{later}"));
            }
            None => return Err(unknown("ID", "delivery", id, "list")),
        }
        Ok(())
    };
    changed(sources, Action::ReplayTarget, id.target, work)
}

fn target_command(name: &'static str, about: &'static str) -> Command {
    Command::new(name).about(about).arg(argument("target", "TARGET", "The id of the target"))
}

/// Gives a target this state, whatever it had; without one, removes it.
fn change(
    matches: &ArgMatches,
    sources: &Sources<'_>,
    state: Option<TargetState>,
) -> Result<(), Failure> {
    let id: TargetId = parsed(matches, "target", "TARGET")?;
    let action = match state {
        None => Action::RemoveTarget,
        Some(_) => Action::ChangeTarget,
    };
    changed(sources, action, id, async |deliveries, attempt| {
        let queue = deliveries.queue();
        for _ in 0..TRIES {
            let found = queue.target(Scope::All, id).await?;
            let found = found.ok_or_else(|| unknown("TARGET", "target", id, "targets"))?;
            attempt.found_target(id, found.account.as_deref());
            let is_changed = match state.map(|state| (found.revision, state)) {
                None => queue.remove_target(Scope::All, id).await?,
                Some(to) => queue.change_target(Scope::All, id, to, found.sealed, None).await?,
            };
            if !is_changed {
                continue;
            }
            let missed = format!(
                "are sent when due; what arrived while it was disabled ({}) is not among them: a replay sends it",
                found.missed
            );
            let rest = match state {
                None => "are not sent, unless an attempt is under way",
                Some(TargetState::Active) if found.suspended.is_some() => {
                    "wait all the same: it is suspended until the cause of that ends, or somebody adopts it (PATCH with \
                     \"adopt\": true)"
                }
                Some(TargetState::Active) if found.state == TargetState::Disabled => &missed,
                Some(TargetState::Active) => "are sent when due",
                Some(_) => {
                    "and what arrives meanwhile wait until it is resumed, at most for deliveries_keep"
                }
            };
            let now = state.map_or("removed", TargetState::as_str);
            let waiting = found.waiting;
            say(format_args!(
                "the target {id} is {now}: the deliveries that wait for it ({waiting}) {rest}"
            ));
            return Ok(());
        }
        let busy = "is being changed by others, and was left as it is: run this again";
        Err(Failure::new(format_args!("TARGET: the target {id} {busy}")))
    })
}

fn test_command() -> Command {
    let about = "Send a signed sample to a target at once, and print what it answers; the exit code is 1 unless that is 2xx";
    let help =
        "The class of the sample; by default the first one of the target's, or NodeCreatedEvent";
    target_command("test", about).arg(option("event", "CLASS", help))
}

fn test(matches: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let id: TargetId = parsed(matches, "target", "TARGET")?;
    let networks = sources.get_opt(DELIVERY_NETWORKS)?;
    let sender = Sender::with_system_roots(Networks::new(networks.unwrap_or_default()));
    with_deliveries(sources, async |deliveries| {
        let target = deliveries.queue().target(Scope::All, id).await?;
        let target = target.ok_or_else(|| unknown("TARGET", "target", id, "targets"))?;
        let failed = |why: &str| Failure::new(format_args!("TARGET: the target {id} {why}"));
        if target.suspended.is_some() {
            return Err(failed("is suspended"));
        }
        let settings = deliveries.open_target(&target).await?;
        let class: Option<&String> = matches.get_one("event").or(settings.events.first());
        let class = class.map_or("NodeCreatedEvent", String::as_str);
        let known = KnownEvent::find(class).or_else(|| KnownEvent::named(class));
        let lists = "`portreeve events list` lists those there are";
        let unknown = || format!("--event: there is no sample of {}: {lists}", escape(class));
        let sample = known.ok_or_else(|| Failure::new(unknown()))?.example();
        let answer = deliveries.test(&sender, &target, sample.into()).await?;
        let status = answer.status.map(|it| format!(" {}", it.as_u16()));
        let (outcome, status) = (answer.outcome.as_str(), status.unwrap_or_default());
        print(format!("{outcome}{status}\n").as_bytes())?;
        match answer.outcome {
            AttemptOutcome::Delivered => Ok(()),
            _ => Err(failed("has not accepted the sample")),
        }
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

fn with_deliveries(
    sources: &Sources<'_>,
    work: impl AsyncFnOnce(Deliveries) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let config = open::existing(sources)?;
    block_on(async { work(open::deliveries(&config).await?).await })
}

/// Does `work` with what the configured database has, and records it as that action on the target `id`.
fn changed(
    sources: &Sources<'_>,
    action: Action,
    id: TargetId,
    work: impl AsyncFnOnce(Deliveries, &Attempt) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let config = open::existing(sources)?;
    audit::audited(sources, action, |attempt| {
        attempt.found_target_id(id);
        block_on(async { work(open::deliveries(&config).await?, attempt).await })
    })
}

async fn for_each_target(
    deliveries: &Deliveries,
    mut work: impl AsyncFnMut(Target) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut after = None;
    loop {
        let page = deliveries.queue().targets(Scope::All, after, MAX_PAGE).await?;
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
    argument("id", "ID", "The id of the delivery")
}

fn parsed<T: FromStr>(matches: &ArgMatches, name: &str, shown: &str) -> Result<T, Failure> {
    let text = text(matches, name);
    let unread = |_| Failure::new(format_args!("{shown}: {} is no such id", escape(text)));
    text.parse().map_err(unread)
}

fn unknown(shown: &str, kind: &str, id: impl Display, list: &str) -> Failure {
    let lists = format_args!("`portreeve deliveries {list}` lists them");
    Failure::new(format_args!("{shown}: there is no {kind} {id}: {lists}"))
}

const COLUMNS: [&str; 7] =
    ["id", "received_at", "event", "state", "attempt_count", "next_attempt_at", "last_attempt"];

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

fn attempt(attempt: &PastAttempt) -> Value {
    let (at, outcome) = (time(attempt.at), attempt.outcome.as_str());
    json!({"at": at, "outcome": outcome, "status": attempt.status})
}

//! `portreeve deliveries`: what has been received and sent, and who may send.

use std::str::FromStr;

use clap::{Arg, ArgMatches, Command};
use portreeve::deliveries::queue::MAX_PAGE;
use portreeve::deliveries::{
    Attempt, Deliveries, Delivery, DeliveryId, DeliveryState, Scope, TargetId,
};
use portreeve::gateway::Endpoint;

use super::commands::{Row, option, text};
use super::output::{Records, json_switch, print, say, time};
use super::terminal::escape;
use super::{Failure, block_on, open};
use crate::config::setting::Group;
use crate::config::{DeliveriesConfig, Sources, sender};

pub(super) const COMMANDS: &[Row] = &[
    Row::WithSettings(targets_command, &[Group::Vault], targets),
    Row::WithSettings(list_command, &[Group::Vault], list),
    Row::WithSettings(show_command, &[Group::Vault], show),
    Row::WithSettings(retry_command, &[Group::Vault], retry),
    Row::WithSettings(address_command, &[Group::Deliveries], address),
];

pub(super) fn command() -> Command {
    Command::new("deliveries").about(
        "List the targets and deliveries that the gateway stores, send some again, and show the address of deliveries; \
         used with deliveries = true",
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
        let mut after = None;
        loop {
            let page = deliveries.queue().targets(Scope::All, after, MAX_PAGE);
            let page = page.await?;
            for target in &page {
                let settings = deliveries.open_target(target).await;
                let is_closed = records.add([
                    Some(target.id.to_string()),
                    Some(target.account.as_deref().unwrap_or("*").to_owned()),
                    Some(target.state.as_str().to_owned()),
                    Some(target.waiting.to_string()),
                    target.failing_since.and_then(time),
                    // Its key is missing.
                    settings.ok().map(|settings| settings.uri),
                ])?;
                if is_closed {
                    return Ok(());
                }
            }
            match page.last() {
                Some(last) if page.len() == MAX_PAGE => after = Some(last.id),
                _ => return records.end(),
            }
        }
    })
}

fn list_command() -> Command {
    let state = option("state", "STATE", "Only those in this state")
        .value_parser(DeliveryState::ALL.map(DeliveryState::as_str));
    let target = option("target", "ID", "The id of the target");
    Command::new("list")
        .about("List the deliveries to a target, the newest first")
        .arg(target)
        .arg(state)
        .arg(json_switch())
}

fn list(matches: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    if !matches.contains_id("target") {
        let missing = "--target ID: `portreeve deliveries targets` lists the ids";
        return Err(Failure::usage(missing));
    }
    let target: TargetId = parsed(matches, "target", "--target")?;
    let state = matches.get_one::<String>("state");
    let state = state.and_then(|state| state.parse().ok());
    with_deliveries(sources, async |deliveries| {
        let mut records = None;
        let mut before = None;
        loop {
            let page = deliveries
                .queue()
                .deliveries(Scope::All, target, state, before, MAX_PAGE);
            let page = page.await?.ok_or_else(|| {
                Failure::new(format_args!(
                    "--target: there is no target {target}: `portreeve deliveries targets` lists them"
                ))
            })?;
            let records = match &mut records {
                Some(records) => records,
                none => none.insert(Records::new(matches, COLUMNS)?),
            };
            for delivery in &page {
                if records.add(values(delivery))? {
                    return Ok(());
                }
            }
            match page.last() {
                Some(last) if page.len() == MAX_PAGE => before = Some(last.position),
                _ => return records.end(),
            }
        }
    })
}

fn show_command() -> Command {
    Command::new("show")
        .about("Show a delivery, and each of its attempts")
        .arg(id_argument())
}

fn show(matches: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let id: DeliveryId = parsed(matches, "id", "ID")?;
    with_deliveries(sources, async |deliveries| {
        let delivery = deliveries.queue().delivery(Scope::All, id).await?;
        let delivery = delivery.ok_or_else(|| unknown(id))?;
        // All but the last attempt.
        let named = COLUMNS[..6].iter().zip(values(&delivery));
        let shown = |value: String| escape(&value).to_string();
        let named = named.filter_map(|(name, value)| value.map(shown).map(|it| (name, it)));
        let mut text: String = named.map(|(name, it)| format!("{name}\t{it}\n")).collect();
        text.extend((delivery.attempts.iter()).map(|it| format!("attempt\t{}\n", attempt(it))));
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
            Some(true) => {
                let target = deliveries.queue().target(Scope::All, id.target).await?;
                let later = target.map(|target| target.state.wait_of("its"));
                let later = later.unwrap_or_default();
                say(format_args!("the delivery {id} is sent again{later}"));
            }
            Some(false) => {
                let arrived = format_args!("ID: the delivery {id} has arrived already");
                return Err(Failure::new(arrived));
            }
            None => return Err(unknown(id)),
        }
        Ok(())
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

fn id_argument() -> Arg {
    Arg::new("id")
        .value_name("ID")
        .help("The id of the delivery")
        .required(true)
}

fn parsed<T: FromStr>(matches: &ArgMatches, name: &str, shown: &str) -> Result<T, Failure> {
    let text = text(matches, name);
    let parsed = text.parse();
    parsed.map_err(|_| Failure::new(format_args!("{shown}: {} is no such id", escape(text))))
}

fn unknown(id: DeliveryId) -> Failure {
    let lists = "`portreeve deliveries list --target ID` lists those of a target";
    Failure::new(format_args!("ID: there is no delivery {id}: {lists}"))
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

fn values(delivery: &Delivery) -> [Option<String>; 7] {
    [
        Some(delivery.id.to_string()),
        time(delivery.received_at),
        Some(delivery.class.to_string()),
        Some(delivery.state.as_str().to_owned()),
        Some(delivery.attempts.len().to_string()),
        delivery.due_at.and_then(time),
        delivery.attempts.last().map(attempt),
    ]
}

fn attempt(attempt: &Attempt) -> String {
    let at = time(attempt.at).unwrap_or_default();
    let outcome = attempt.outcome.as_str();
    match attempt.status {
        Some(status) => format!("{at} {outcome} {status}"),
        None => format!("{at} {outcome}"),
    }
}

//! Checks an assumption of the reader about the schema.

use std::collections::BTreeSet;

use super::command::CommandContainer;
use super::response::Response;
use super::{GameReplay, ServerMessage};
use crate::game::runtime::decode::Decode;
use crate::game::runtime::describe::{Description, ValueKind};
use crate::game::runtime::fragments::MAX_STEPS;

#[test]
fn a_message_in_fragments_has_a_path() {
    let mut seen = BTreeSet::new();
    for root in [
        ServerMessage::DESCRIPTION,
        Response::DESCRIPTION,
        CommandContainer::DESCRIPTION,
        GameReplay::DESCRIPTION,
    ] {
        check(root, &mut seen);
    }
    assert!(seen.len() > 20, "{seen:?}");
}

/// Checks a message, and what it has lists of.
fn check(message: &'static Description, seen: &mut BTreeSet<&'static str>) {
    if seen.insert(message.name) {
        let steps = steps(message, seen);
        assert!(steps <= MAX_STEPS, "{} has {steps} levels", message.name);
    }
}

/// The depth of nested sub-messages that are not repeated.
fn steps(message: &'static Description, seen: &mut BTreeSet<&'static str>) -> usize {
    let payloads = message.payloads.iter().map(|known| (known.message)());
    let mut deepest = payloads
        .map(|payload| 1 + steps(payload, seen))
        .max()
        .unwrap_or(0);
    for field in message.fields {
        match field.kind {
            ValueKind::Message(of) if field.is_repeated() => check(of(), seen),
            ValueKind::Message(of) => deepest = deepest.max(1 + steps(of(), seen)),
            _ => {}
        }
    }
    deepest
}

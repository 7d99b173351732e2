//! The JSON of a server's envelope.

use std::fmt::Write as _;

use portreeve::game::json::{JsonError, Members};
use portreeve::game::visit::{Field, Visitor};
use portreeve::game::{Message, MessageType, Nested, ServerMessage, UnknownFields};

/// A callback for the unknown fields of each message, with the names of the fields on the path to it.
pub(super) type OnUnknown<'o> = dyn FnMut(&[&'static str], &UnknownFields<'_>) + 'o;

/// Appends the members of an envelope, and its type if they do not show it.
pub(super) fn write<'o>(
    message: &ServerMessage<'_>,
    line: &'o mut String,
    on_unknown: &'o mut OnUnknown<'o>,
) -> Result<(), JsonError> {
    let kind = message.message_type();
    if kind != MessageType::Response || !message.response.is_present() {
        // Writing to memory does not fail.
        let _ = write!(line, ",\"type\":\"{kind}\"");
    }
    let members = Members::after_others(line).on_unknown(on_unknown);
    message.visit(&mut Envelope(members))
}

/// The members of an envelope without its type, which the line shows separately.
struct Envelope<'o>(Members<'o>);

// === impl Envelope ===

impl<'a> Visitor<'a> for Envelope<'_> {
    type Error = JsonError;

    fn message<M: Message<'a>>(
        &mut self,
        field: Field,
        value: &Nested<'a, M>,
    ) -> Result<(), Self::Error> {
        self.0.message(field, value)
    }

    fn unknown(&mut self, fields: &UnknownFields<'a>) -> Result<(), Self::Error> {
        self.0.unknown(fields)
    }
}

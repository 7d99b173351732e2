//! Walking the fields of any message, by number, name and value.
//!
//! A visitor that goes into sub-messages recurses, as deep as a peer likes. Bound the depth, or
//! visit only messages that [`check`](super::check) accepts: those have
//! [`MAX_DEPTH`](super::MAX_DEPTH) levels at most.

use super::message::Message;
use super::nested::Nested;
use super::repeated::Repeated;
use super::scalar::{Enumeration, Scalar};
use super::text::Text;
use super::unknown::UnknownFields;

/// A field of the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its number.
    pub number: u32,
    /// Its name, an extension's in brackets: `[Response_Login.ext]`.
    pub name: &'static str,
}

/// What [`Message::visit`] shows the fields to. Only fields that are present are shown.
pub trait Visitor<'a> {
    /// What can go wrong; it ends the visit.
    type Error;

    /// A number or a boolean.
    fn scalar<S: Scalar>(&mut self, field: Field, value: S::Value) -> Result<(), Self::Error>;

    /// Text, unchecked.
    fn text(&mut self, field: Field, value: Text<'a>) -> Result<(), Self::Error>;

    /// Bytes.
    fn bytes(&mut self, field: Field, value: &'a [u8]) -> Result<(), Self::Error>;

    /// An enum.
    fn enumeration<E: Enumeration>(&mut self, field: Field, value: E) -> Result<(), Self::Error>;

    /// A sub-message, not read yet.
    fn message<M: Message<'a>>(
        &mut self,
        field: Field,
        value: &Nested<'a, M>,
    ) -> Result<(), Self::Error>;

    /// A list of numbers.
    fn scalars<S: Scalar>(
        &mut self,
        field: Field,
        values: &Repeated<'a, S>,
    ) -> Result<(), Self::Error>;

    /// A list of texts.
    fn texts(&mut self, field: Field, values: &Repeated<'a, Text<'a>>) -> Result<(), Self::Error>;

    /// A list of messages, not read yet.
    fn messages<M: Message<'a>>(
        &mut self,
        field: Field,
        values: &Repeated<'a, M>,
    ) -> Result<(), Self::Error>;

    /// What the schema does not have; the last call, made where there is any.
    fn unknown(&mut self, fields: &UnknownFields<'a>) -> Result<(), Self::Error>;
}

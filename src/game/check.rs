use super::error::DecodeError;
use super::message::{Message, Rules};
use super::nested::Nested;
use super::repeated::Repeated;
use super::scalar::{Enumeration, Scalar};
use super::text::Text;
use super::unknown::UnknownFields;
use super::visit::{Field, Visitor};

/// Reads everything below a message and tells whether Google's protobuf libraries would accept it:
/// the bytes are fields on every level, required fields are there, and nothing lies deeper than
/// [`MAX_DEPTH`](super::MAX_DEPTH) levels. Text may be any bytes.
///
/// # Errors
/// [`DecodeError`]; its offset counts from the start of `message` where that is a
/// [`Response`](super::Response), otherwise from the start of the message that it names.
pub fn check<'a, M: Message<'a>>(message: &M) -> Result<(), DecodeError> {
    let mut check = Check { rules: Rules::FULL };
    let checked = match message.missing() {
        Some(field) => Err(DecodeError::missing::<M>(field)),
        None => message.visit(&mut check),
    };
    checked.map_err(|error| match message.origin() {
        Some(origin) => error.within(origin),
        None => error,
    })
}

struct Check {
    rules: Rules,
}

impl<'a> Visitor<'a> for Check {
    type Error = DecodeError;

    fn scalar<S: Scalar>(&mut self, _: Field, _: S::Value) -> Result<(), DecodeError> {
        Ok(())
    }

    fn text(&mut self, _: Field, _: Text<'a>) -> Result<(), DecodeError> {
        Ok(())
    }

    fn bytes(&mut self, _: Field, _: &'a [u8]) -> Result<(), DecodeError> {
        Ok(())
    }

    fn enumeration<E: Enumeration>(&mut self, _: Field, _: E) -> Result<(), DecodeError> {
        Ok(())
    }

    fn message<M: Message<'a>>(
        &mut self,
        _: Field,
        value: &Nested<'a, M>,
    ) -> Result<(), DecodeError> {
        match self.rules.descend(value)? {
            Some((message, rules)) => message.visit(&mut Self { rules }),
            None => Ok(()),
        }
    }

    fn scalars<S: Scalar>(&mut self, _: Field, _: &Repeated<'a, S>) -> Result<(), DecodeError> {
        Ok(())
    }

    fn texts(&mut self, _: Field, _: &Repeated<'a, Text<'a>>) -> Result<(), DecodeError> {
        Ok(())
    }

    fn messages<M: Message<'a>>(
        &mut self,
        field: Field,
        values: &Repeated<'a, M>,
    ) -> Result<(), DecodeError> {
        values
            .nested()
            .try_for_each(|value| self.message(field, &value))
    }

    fn unknown(&mut self, _: &UnknownFields<'a>) -> Result<(), DecodeError> {
        Ok(())
    }
}

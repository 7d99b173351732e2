//! Every view, reached as the getters do: values, text, sub-messages, elements, the depth
//! of a tree left to the reader's own limits.

#![no_main]

use libfuzzer_sys::fuzz_target;
use portreeve::game::scalar::{Enumeration, Scalar};
use portreeve::game::visit::{Field, Visitor};
use portreeve::game::{
    DecodeError, Message, Nested, Repeated, Response, ServerMessage, Text, UnknownFields, check,
};

/// Reads everything, as far down as whole messages are read.
struct Touch {
    depth: u32,
}

impl<'a> Visitor<'a> for Touch {
    type Error = DecodeError;

    fn scalar<S: Scalar>(&mut self, _: Field, value: S::Value) -> Result<(), DecodeError> {
        std::hint::black_box(S::to_wire(value));
        Ok(())
    }

    fn text(&mut self, _: Field, value: Text<'a>) -> Result<(), DecodeError> {
        let checked = value.to_str().is_ok();
        assert_eq!(checked, std::str::from_utf8(value.as_bytes()).is_ok());
        Ok(())
    }

    fn enumeration<E: Enumeration>(&mut self, _: Field, value: E) -> Result<(), DecodeError> {
        assert_eq!(E::from_number(value.number()), Some(value));
        Ok(())
    }

    fn message<M: Message<'a>>(
        &mut self,
        _: Field,
        value: &Nested<'a, M>,
    ) -> Result<(), DecodeError> {
        let Some(depth) = self.depth.checked_sub(1) else {
            return Ok(());
        };
        let mut slot = None;
        let again = value.read_into(&mut slot);
        assert_eq!(
            again.map(|found| found.is_some()),
            value.get().map(|found| found.is_some())
        );
        value
            .get()?
            .map_or(Ok(()), |message| message.visit(&mut Self { depth }))
    }

    fn texts(&mut self, field: Field, values: &Repeated<'a, Text<'a>>) -> Result<(), DecodeError> {
        assert_eq!(values.iter().count(), values.iter().size_hint().0);
        values
            .unchecked()
            .try_for_each(|text| self.text(field, text))
    }

    fn messages<M: Message<'a>>(
        &mut self,
        field: Field,
        values: &Repeated<'a, M>,
    ) -> Result<(), DecodeError> {
        assert_eq!(values.iter().count(), values.iter().size_hint().0);
        values
            .nested()
            .try_for_each(|value| self.message(field, &value))
    }

    fn unknown(&mut self, fields: &UnknownFields<'a>) -> Result<(), DecodeError> {
        assert!(fields.iter().count() > 0);
        Ok(())
    }
}

fuzz_target!(|data: &[u8]| {
    let deep = portreeve::game::MAX_DEPTH + 1;
    if let Ok(response) = Response::parse(data) {
        let whole = response.visit(&mut Touch { depth: deep });
        if response.check().is_ok() {
            whole.unwrap();
            response.payload().unwrap();
        }
        let _ = response.payload();
    }
    if let Ok(message) = ServerMessage::parse(data) {
        let whole = message.visit(&mut Touch { depth: deep });
        if check(&message).is_ok() {
            whole.unwrap();
        }
    }
});

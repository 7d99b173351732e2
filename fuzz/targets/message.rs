//! What holds of any message, whatever its bytes.

use portreeve::game::scalar::{Enumeration, Scalar};
use portreeve::game::visit::{Field, Visitor};
use portreeve::game::{
    DecodeError, MAX_DEPTH, Message, Nested, Repeated, Text, UnknownFields, check, check_with_text,
    json,
};
use serde::de::{Deserialize, IgnoredAny};

/// Levels that are visited: one more than may be there.
const DEPTH: u32 = MAX_DEPTH + 1;

/// Every getter and iterator works, and what is checked can be read; JSON is JSON, and written
/// exactly if the check passes. The encoded message and its JSON, for the caller to read again.
pub(crate) fn hold<'a, M: Message<'a>>(message: &M) -> (Vec<u8>, Option<String>) {
    let checked = check(message);
    let visited = message.visit(&mut Touch { depth: DEPTH });
    assert!(visited.is_ok() || checked.is_err());
    assert!(checked.is_ok() || check_with_text(message).is_err());
    let written = json::to_string(message);
    assert_eq!(written.as_ref().err(), checked.as_ref().err());
    if let Ok(text) = &written {
        let mut reader = serde_json::Deserializer::from_str(text);
        reader.disable_recursion_limit();
        IgnoredAny::deserialize(&mut reader).unwrap();
    }
    let _ = format!("{message:?}");
    let bytes = message.to_vec();
    assert_eq!(bytes.len(), message.encoded_len());
    (bytes, written.ok())
}

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
        assert_eq!(values.iter().count(), values.len());
        values
            .unchecked()
            .try_for_each(|text| self.text(field, text))
    }

    fn messages<M: Message<'a>>(
        &mut self,
        field: Field,
        values: &Repeated<'a, M>,
    ) -> Result<(), DecodeError> {
        assert_eq!(values.iter().count(), values.len());
        values
            .nested()
            .try_for_each(|value| self.message(field, &value))
    }

    fn unknown(&mut self, fields: &UnknownFields<'a>) -> Result<(), DecodeError> {
        assert!(fields.iter().next().is_some());
        Ok(())
    }
}

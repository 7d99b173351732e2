use super::error::DecodeError;
use super::message::Message;
use super::nested::Nested;
use super::repeated::Repeated;
use super::rules::Rules;
use super::scalar::Scalar;
use super::text::Text;
use super::visit::{Field, Visitor};

/// Reads everything below a message and tells whether Google's protobuf libraries would accept it:
/// the bytes are fields on every level, required fields are there, and nothing lies deeper than
/// [`MAX_DEPTH`](crate::game::MAX_DEPTH) levels. Text may be any bytes.
///
/// ```
/// use portreeve::game::info::Ban;
/// use portreeve::game::{Fault, check};
///
/// let ban = Ban::parse(b"\x0a\x017")?;
/// let error = check(&ban).unwrap_err();
/// assert_eq!(error.fault(), Fault::MissingRequired("admin_name"));
/// # Ok::<(), portreeve::game::DecodeError>(())
/// ```
///
/// # Errors
/// [`DecodeError`]; its offset counts from the start of `message` if that is a
/// [`Response`](crate::game::Response), otherwise from the start of the message that it names.
pub fn check<'a, M: Message<'a>>(message: &M) -> Result<(), DecodeError> {
    let mut check = Check { rules: Rules::FULL };
    let checked = match message.missing() {
        Some(field) => Err(DecodeError::missing(field, M::NAME)),
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

    fn message<M: Message<'a>>(
        &mut self,
        _: Field,
        value: &Nested<'a, M>,
    ) -> Result<(), DecodeError> {
        match value.descend(self.rules)? {
            Some((message, rules)) => message.visit(&mut Self { rules }),
            None => Ok(()),
        }
    }

    // The elements of these lists were read with the message around them: no need to go through
    // them again.

    fn scalars<S: Scalar>(&mut self, _: Field, _: &Repeated<'a, S>) -> Result<(), DecodeError> {
        Ok(())
    }

    fn texts(&mut self, _: Field, _: &Repeated<'a, Text<'a>>) -> Result<(), DecodeError> {
        Ok(())
    }
}

use super::error::DecodeError;
use super::message::Message;
use super::nested::Nested;
use super::options::DecodeOptions;
use super::repeated::Repeated;
use super::scalar::Scalar;
use super::text::Text;
use super::visit::{Field, Visitor};

/// Reads everything below a message, and checks that Google's protobuf libraries would accept it: the bytes
/// are fields on every level, required fields are present, and the nesting is at most
/// [`MAX_DEPTH`](crate::game::MAX_DEPTH) levels. Text may be any bytes; [`check_with_text`] requires UTF-8.
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
    check_all(message, false)
}

/// Like [`check()`], and checks that all text is UTF-8. After that no getter of the message or of any message
/// below fails.
///
/// ```
/// use portreeve::game::info::User;
/// use portreeve::game::{Fault, check, check_with_text};
///
/// let user = User::parse(b"\x0a\x04caf\xe9")?;
/// assert!(check(&user).is_ok());
/// assert_eq!(check_with_text(&user).unwrap_err().fault(), Fault::Text);
/// # Ok::<(), portreeve::game::DecodeError>(())
/// ```
///
/// # Errors
/// [`DecodeError`], as of [`check()`].
pub fn check_with_text<'a, M: Message<'a>>(message: &M) -> Result<(), DecodeError> {
    check_all(message, true)
}

fn check_all<'a, M: Message<'a>>(message: &M, text: bool) -> Result<(), DecodeError> {
    let options = DecodeOptions::FULL;
    let mut check = Check { options, text };
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
    options: DecodeOptions,
    /// Whether text must be UTF-8.
    text: bool,
}

impl<'a> Visitor<'a> for Check {
    type Error = DecodeError;

    #[inline]
    fn text(&mut self, _: Field, value: Text<'a>) -> Result<(), DecodeError> {
        if self.text {
            value.to_str()?;
        }
        Ok(())
    }

    #[inline]
    fn message<M: Message<'a>>(
        &mut self,
        _: Field,
        value: &Nested<'a, M>,
    ) -> Result<(), DecodeError> {
        let mut slot = None;
        match value.descend_into(self.options, &mut slot)? {
            Some((message, options)) => message.visit(&mut Self { options, ..*self }),
            None => Ok(()),
        }
    }

    fn messages<M: Message<'a>>(
        &mut self,
        field: Field,
        values: &Repeated<'a, M>,
    ) -> Result<(), DecodeError> {
        let Some(options) = self.options.descend() else {
            // Like a single message, so that the error has the offset.
            return values
                .nested()
                .try_for_each(|value| self.message(field, &value));
        };
        let (mut messages, mut slot) = (values.read(options), None);
        while let Some(message) = messages.read_into(&mut slot)? {
            message.visit(&mut Self { options, ..*self })?;
        }
        Ok(())
    }

    // The elements of these lists were read together with their message: no need to read them again.

    fn scalars<S: Scalar>(&mut self, _: Field, _: &Repeated<'a, S>) -> Result<(), DecodeError> {
        Ok(())
    }

    fn texts(&mut self, field: Field, values: &Repeated<'a, Text<'a>>) -> Result<(), DecodeError> {
        if self.text {
            for text in values.unchecked() {
                self.text(field, text)?;
            }
        }
        Ok(())
    }
}

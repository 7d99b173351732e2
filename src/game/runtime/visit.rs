//! Walking the fields of any message, by number, name and value.
//!
//! ```
//! use std::convert::Infallible;
//!
//! use portreeve::game::info::User;
//! use portreeve::game::visit::{Field, Visitor};
//! use portreeve::game::{Message, Text};
//!
//! /// Collects the names of the fields that hold text.
//! #[derive(Default)]
//! struct TextFields(Vec<&'static str>);
//!
//! impl<'a> Visitor<'a> for TextFields {
//!     type Error = Infallible;
//!
//!     fn text(&mut self, field: Field, _: Text<'a>) -> Result<(), Infallible> {
//!         self.0.push(field.name);
//!         Ok(())
//!     }
//! }
//!
//! let user = User { name: Some("ann".into()), id: Some(7), ..User::default() };
//! let mut fields = TextFields::default();
//! let Ok(()) = user.visit(&mut fields);
//! assert_eq!(fields.0, ["name"]);
//! ```
//!
//! A visitor that descends into sub-messages recurses, as deep as a peer likes. Limit the depth, or
//! visit only messages that [`check`](crate::game::check()) accepts: those have
//! [`MAX_DEPTH`](crate::game::MAX_DEPTH) levels at most.

use super::message::Message;
use super::nested::Nested;
use super::repeated::Repeated;
use super::scalar::{Enumeration, Scalar};
use super::text::Text;
use super::unknown::UnknownFields;

/// A field of the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Field {
    /// Its number.
    pub number: u32,
    /// Its name, an extension's in brackets: `[Response_Login.ext]`.
    pub name: &'static str,
    /// Whether it is a password, a token or the like, which does not belong into a log. `Debug`
    /// does not show such a field; JSON does.
    pub secret: bool,
}

/// What [`Message::visit`] shows the fields to. Only fields that are present are shown.
///
/// Every method has a default: a single value is ignored, a list is shown element by element to
/// the method for single values. A sub-message is a single value, and so not looked into unless
/// [`message`](Self::message) does.
#[allow(unused_variables)]
pub trait Visitor<'a> {
    /// What can go wrong; it ends the visit.
    type Error;

    /// A number or a boolean; [`Number`](super::scalar::Number) tells them apart:
    ///
    /// ```
    /// use std::convert::Infallible;
    ///
    /// use portreeve::game::Message;
    /// use portreeve::game::info::User;
    /// use portreeve::game::scalar::{Number, Scalar};
    /// use portreeve::game::visit::{Field, Visitor};
    ///
    /// struct Numbers(Vec<(&'static str, Number)>);
    ///
    /// impl Visitor<'_> for Numbers {
    ///     type Error = Infallible;
    ///
    ///     fn scalar<S: Scalar>(&mut self, field: Field, value: S::Value) -> Result<(), Infallible> {
    ///         self.0.push((field.name, value.into()));
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let mut numbers = Numbers(Vec::new());
    /// let Ok(()) = User { id: Some(-7), ..User::default() }.visit(&mut numbers);
    /// assert_eq!(numbers.0, [("id", Number::I32(-7))]);
    /// ```
    ///
    /// # Errors
    /// What ends the visit; the same holds for the other methods.
    fn scalar<S: Scalar>(&mut self, field: Field, value: S::Value) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Text, unchecked.
    ///
    /// # Errors
    /// What ends the visit.
    fn text(&mut self, field: Field, value: Text<'a>) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Bytes.
    ///
    /// # Errors
    /// What ends the visit.
    fn bytes(&mut self, field: Field, value: &'a [u8]) -> Result<(), Self::Error> {
        Ok(())
    }

    /// An enum.
    ///
    /// # Errors
    /// What ends the visit.
    fn enumeration<E: Enumeration>(&mut self, field: Field, value: E) -> Result<(), Self::Error> {
        Ok(())
    }

    /// A sub-message, not read yet.
    ///
    /// # Errors
    /// What ends the visit.
    fn message<M: Message<'a>>(
        &mut self,
        field: Field,
        value: &Nested<'a, M>,
    ) -> Result<(), Self::Error> {
        Ok(())
    }

    /// A list of numbers or booleans.
    ///
    /// # Errors
    /// What ends the visit.
    fn scalars<S: Scalar>(
        &mut self,
        field: Field,
        values: &Repeated<'a, S>,
    ) -> Result<(), Self::Error> {
        values
            .iter()
            .try_for_each(|value| self.scalar::<S>(field, value))
    }

    /// A list of texts.
    ///
    /// # Errors
    /// What ends the visit.
    fn texts(&mut self, field: Field, values: &Repeated<'a, Text<'a>>) -> Result<(), Self::Error> {
        values
            .unchecked()
            .try_for_each(|value| self.text(field, value))
    }

    /// A list of messages, not read yet.
    ///
    /// # Errors
    /// What ends the visit.
    fn messages<M: Message<'a>>(
        &mut self,
        field: Field,
        values: &Repeated<'a, M>,
    ) -> Result<(), Self::Error> {
        values
            .nested()
            .try_for_each(|value| self.message(field, &value))
    }

    /// The fields that the schema does not have: the last call, made if there are any.
    ///
    /// # Errors
    /// What ends the visit.
    fn unknown(&mut self, fields: &UnknownFields<'a>) -> Result<(), Self::Error> {
        Ok(())
    }
}

//! Visiting the fields of any message, by number, name and value.
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
//! A visitor that descends into sub-messages recurses, and the peer determines how deep. Limit the depth, or
//! visit only messages that [`check`](crate::game::check()) accepts, which have at most
//! [`MAX_DEPTH`](crate::game::MAX_DEPTH) levels.

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
    /// Its name; that of an extension is in brackets: `[Response_Login.ext]`.
    pub name: &'static str,
    /// Whether it is a secret, such as a password or a token. `Debug` does not show secrets; JSON does.
    pub secret: bool,
}

/// A visitor of the fields of a message, for [`Message::visit`]. Only fields that are present are visited.
///
/// Every method has a default: single values are ignored, and the elements of lists are passed to the method for
/// single values. Sub-messages are single values, so they are visited only if
/// [`message`](Self::message) does so.
#[allow(unused_variables)]
pub trait Visitor<'a> {
    /// The error type; an error ends the visit.
    type Error;

    /// A number or a boolean; [`Number`](super::scalar::Number) distinguishes them:
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
    /// An error ends the visit.
    fn scalar<S: Scalar>(&mut self, field: Field, value: S::Value) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Text, which may not be UTF-8.
    ///
    /// # Errors
    /// An error ends the visit.
    fn text(&mut self, field: Field, value: Text<'a>) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Bytes.
    ///
    /// # Errors
    /// An error ends the visit.
    fn bytes(&mut self, field: Field, value: &'a [u8]) -> Result<(), Self::Error> {
        Ok(())
    }

    /// An enum.
    ///
    /// # Errors
    /// An error ends the visit.
    fn enumeration<E: Enumeration>(&mut self, field: Field, value: E) -> Result<(), Self::Error> {
        Ok(())
    }

    /// An unread sub-message.
    ///
    /// # Errors
    /// An error ends the visit.
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
    /// An error ends the visit.
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
    /// An error ends the visit.
    fn texts(&mut self, field: Field, values: &Repeated<'a, Text<'a>>) -> Result<(), Self::Error> {
        values
            .unchecked()
            .try_for_each(|value| self.text(field, value))
    }

    /// A list of unread messages.
    ///
    /// # Errors
    /// An error ends the visit.
    fn messages<M: Message<'a>>(
        &mut self,
        field: Field,
        values: &Repeated<'a, M>,
    ) -> Result<(), Self::Error> {
        values
            .nested()
            .try_for_each(|value| self.message(field, &value))
    }

    /// The unknown fields, if there are any, after all other fields.
    ///
    /// # Errors
    /// An error ends the visit.
    fn unknown(&mut self, fields: &UnknownFields<'a>) -> Result<(), Self::Error> {
        Ok(())
    }
}

use super::cursor::Cursor;
use crate::game::runtime::error::DecodeError;
use crate::game::runtime::scalar::Scalar;
use crate::game::runtime::sealed::Sealed;
use crate::game::runtime::text::Text;

/// The element type of a repeated field: a message, [`Text`], or one of the [`scalar`](crate::game::scalar)
/// types. Sealed: the schema language has no others.
pub trait Element<'a>: Sealed + Sized {
    /// The type of the values in a slice for encoding.
    type Value: Copy + 'a;
    /// The item type of the iterator.
    type Item;

    #[doc(hidden)]
    fn read_next(cursor: &mut Cursor<'a>) -> Option<Self::Item>;
    #[doc(hidden)]
    fn from_value(value: Self::Value) -> Self::Item;
}

impl Sealed for Text<'_> {}

impl<'a> Element<'a> for Text<'a> {
    type Value = Text<'a>;
    type Item = Result<&'a str, DecodeError>;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn read_next(cursor: &mut Cursor<'a>) -> Option<Self::Item> {
        cursor.length_delimited().map(|bytes| Text::from_bytes(bytes).to_str())
    }

    #[inline]
    fn from_value(value: Text<'a>) -> Self::Item {
        value.to_str()
    }
}

impl<'a, S: Scalar> Element<'a> for S {
    type Value = S::Value;
    type Item = S::Value;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn read_next(cursor: &mut Cursor<'a>) -> Option<S::Value> {
        cursor.scalar::<S>()
    }

    #[inline]
    fn from_value(value: S::Value) -> S::Value {
        value
    }
}

use std::fmt;

use super::text::Text;

/// The value of a required field. It may be absent in a message that was read, but not in one that is built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Required<T>(Option<T>);

impl<T: Copy> Required<T> {
    /// The value in a message that has not been read yet.
    pub(crate) const ABSENT: Self = Self(None);

    /// The value, if a peer sent one.
    #[inline]
    pub fn value(self) -> Option<T> {
        self.0
    }
}

impl<T> From<T> for Required<T> {
    #[inline]
    fn from(value: T) -> Self {
        Self(Some(value))
    }
}

impl<'a> From<&'a str> for Required<Text<'a>> {
    #[inline]
    fn from(text: &'a str) -> Self {
        Self(Some(text.into()))
    }
}

impl<T: fmt::Debug> fmt::Debug for Required<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

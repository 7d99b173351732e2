//! Paths in a filter.

use std::fmt;

use super::node::Key;

/// The keys and positions that lead to a query or condition, from the outside in.
pub(super) enum Path<'a> {
    Top,
    Below(&'a Path<'a>, Key<'a>),
}

impl<'a> Path<'a> {
    pub(super) fn below(&'a self, key: Key<'a>) -> Self {
        Self::Below(self, key)
    }

    pub(super) fn depth(&self) -> usize {
        match self {
            Self::Top => 0,
            Self::Below(outer, _) => 1 + outer.depth(),
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Top => Ok(()),
            Self::Below(Path::Top, Key::Name(key)) => f.write_str(key),
            Self::Below(outer, Key::Name(key)) => write!(f, "{outer}.{key}"),
            Self::Below(outer, Key::Position(position)) => write!(f, "{outer}[{position}]"),
        }
    }
}

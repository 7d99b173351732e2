//! Paths in a filter.

use std::fmt;

/// The keys and positions that lead to a query or condition, from the outside in.
pub(super) enum Path<'a> {
    Top,
    Key(&'a Path<'a>, &'a str),
    Position(&'a Path<'a>, usize),
}

impl Path<'_> {
    pub(super) fn depth(&self) -> usize {
        match self {
            Self::Top => 0,
            Self::Key(outer, _) | Self::Position(outer, _) => 1 + outer.depth(),
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Top => Ok(()),
            Self::Key(Path::Top, key) => f.write_str(key),
            Self::Key(outer, key) => write!(f, "{outer}.{key}"),
            Self::Position(outer, position) => write!(f, "{outer}[{position}]"),
        }
    }
}

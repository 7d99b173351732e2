//! What is known of the events of a class.

use std::sync::Arc;

use super::known::{self, EventClass};
use super::shape::Shape;

/// The event classes whose filters are judged by what their events hold (docs/API.md, section
/// 4.4): those that are known here, and those that an operator answers for.
#[derive(Clone, Debug, Default)]
pub struct EventClasses {
    trusted: Arc<[Box<str>]>,
}

/// What the events of a class hold, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub struct EventShape {
    pub(super) shape: &'static Shape,
    /// The class, if it is known.
    pub(super) known: Option<&'static EventClass>,
}

// === impl EventClasses ===

impl EventClasses {
    /// As the default, which trusts none, but of the events of these classes it is taken for
    /// granted that a filter meets no object in them. Classes that are known are judged by what is
    /// known.
    pub fn trusting<C: AsRef<str>>(classes: impl IntoIterator<Item = C>) -> Self {
        let classes = classes.into_iter();
        let trusted = classes.map(|class| bare(class.as_ref()).into());
        Self {
            trusted: trusted.collect(),
        }
    }

    /// What the events of `class` hold: a class name of the server, with or without a leading
    /// backslash.
    pub fn shape(&self, class: &str) -> EventShape {
        let class = bare(class);
        let trusted = || self.trusted.iter().any(|trusted| **trusted == *class);
        let known = known::class(class);
        let shape = match known {
            Some(known) => known.shape,
            None if trusted() => &known::TRUSTED,
            None => &known::UNKNOWN,
        };
        EventShape { shape, known }
    }
}

/// Whether `text` is the name of a class of the server: names of PHP joined by backslashes, without a
/// leading one.
pub fn is_class_name(text: &str) -> bool {
    let is_name = |part: &str| {
        let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii();
        !part.is_empty()
            && !part.starts_with(|c: char| c.is_ascii_digit())
            && part.chars().all(allowed)
    };
    text.split('\\').all(is_name)
}

/// The server drops leading backslashes too.
pub(super) fn bare(class: &str) -> &str {
    class.trim_start_matches('\\')
}

//! The shapes of the events of each class.

use std::sync::Arc;

use super::KnownEvent;
use super::known::bare;

/// The event classes whose filters can be checked (docs/API.md, section 4.4): known ones, and those an operator trusts.
#[derive(Clone, Debug, Default)]
pub struct EventClasses {
    pub(super) trusted: Arc<[Box<str>]>,
}

/// The shape of the events of a class, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub struct EventShape(pub(super) &'static KnownEvent);

// === impl EventShape ===

impl EventShape {
    /// That of any class, where no harm can be done: no value is an object that the matcher fails on.
    pub(crate) fn trusted() -> Self {
        Self(KnownEvent::trusted())
    }
}

// === impl EventClasses ===

impl EventClasses {
    /// Like the default, which trusts no classes, except that filters on these `classes` are assumed to meet no objects
    /// in their events, and that whoever causes one may have all that it holds. Known classes are not affected.
    pub fn trusting<C: AsRef<str>>(classes: impl IntoIterator<Item = C>) -> Self {
        let trusted = classes.into_iter().map(|class| bare(class.as_ref()).into());
        Self { trusted: trusted.collect() }
    }

    /// The shape of the events of `class`, a class name of the server with or without a leading backslash.
    pub fn shape(&self, class: &str) -> EventShape {
        let trusted = || self.trusted.iter().any(|trusted| **trusted == *bare(class));
        EventShape(match KnownEvent::find(class) {
            Some(known) => known,
            None if trusted() => KnownEvent::trusted(),
            None => KnownEvent::unknown(),
        })
    }

    /// A warning for whoever waits for events of `class`, unless it is a known or trusted one.
    pub(crate) fn warning(&self, class: &str) -> Option<String> {
        let is_unknown = std::ptr::eq(self.shape(class).0, KnownEvent::unknown());
        is_unknown.then(|| match KnownEvent::meant_by(class) {
            Some(meant) => {
                format!("No event of the class {class} is known: is it {}?", meant.class)
            }
            None => format!(
                "No event of the class {class} is known: GET /api/v1/events lists those that are"
            ),
        })
    }
}

/// Whether `text` is a class name of the server: PHP names joined by backslashes, without a leading one.
pub fn is_class_name(text: &str) -> bool {
    let is_name = |part: &str| {
        let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii();
        !part.is_empty()
            && !part.starts_with(|c: char| c.is_ascii_digit())
            && part.chars().all(allowed)
    };
    text.split('\\').all(is_name)
}

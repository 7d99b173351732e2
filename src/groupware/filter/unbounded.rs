//! Deliveries that can be too large for the server, and filters that prevent them (docs/API.md, section
//! 4.9).

use std::fmt;

use super::classes::EventShape;
use super::{EventFilter, JobLimit, KnownEvent};

/// A warning that deliveries can exceed the limit of the server's job queue. `Display` explains, in
/// sentences, what can be lost and which filter prevents it.
#[derive(Clone, Copy, Debug)]
pub struct UnboundedEvent {
    class: &'static KnownEvent,
    limit: JobLimit,
}

// === impl EventShape ===

impl EventShape {
    /// A warning if deliveries that `filter` passes may exceed `limit`: unless it is, or requires, a
    /// bounding filter of the catalogue for that limit or a smaller one. Without a filter, all deliveries
    /// pass.
    ///
    /// ```
    /// use portreeve::groupware::{EventClasses, EventFilter, JobLimit};
    ///
    /// let shape = EventClasses::default().shape(r"OCP\SystemTag\TagAssignedEvent");
    /// let files = EventFilter::parse(r#"{"event.objectType": "files"}"#, shape).unwrap();
    /// let unbounded = shape.unbounded(files.as_ref(), JobLimit::Before34).unwrap();
    /// assert!(unbounded.to_string().contains("tags can be lost"));
    ///
    /// let remedy = shape.bounding_filter(JobLimit::Before34).unwrap();
    /// assert!(shape.unbounded(Some(&remedy), JobLimit::Before34).is_none());
    /// ```
    pub fn unbounded(
        self,
        filter: Option<&EventFilter>,
        limit: JobLimit,
    ) -> Option<UnboundedEvent> {
        let mut bounding = self.0.bounding.iter().filter(|(of, _)| *of <= limit);
        let is_bounded =
            filter.is_some_and(|filter| bounding.any(|(_, bounding)| filter.requires(bounding)));
        (!is_bounded).then_some(UnboundedEvent {
            class: self.0,
            limit,
        })
    }

    /// A filter that passes as many events of the class as possible, but none that exceeds `limit`;
    /// `None` if there is no useful one.
    pub fn bounding_filter(self, limit: JobLimit) -> Option<EventFilter> {
        self.0.bounding_filter(limit).cloned()
    }
}

impl fmt::Display for UnboundedEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "A delivery of this event can take more than the {} characters that the job queue of this server takes. \
             Then {}.",
            self.limit.characters(),
            self.class.loses
        )?;
        match self.class.bounding_filter(self.limit) {
            Some(filter) => write!(
                f,
                " To prevent it, use this filter, beside your own as {{\"$and\": [yours, this]}}: {}",
                filter.as_str()
            ),
            None => f.write_str(" No filter is known that prevents it."),
        }
    }
}

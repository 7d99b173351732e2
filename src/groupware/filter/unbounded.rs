//! Deliveries that can be too large for the server, and filters that prevent them (docs/API.md, section
//! 4.9).

use std::fmt;

use super::bound::Bound;
use super::classes::EventShape;
use super::{EventFilter, JobLimit, KnownEvent};

/// Maximum number of paths that are named.
const MAX_NAMED: usize = 4;

/// A warning that deliveries can exceed the limit of the server's job queue. `Display` explains, in
/// sentences, what can be lost and which filter prevents it.
#[derive(Clone, Debug)]
pub struct UnboundedEvent {
    bound: Bound,
    limit: JobLimit,
    class: &'static KnownEvent,
}

// === impl EventShape ===

impl EventShape {
    /// A warning if a delivery that `filter` passes can exceed `limit`. Without a filter, all deliveries
    /// pass.
    ///
    /// ```
    /// use portreeve::groupware::{EventClasses, EventFilter, JobLimit};
    ///
    /// let shape = EventClasses::default().shape(r"OCP\SystemTag\TagAssignedEvent");
    /// let files = EventFilter::parse(r#"{"event.objectType": "files"}"#, shape).unwrap();
    /// let unbounded = shape.unbounded(files.as_ref(), JobLimit::Before34).unwrap();
    /// assert!(unbounded.to_string().contains("event.objectIds"));
    ///
    /// let remedy = shape.bounding_filter(JobLimit::Before34).unwrap();
    /// assert!(shape.unbounded(Some(&remedy), JobLimit::Before34).is_none());
    /// ```
    pub fn unbounded(
        self,
        filter: Option<&EventFilter>,
        limit: JobLimit,
    ) -> Option<UnboundedEvent> {
        let bound = Bound::of(self, filter);
        (!bound.fits(limit)).then_some(UnboundedEvent {
            bound,
            limit,
            class: self.0,
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
        let limit = self.limit.characters();
        match &self.bound {
            Bound::Characters(most) => write!(
                f,
                "A delivery of this event can take {most} characters in the job queue of this server, which takes \
                 {limit} at most"
            )?,
            Bound::Unbounded(paths) => {
                write!(
                    f,
                    "A delivery of this event can take more than the {limit} characters that the job queue of this \
                     server takes: nothing bounds {}",
                    paths[..paths.len().min(MAX_NAMED)].join(", ")
                )?;
                if paths.len() > MAX_NAMED {
                    write!(f, " and {} more", paths.len() - MAX_NAMED)?;
                }
            }
        }
        write!(f, ". Then {}.", self.class.loses)?;
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

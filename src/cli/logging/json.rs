//! Formats lines as JSON.

use std::fmt;

use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::{Format, Json, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// JSON with the spans of each line, but of none that was written for no span: the default takes the current one for these.
pub(super) struct JsonLines {
    in_span: Format<Json>,
    root: Format<Json>,
}

impl JsonLines {
    pub(super) fn new() -> Self {
        let in_span = Format::default().json().flatten_event(true);
        Self { root: in_span.clone().with_current_span(false).with_span_list(false), in_span }
    }
}

impl<S, N> FormatEvent<S, N> for JsonLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'w> FormatFields<'w> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let format = if event.is_root() { &self.root } else { &self.in_span };
        format.format_event(context, writer, event)
    }
}

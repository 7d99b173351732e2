//! A filter of log lines that can be replaced at run time.
//!
//! `tracing` caches the decision for each callsite, so that the filter costs nothing for a line.
//! `tracing_subscriber::reload` would take a lock at each entry of a span, that is at each poll of a request; so does
//! the filter itself. Here it is only asked about spans if it has directives about them (`[request{id=…}]=debug`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arc_swap::ArcSwap;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Metadata, Subscriber};
use tracing_subscriber::filter::{EnvFilter, LevelFilter};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

/// The current filter. Clones share it.
#[derive(Clone)]
pub(in crate::cli) struct Levels(Arc<InForce>);

struct InForce {
    filter: ArcSwap<EnvFilter>,
    /// Whether the filter has directives about spans.
    is_of_spans: AtomicBool,
}

impl Levels {
    pub(super) fn new(filter: EnvFilter) -> Self {
        Self(Arc::new(InForce {
            is_of_spans: AtomicBool::new(is_of_spans(&filter)),
            filter: ArcSwap::from_pointee(filter),
        }))
    }

    pub(in crate::cli) fn replace(&self, filter: EnvFilter) {
        let is_of_spans = is_of_spans(&filter);
        self.0.filter.store(Arc::new(filter));
        self.0.is_of_spans.store(is_of_spans, Ordering::Relaxed);
        // The cached decisions are those of the previous filter.
        tracing_core::callsite::rebuild_interest_cache();
    }

    /// Passes on what happens to a span, if the filter has directives about spans.
    fn of_span(&self, pass_on: impl FnOnce(&EnvFilter)) {
        if self.0.is_of_spans.load(Ordering::Relaxed) {
            pass_on(&self.0.filter.load_full());
        }
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Levels {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        Layer::<S>::register_callsite(&**self.0.filter.load(), metadata)
    }

    fn enabled(&self, metadata: &Metadata<'_>, context: Context<'_, S>) -> bool {
        Layer::<S>::enabled(&**self.0.filter.load(), metadata, context)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Layer::<S>::max_level_hint(&**self.0.filter.load())
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        self.of_span(|filter| Layer::<S>::on_new_span(filter, attributes, id, context));
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        self.of_span(|filter| Layer::<S>::on_record(filter, id, values, context));
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        self.of_span(|filter| Layer::<S>::on_enter(filter, id, context));
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        self.of_span(|filter| Layer::<S>::on_exit(filter, id, context));
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        self.of_span(|filter| Layer::<S>::on_close(filter, id, context));
    }
}

/// A directive about spans has its conditions in brackets.
fn is_of_spans(filter: &EnvFilter) -> bool {
    filter.to_string().contains('[')
}

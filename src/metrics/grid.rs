//! Counters and histograms that are found by index.

use std::time::Duration;

use prometheus::{Histogram, HistogramOpts, HistogramVec, IntCounter, Registry};

use super::BUCKETS;
use super::family::{counters, register};
use super::names::Name;

/// The counters of a family, one for each combination of its labels.
pub(super) struct Counters(Vec<IntCounter>);

/// The histograms of times of a family with one label.
pub(super) struct Histograms(Vec<Histogram>);

// === impl Counters ===

impl Counters {
    /// A counter for each combination of the values of `labels`, the last of which varies fastest. All
    /// exist from the start, at zero: a rate needs a value from before the first event.
    pub(super) fn all(registry: &Registry, name: Name, labels: &[(&str, Vec<&str>)]) -> Self {
        let names: Vec<_> = labels.iter().map(|(name, _)| *name).collect();
        let family = counters(registry, name, &names);
        let mut rows = vec![Vec::new()];
        for (_, values) in labels {
            rows = rows
                .iter()
                .flat_map(|row| {
                    values
                        .iter()
                        .map(|value| [row.as_slice(), &[*value]].concat())
                })
                .collect();
        }
        let counter = |row: Vec<&str>| family.with_label_values(&row);
        Self(rows.into_iter().map(counter).collect())
    }

    pub(super) fn add_one(&self, index: usize) {
        if let Some(counter) = self.0.get(index) {
            counter.inc();
        }
    }
}

// === impl Histograms ===

impl Histograms {
    /// One for each of `routes`.
    pub(super) fn new(registry: &Registry, Name(name, help): Name, routes: &[&str]) -> Self {
        let options = HistogramOpts::new(name, help).buckets(BUCKETS.to_vec());
        let family = HistogramVec::new(options, &["route"]).expect("the name is valid");
        register(registry, &family);
        Self(
            routes
                .iter()
                .map(|route| family.with_label_values(&[*route]))
                .collect(),
        )
    }

    pub(super) fn observe(&self, index: usize, time: Duration) {
        if let Some(histogram) = self.0.get(index) {
            histogram.observe(time.as_secs_f64());
        }
    }
}

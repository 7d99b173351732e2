//! Metric families: registered once, with counters and histograms found by index, or built for each scrape.

use std::time::Duration;

use prometheus::core::Collector;
use prometheus::proto::{Counter, Gauge, LabelPair, Metric, MetricFamily, MetricType};
use prometheus::{
    Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Opts,
    Registry,
};

use super::names::{self, Name};
use super::{BUCKETS, Build};

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
                .flat_map(|row| values.iter().map(|value| [row.as_slice(), &[*value]].concat()))
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
    pub(super) fn new(registry: &Registry, Name(name, help): Name, routes: &[&str]) -> Self {
        let options = HistogramOpts::new(name, help).buckets(BUCKETS.to_vec());
        let family = HistogramVec::new(options, &["route"]).expect("the name is valid");
        register(registry, &family);
        Self(routes.iter().map(|route| family.with_label_values(&[*route])).collect())
    }

    pub(super) fn observe(&self, index: usize, time: Duration) {
        if let Some(histogram) = self.0.get(index) {
            histogram.observe(time.as_secs_f64());
        }
    }
}

/// Registers a family. Its name is one of [`names`], each of which is registered once.
fn register(registry: &Registry, family: &(impl Collector + Clone + 'static)) {
    let registered = registry.register(Box::new(family.clone()));
    registered.expect("each name is registered once");
}

pub(super) fn counters(
    registry: &Registry,
    Name(name, help): Name,
    labels: &[&str],
) -> IntCounterVec {
    let family = IntCounterVec::new(Opts::new(name, help), labels).expect("the name is valid");
    register(registry, &family);
    family
}

pub(super) fn gauge(registry: &Registry, Name(name, help): Name) -> IntGauge {
    let gauge = IntGauge::new(name, help).expect("the name is valid");
    register(registry, &gauge);
    gauge
}

pub(super) fn build(registry: &Registry, build: Build<'_>) {
    let Name(name, help) = names::BUILD;
    let family = IntGaugeVec::new(Opts::new(name, help), &["version", "revision"])
        .expect("the name is valid");
    family.with_label_values(&[build.version, build.revision]).set(1);
    register(registry, &family);
}

/// A family with one value, and no label.
pub(super) fn one(name: Name, kind: MetricType, value: u64) -> MetricFamily {
    of_now(name, kind, None, &[("", value as f64)])
}

/// A family with the current `values`, each with its label if the family has one.
pub(super) fn of_now(
    Name(name, help): Name,
    kind: MetricType,
    label: Option<&str>,
    values: &[(&str, f64)],
) -> MetricFamily {
    let metric = |(value, number): &(&str, f64)| {
        let mut metric = Metric::default();
        if let Some(label) = label {
            let mut pair = LabelPair::default();
            pair.set_name(label.to_owned());
            pair.set_value((*value).to_owned());
            metric.set_label(vec![pair]);
        }
        if kind == MetricType::COUNTER {
            let mut counter = Counter::default();
            counter.set_value(*number);
            metric.set_counter(counter);
        } else {
            let mut gauge = Gauge::default();
            gauge.set_value(*number);
            metric.set_gauge(gauge);
        }
        metric
    };
    let mut family = MetricFamily::default();
    family.set_name(name.to_owned());
    family.set_help(help.to_owned());
    family.set_field_type(kind);
    family.set_metric(values.iter().map(metric).collect());
    family
}

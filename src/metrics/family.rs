//! Metric families: those that are registered once, and those that are built for each scrape.

use prometheus::core::Collector;
use prometheus::proto::{Counter, Gauge, LabelPair, Metric, MetricFamily, MetricType};
use prometheus::{IntCounterVec, IntGauge, IntGaugeVec, Opts, Registry};

use super::Build;
use super::names::{self, Name};

/// Registers a family. Its name is one of [`names`], each of which is registered once.
pub(super) fn register(registry: &Registry, family: &(impl Collector + Clone + 'static)) {
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
    family
        .with_label_values(&[build.version, build.revision])
        .set(1);
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

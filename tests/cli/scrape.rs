//! A scrape of the metrics listener, read by a parser of the Prometheus format.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use nom_openmetrics::MetricDescriptor;
use nom_openmetrics::parser::prometheus;

use crate::support::binary::{Served, http};

/// The values of all series, by name and labels: `name{label="value"}`, labels in the order of the scrape.
#[derive(Debug)]
pub(super) struct Scrape {
    pub(super) series: BTreeMap<String, f64>,
    /// The type of each family.
    pub(super) types: BTreeMap<String, String>,
}

/// The address at which `served` serves its metrics.
pub(super) fn address(served: &Served) -> SocketAddr {
    let line = served
        .before_listening
        .iter()
        .find(|line| line.contains("serving metrics"))
        .unwrap_or_else(|| panic!("{:#?}", served.before_listening));
    let (_, address) = line.rsplit_once("address=").unwrap();
    address.trim().parse().unwrap()
}

impl Scrape {
    /// Fetches the metrics at `address`.
    pub(super) fn of(address: SocketAddr) -> Self {
        let answer = http(address, "GET /metrics HTTP/1.1\r\nHost: m\r\nConnection: close\r\n\r\n");
        assert_eq!(answer.status, 200, "{answer:?}");
        let kind = answer.header("content-type");
        assert_eq!(kind, Some("text/plain; version=0.0.4"));
        Self::parse(&answer.body)
    }

    /// Parses a whole response; each family must have a help text and a type.
    pub(super) fn parse(text: &str) -> Self {
        let (rest, families) = prometheus(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(rest, "");
        let (mut series, mut types) = (BTreeMap::new(), BTreeMap::new());
        for family in &families {
            let [
                MetricDescriptor::Help { metric, help },
                MetricDescriptor::Type { metric: typed, r#type },
            ] = &family.descriptors[..]
            else {
                panic!("{:?}", family.descriptors);
            };
            assert!(metric == typed && !help.is_empty(), "{metric}");
            let kind = r#type.to_string().to_lowercase();
            assert!(types.insert((*metric).to_owned(), kind.clone()).is_none());
            for sample in &family.samples {
                let suffix = sample.name().strip_prefix(metric).unwrap();
                let suffixes: &[&str] = match kind.as_str() {
                    "histogram" => &["_bucket", "_sum", "_count"],
                    _ => &[""],
                };
                assert!(suffixes.contains(&suffix), "{}", sample.name());
                let labels = sample.labels().iter();
                let labels: Vec<_> =
                    labels.map(|label| format!("{}={:?}", label.name, label.value)).collect();
                let labels = match labels.is_empty() {
                    true => String::new(),
                    false => format!("{{{}}}", labels.join(",")),
                };
                let name = format!("{}{labels}", sample.name());
                let twice = series.insert(name, sample.number());
                assert!(twice.is_none(), "{}{labels} is there twice", sample.name());
            }
        }
        Self { series, types }
    }

    /// The value of one series.
    pub(super) fn value(&self, series: &str) -> f64 {
        let value = self.series.get(series);
        *value.unwrap_or_else(|| panic!("no {series} in {:#?}", self.series))
    }
}

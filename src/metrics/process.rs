//! Metrics of the process, under the names that Prometheus defines for every program.

use metrics_process::collector::collect;
use prometheus::proto::MetricFamily;
use prometheus::proto::MetricType::{COUNTER, GAUGE};

use super::family::{of_now, one};
use super::names;

/// The kernel's figures of the process; those it does not provide are left out.
pub(super) fn families() -> Vec<MetricFamily> {
    let process = collect();
    let time = process.cpu_seconds_total;
    let time = time.map(|time| of_now(names::CPU, COUNTER, None, &[("", time)]));
    let gauges = [
        (names::OPEN_FDS, process.open_fds),
        (names::MAX_FDS, process.max_fds),
        (names::RESIDENT_MEMORY, process.resident_memory_bytes),
        (names::VIRTUAL_MEMORY, process.virtual_memory_bytes),
        (names::START_TIME, process.start_time_seconds),
        (names::THREADS, process.threads),
    ];
    let gauges = gauges.into_iter();
    let gauges = gauges.filter_map(|(name, value)| Some(one(name, GAUGE, value?)));
    time.into_iter().chain(gauges).collect()
}

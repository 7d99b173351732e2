//! Metrics of the process, under the names that Prometheus defines for every program.

use metrics_process::collector::collect;
use prometheus::proto::{MetricFamily, MetricType};

use super::family::of_now;
use super::names::Name;

/// The kernel's figures of the process; those it does not provide are left out.
pub(super) fn families() -> Vec<MetricFamily> {
    let process = collect();
    let number = |value: Option<u64>| value.map(|value| value as f64);
    let gauge = MetricType::GAUGE;
    let values = [
        (
            Name("process_cpu_seconds_total", "CPU time, user and system"),
            MetricType::COUNTER,
            process.cpu_seconds_total,
        ),
        (
            Name("process_open_fds", "Open file descriptors"),
            gauge,
            number(process.open_fds),
        ),
        (
            Name(
                "process_max_fds",
                "The limit of open file descriptors; 0 without one",
            ),
            gauge,
            number(process.max_fds),
        ),
        (
            Name("process_resident_memory_bytes", "Resident memory"),
            gauge,
            number(process.resident_memory_bytes),
        ),
        (
            Name("process_virtual_memory_bytes", "Virtual memory"),
            gauge,
            number(process.virtual_memory_bytes),
        ),
        (
            Name(
                "process_start_time_seconds",
                "When the process started, in seconds since 1970",
            ),
            gauge,
            number(process.start_time_seconds),
        ),
        (
            Name("process_threads", "Threads"),
            gauge,
            number(process.threads),
        ),
    ];
    let family = |(name, kind, value): (Name, MetricType, Option<f64>)| {
        value.map(|value| of_now(name, kind, None, &[("", value)]))
    };
    values.into_iter().filter_map(family).collect()
}

//! Metrics of the process, under the names that Prometheus defines for every program.

use metrics_process::collector::collect;
use prometheus::proto::{MetricFamily, MetricType};

use super::family::of_now;
use super::names::Name;

/// The kernel's figures of the process; those it does not provide are left out.
pub(super) fn families() -> Vec<MetricFamily> {
    let process = collect();
    let of_now = |name, help, kind, value: Option<f64>| {
        value.map(|value| of_now(Name(name, help), kind, None, &[("", value)]))
    };
    let gauge = |name, help, value: Option<u64>| {
        of_now(
            name,
            help,
            MetricType::GAUGE,
            value.map(|value| value as f64),
        )
    };
    let families = [
        of_now(
            "process_cpu_seconds_total",
            "CPU time, user and system",
            MetricType::COUNTER,
            process.cpu_seconds_total,
        ),
        gauge(
            "process_open_fds",
            "Open file descriptors",
            process.open_fds,
        ),
        gauge(
            "process_max_fds",
            "The limit of open file descriptors; 0 without one",
            process.max_fds,
        ),
        gauge(
            "process_resident_memory_bytes",
            "Resident memory",
            process.resident_memory_bytes,
        ),
        gauge(
            "process_virtual_memory_bytes",
            "Virtual memory",
            process.virtual_memory_bytes,
        ),
        gauge(
            "process_start_time_seconds",
            "When the process started, in seconds since 1970",
            process.start_time_seconds,
        ),
        gauge("process_threads", "Threads", process.threads),
    ];
    families.into_iter().flatten().collect()
}

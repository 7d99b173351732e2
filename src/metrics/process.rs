//! Metrics of the process, under the names that Prometheus defines for every program.

use metrics_process::collector::collect;
use prometheus::proto::MetricFamily;
use prometheus::proto::MetricType::{COUNTER, GAUGE};

use super::family::of_now;
use super::names::Name;

const CPU: Name = Name("process_cpu_seconds_total", "CPU time, user and system");
const GAUGES: [Name; 6] = [
    Name("process_open_fds", "Open file descriptors"),
    Name(
        "process_max_fds",
        "The limit of open file descriptors; 0 without one",
    ),
    Name("process_resident_memory_bytes", "Resident memory"),
    Name("process_virtual_memory_bytes", "Virtual memory"),
    Name(
        "process_start_time_seconds",
        "When the process started, in seconds since 1970",
    ),
    Name("process_threads", "Threads"),
];

/// The kernel's figures of the process; those it does not provide are left out.
pub(super) fn families() -> Vec<MetricFamily> {
    let process = collect();
    let time = process
        .cpu_seconds_total
        .map(|time| of_now(CPU, COUNTER, None, &[("", time)]));
    let values = [
        process.open_fds,
        process.max_fds,
        process.resident_memory_bytes,
        process.virtual_memory_bytes,
        process.start_time_seconds,
        process.threads,
    ];
    let gauges = GAUGES.into_iter().zip(values);
    let gauges =
        gauges.filter_map(|(name, value)| Some(of_now(name, GAUGE, None, &[("", value? as f64)])));
    time.into_iter().chain(gauges).collect()
}

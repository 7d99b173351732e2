//! Both bodies flow, at the pace of the slower end, and end as they were meant to or not at all.

mod back_pressure;
mod broken_off;
mod connections;
mod departure;
mod lengths;
mod stalls;
mod time;
mod turns;

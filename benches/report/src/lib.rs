//! The reports of the benchmarks: tables in Markdown, charts in SVG.
//!
//! Both come from the same numbers of the same run, so that a chart always agrees with the table beside
//! it.
mod chart;
pub mod guard;
mod number;
mod table;

pub use chart::{Bar, Chart, Panel};
pub use number::short;
pub use table::{Row, Table};

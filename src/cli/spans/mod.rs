//! Spans of requests for a collector (docs/OPERATIONS.md, "Traces").

#[cfg(not(feature = "otlp"))]
mod none;
#[cfg(feature = "otlp")]
mod otlp;

#[cfg(not(feature = "otlp"))]
pub(super) use self::none::Spans;
#[cfg(feature = "otlp")]
pub(super) use self::otlp::Spans;

//! No spans: this binary was built without the feature `otlp`.

use std::future::Ready;

use portreeve::gateway::{EndedRequest, RequestObserver};

use crate::cli::Failure;
use crate::config::ConfigError;
use crate::config::setting::OTLP_ENDPOINT;

/// Cannot be created.
#[derive(Debug)]
pub(in crate::cli) enum Spans {}

// === impl Spans ===

impl Spans {
    /// # Errors
    /// Always.
    pub(in crate::cli) fn start(_: &str) -> Result<Self, Failure> {
        Err(ConfigError::of(OTLP_ENDPOINT, "this binary cannot send spans").into())
    }

    pub(in crate::cli) fn end(&self) -> Ready<()> {
        match *self {}
    }
}

impl RequestObserver for Spans {
    fn request_ended(&self, _: &EndedRequest<'_>) {
        match *self {}
    }
}

//! Checks of the source itself: module dependencies, documented versions, and tests that pages name.

mod circles;
mod dependencies;
mod modules;
mod security;

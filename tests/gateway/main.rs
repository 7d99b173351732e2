//! The management API over HTTP: routes, answers, limits, hostile clients, embedding.

#[path = "../support/mod.rs"]
mod support;

mod connections;
mod delivery;
mod embedding;
mod endpoints;
mod errors;
mod filters;
mod hostile;
mod limits;
mod recordings;
mod secrets;

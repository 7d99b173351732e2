//! The management API over HTTP: routes, answers, limits, faults of the server, hostile
//! clients, embedding.

use portreeve_test_support as support;

mod connections;
mod delivery;
mod departure;
mod embedding;
mod embedding_page;
mod events;
mod faults;
mod forward;
mod hostile;
mod layers;
mod limits;
mod presets;
mod probes;
mod recordings;
mod secrets;
mod too_large;

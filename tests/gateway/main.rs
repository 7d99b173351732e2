//! The management API over HTTP: routes, answers, limits, faults of the server, hostile
//! clients, embedding.

use portreeve_test_support as support;

mod connections;
mod delivery;
mod departure;
mod embedding;
mod events;
mod faults;
mod front_end;
mod hostile;
mod limits;
mod presets;
mod probes;
mod recordings;
mod resource_metadata;
mod secrets;
mod too_large;

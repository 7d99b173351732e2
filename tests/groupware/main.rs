//! The outbound client of the groupware server, with recorded answers of a real one.

use portreeve_test_support as support;

mod accounts;
mod bounding;
mod connections;
mod delivery;
mod endpoints;
mod errors;
mod event_catalogue;
mod event_size;
mod faults;
mod filter;
mod filter_match;
mod filter_patterns;
mod filter_php;
mod filter_recorded;
mod filter_shapes;
mod filter_soundness;
mod goaway;
mod known_apps;
mod known_list;
mod large;
mod own_server;
mod recorded;
mod resets;
mod secrets;
mod signature;
mod streams;
mod tls;
mod url;

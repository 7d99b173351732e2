//! The reader of the card game's protocol, through the crate's public interface.

mod allocations;
mod building;
mod bytes;
#[cfg(feature = "game-client")]
mod client;
mod data;
mod encoding;
mod envelope;
mod frames;
mod generate;
mod oracle;
mod owned;
mod pairing;
mod primitives;
mod recordings;
mod schema;
mod table;
mod table_arrows;
mod table_events;
mod table_state;
#[cfg(feature = "game-client")]
mod testing;
mod traffic;
mod views;

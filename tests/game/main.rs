//! The reader of the card game's protocol, through the crate's public interface.

mod data;
mod generate;
mod oracle;
mod recordings;

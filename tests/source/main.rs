//! What holds of the source itself.

mod circles;
mod dependencies;
mod modules;
mod security;

//! The schema: the messages and enums of the card game's protocol, each as in the files of
//! `proto/`.

#[cfg(test)]
mod against_proto;
pub mod command;
pub mod context;
mod envelope;
pub mod event;
pub mod info;
pub mod payload;
pub(super) mod replay;
pub(super) mod response;
pub(super) mod response_code;
pub(super) mod server_message;

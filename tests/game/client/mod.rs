//! The client against stand-in servers: recorded sessions on both transports, servers that
//! misbehave, and behaviour over time (docs/GAME_CLIENT.md).

mod accounts;
mod addresses;
mod broken;
mod examples;
mod flood;
mod from_json;
mod hostile;
mod limits;
mod lobby;
mod reconnect;
mod recorded;
mod recording;
mod replays;
mod script;
mod server;
mod soak;
mod tls;
mod unknown;
mod unread;

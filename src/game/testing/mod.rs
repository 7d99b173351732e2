//! A server of the game in this process, for the tests of bots and clients: no Servatrice, no database.
//!
//! [`Server`] listens on loopback, over TCP and WebSocket, and speaks the protocol as Servatrice does:
//! logins of guests and of accounts, rooms and their chat, and games. On demand it misbehaves: see
//! [`Fault`].
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use portreeve::game::client::{Client, Credentials, End};
//! use portreeve::game::testing::{Fault, Server};
//! use portreeve::game::{Command, ResponseCode};
//!
//! let server = Server::builder().account("ann", "secret").start().await?;
//! let (client, _events) = Client::connect(&server.websocket()).await?;
//!
//! server.inject(Fault::RefuseLogins(ResponseCode::RespServerFull));
//! assert!(client.login(&Credentials::guest("ben")).await.is_err());
//! server.recover();
//! client.login(&Credentials::guest("ben")).await?;
//! client.send(Command::join_room(0)).await?.accepted()?;
//!
//! server.cut();
//! assert!(matches!(client.ended().await, End::HungUp { .. }));
//! # Ok(())
//! # }
//! ```
//!
//! | of a real server | here |
//! |---|---|
//! | login, salted passwords, registration | yes; any name may come as a guest, an address is not asked for |
//! | rooms, chat, private messages, lists of users and games | yes |
//! | games | create, join, watch, chat, leave, resume a seat after a cut |
//! | what is played | decks, the start, drawing, moving own cards, tapping, counters, turns and phases, conceding; it goes by itself when all seats are taken and ready |
//! | tokens, attachments, arrows, other players' cards, judges, the sideboard | no: answered with `RespFunctionNotAllowed` |
//! | storage of decks and replays, moderation, administration | no: answered with `RespFunctionNotAllowed` |
//! | limits | [`Fault::Flood`]; silence and idleness are not watched |
//!
//! Nothing of it is random: decks stay in their order, dice show a one.

mod cards;
mod connections;
mod decks;
mod fault;
mod game;
mod message;
mod received;
mod server;
mod sessions;
mod world;

pub use fault::Fault;
pub use received::ReceivedCommand;
pub use server::{Server, ServerBuilder};

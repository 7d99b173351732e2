//! An in-process game server for testing bots and clients, without Servatrice or a database.
//!
//! [`Server`] listens on loopback, over TCP and WebSocket, and speaks the protocol as Servatrice does:
//! logins of guests and accounts, and rooms with chat. It misbehaves on demand: see [`Fault`].
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use portreeve::game::client::{Client, Credentials, End};
//! use portreeve::game::testing::{Fault, Server};
//! use portreeve::game::{Command, ResponseCode};
//!
//! let server = Server::builder().account("ann", "secret").start().await?;
//! let (client, _events) = Client::connect(&server.websocket).await?;
//!
//! server.inject(Fault::RefuseLogins(ResponseCode::RespServerFull));
//! assert!(client.login(&Credentials::guest("ben")).await.is_err());
//! server.recover();
//! client.login(&Credentials::guest("ben")).await?;
//! client.request(Command::join_room(0)).await?;
//!
//! server.cut();
//! assert!(matches!(client.ended().await, End::HungUp { .. }));
//! # Ok(())
//! # }
//! ```
//!
//! | of a real server | here |
//! |---|---|
//! | login, salted passwords | yes; any name is accepted as a guest |
//! | rooms, chat, private messages, lists of users | yes; no updates follow a list of users or rooms |
//! | several commands in a container | carried out from the last to the first |
//! | anything else | refused: in the session and rooms with `RespFunctionNotAllowed`, in games `RespNotInRoom`, of moderators `RespLoginNeeded`; of developers, or empty, `RespInvalidCommand` |
//! | limits | [`Fault::Flood`]; silent and idle clients are not disconnected |
//!
//! It has no games, since it would grant every move. To test a game, record a session with a real server, and
//! play it with [`Server::script`] as often as you like: see [`Script`].

mod fault;
mod listeners;
mod message;
mod script;
mod server;
mod world;

pub use fault::Fault;
pub use script::{Script, ScriptError, ScriptedServer, record};
pub use server::{ReceivedCommand, Server, ServerBuilder};

//! A gateway to a Nextcloud server for callers with bearer tokens; and a zero-copy reader of Cockatrice's game protocol
//! with a client for it.
//!
//! # The gateway
//!
//! A REST API (docs/API.md) that takes OAuth bearer tokens and calls Nextcloud with the app password that the user has
//! stored: Tower layers composed by hand over raw hyper. It is a [`tower::Service`](gateway::Gateway::into_service), so
//! it runs in any hyper or axum server, and in a test without a socket:
//!
//! ```
//! # #[cfg(feature = "gateway")]
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), tower::BoxError> {
//! use http::Request;
//! use http_body_util::{BodyExt as _, Empty};
//! use portreeve::gateway::Gateway;
//! use portreeve::groupware::Groupware;
//! use portreeve::identity::{BearerToken, Caller, RefusalReason, TokenVerifier, VerifyError};
//! use portreeve::vault::{Keyring, MemoryStore, Vault};
//! use tower::ServiceExt as _;
//!
//! /// Knows one token.
//! struct OneToken;
//!
//! impl TokenVerifier for OneToken {
//!     async fn verify(
//!         &self,
//!         token: &BearerToken,
//!         _: &http::request::Parts,
//!     ) -> Result<Caller, VerifyError> {
//!         match token.expose() {
//!             "let-alice-in" => Ok(Caller::new("alice")),
//!             _ => Err(RefusalReason::Unknown.into()),
//!         }
//!     }
//! }
//!
//! let vault = Vault::new(Keyring::generate()?, MemoryStore::new());
//! let groupware = Groupware::new("https://cloud.example.org".parse()?, Default::default())?;
//! let service = Gateway::new(OneToken, vault)
//!     .groupware(groupware)
//!     .into_service()?;
//!
//! let request = Request::get("/api/v1/apps")
//!     .header("authorization", "Bearer let-alice-in")
//!     .body(Empty::<bytes::Bytes>::new())?;
//! let response = service.oneshot(request).await?;
//! // Alice has not stored an app password yet.
//! assert_eq!(response.status(), 428);
//! let body = response.into_body().collect().await?.to_bytes();
//! assert!(body.starts_with(br#"{"error":"Provisioning required""#));
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "gateway"))]
//! # fn main() {}
//! ```
//!
//! [`gateway::layer`] has its layers, for a stack of your own; docs/EMBEDDING.md has code to paste.
//!
//! # The reader
//!
//! Views over the bytes of a message: nothing is copied or allocated, and a payload is read only on request.
//!
//! ```
//! # #[cfg(feature = "game")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use portreeve::game::payload::Payload;
//! use portreeve::game::{Response, ResponseCode};
//!
//! // The answer to command 7, a PasswordSalt.
//! let bytes = b"\x08\x07\x10\x01\xca\x3f\x06\x0a\x04salt";
//!
//! let response = Response::parse(bytes)?;
//! assert_eq!(response.cmd_id(), 7);
//! assert_eq!(response.code(), Some(ResponseCode::RespOk));
//! let Some(Payload::PasswordSalt(payload)) = response.payload()? else {
//!     panic!("another payload");
//! };
//! assert_eq!(payload.password_salt()?, "salt");
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "game"))]
//! # fn main() {}
//! ```
//!
//! Commands, events and replays are read in the same way, and commands can be built to send:
//! docs/GAME.md describes the protocol, with diagrams of a session and of a command, [`game`] the types.
//!
//! # The client
//!
//! A session with a game server, over TCP or WebSocket, is a `tower::Service` from commands to answers and a stream of
//! events. The client keeps it alive, within the server's flood limits, and says how it ended: docs/GAME_CLIENT.md has a
//! bot and its test, [`game`] the types.
//!
//! `docs/…` is a page in the folder of that name, beside the sources.
//!
//! # As a dependency
//!
//! The default features are those of the binary. Enable only the ones you use:
//!
//! ```toml
//! portreeve = { path = "../portreeve", default-features = false, features = ["gateway"] }
//! ```
//!
//! | features | what for | packages |
//! |---|---|--:|
//! | `game` | messages in memory | 6 |
//! | `game-tokio` | messages from a connection | 13 |
//! | `game-client` | a session with a game server | about 80 |
//! | `gateway` | the gateway in your server, with a store in memory | about 110 |
//! | `gateway`, `sqlite` | the same, with a store in a file | about 115 |
//! | `gateway`, `postgres` | the same, with a store that several gateways share | about 140 |
//! | `cli` | the binary, without the game and PostgreSQL | about 170 |
//! | the default features | the binary | about 190 |
//!
//! [`Gateway`](gateway::Gateway) and [`Vault`](vault::Vault) list the versions of other crates that they work with;
//! [`Client`](game::client::Client) works with `bytes` 1, `futures-util` 0.3, `rustls` 0.23, `tokio` 1 and `tower` 0.5.
#![deny(missing_docs)]
// No input may cause a panic; a test says what it expects by one.
#![cfg_attr(not(test), warn(clippy::panic, clippy::unwrap_used))]
// docs.rs shows which feature each item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
// The table above names modules that smaller feature sets leave out.
#![cfg_attr(
    not(all(feature = "game-client", feature = "gateway", feature = "metrics")),
    allow(rustdoc::broken_intra_doc_links)
)]

#[cfg(feature = "postgres")]
mod any_server;
#[cfg(feature = "gateway")]
pub mod audit;
#[cfg(feature = "gateway")]
mod causes;
#[cfg(feature = "gateway")]
pub mod deliveries;
#[cfg(feature = "gateway")]
mod files;
#[cfg(feature = "game")]
pub mod game;
#[cfg(feature = "gateway")]
pub mod gateway;
#[cfg(feature = "gateway")]
pub mod groupware;
#[cfg(feature = "gateway")]
mod headers;
#[cfg(any(feature = "gateway", feature = "game-client"))]
mod hex;
#[cfg(feature = "gateway")]
pub mod identity;
#[cfg(feature = "gateway")]
mod labels;
#[cfg(feature = "metrics")]
pub mod metrics;
#[cfg(feature = "gateway")]
mod names;
#[cfg(any(feature = "gateway", feature = "game-client"))]
mod opaque;
#[cfg(feature = "gateway")]
pub mod outbound;
#[cfg(feature = "gateway")]
mod random;
#[cfg(feature = "gateway")]
pub mod server;
#[cfg(feature = "gateway")]
mod tally;
// `outbound` exports parts of it.
#[cfg(any(feature = "gateway", feature = "game-client"))]
#[cfg_attr(not(feature = "gateway"), allow(unreachable_pub))]
mod tls;
#[cfg(feature = "gateway")]
mod until;
#[cfg(feature = "gateway")]
pub mod vault;

/// The code on the pages compiles.
#[cfg(all(doctest, feature = "cli", feature = "game-client"))]
mod pages {
    #[doc = include_str!("../README.md")]
    mod readme {}
    #[doc = include_str!("../docs/DELIVERIES.md")]
    mod deliveries {}
    #[doc = include_str!("../docs/EMBEDDING.md")]
    mod embedding {}
    #[doc = include_str!("../docs/GAME.md")]
    mod game {}
    #[doc = include_str!("../docs/GAME_CLIENT.md")]
    mod game_client {}
    #[doc = include_str!("../docs/IDENTITY.md")]
    mod identity {}
}

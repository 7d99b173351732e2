//! A guarded side gate to a Nextcloud server, and a zero-copy reader of Cockatrice's `Response`
//! messages.
//!
//! | module | what it is | feature |
//! |---|---|---|
//! | [`game`] | the `Response` protocol: reader, payload views, framing, pairing | `game` |
//! | [`identity`] | who is calling: [`identity::TokenVerifier`] and the verifiers | `gateway` |
//! | [`vault`] | stored app passwords: cipher, keys, stores | `gateway` |
//! | [`groupware`] | the outbound client of the groupware server | `gateway` |
//! | [`outbound`] | what outbound HTTP shares: origins, certificates | `gateway` |
//! | [`gateway`] | the management API: layers, endpoints, the error table | `gateway` |
//! | [`server`] | listeners, limits, graceful drain | `gateway` |
#![deny(missing_docs)]
// The table above names modules that smaller feature sets leave out.
#![cfg_attr(
    not(all(feature = "game", feature = "gateway")),
    allow(rustdoc::broken_intra_doc_links)
)]

#[cfg(feature = "gateway")]
mod files;
#[cfg(feature = "game")]
pub mod game;
#[cfg(feature = "gateway")]
pub mod gateway;
#[cfg(feature = "gateway")]
pub mod groupware;
#[cfg(feature = "gateway")]
pub mod identity;
#[cfg(feature = "gateway")]
mod names;
#[cfg(feature = "gateway")]
pub mod outbound;
#[cfg(feature = "gateway")]
pub mod server;
#[cfg(feature = "gateway")]
pub mod vault;

/// The code in the README compiles.
#[cfg(all(doctest, feature = "cli"))]
#[doc = include_str!("../README.md")]
struct Readme;

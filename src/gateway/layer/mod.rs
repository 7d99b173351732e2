//! The layers of the stack, one a file, outermost first.
//!
//! Each turns the request into something richer, and the types keep their order. Those that work in a stack of your own,
//! as in `examples/own_stack.rs`:
//!
//! | layer | takes | passes on |
//! |---|---|---|
//! | [`probes`] | `Request<B>` | the same; answers `/healthz`, `/readyz` and `/` itself |
//! | [`request_id`] | `Request<B>` | the same, in a span with its id |
//! | [`record`] | `Request<B>` | the same; logs one line about it |
//! | [`error_mapper`] | `Request<B>` | the same; turns errors into answers |
//! | [`body_limit`] | `Request<B>` | `Request<LimitedBody<B>>` |
//! | [`shared_key`] | `Request<B>` | the same |
//! | [`bearer`] | `Request<B>` | [`bearer::Verified`] |
//! | [`account`] | [`bearer::Verified`] | [`account::Authenticated`] |
//! | [`fairness`] | [`account::Authenticated`] | the same |
//! | [`forward`](super::forward) | [`account::Authenticated`] | the same; forwards what is the groupware server's |
//!
//! docs/ARCHITECTURE.md shows the others in between. A layer that refuses a request needs no more of the error type below
//! it than `From<`[`gateway::Error`](super::Error)`>`, which [`tower::BoxError`] and an enum of your own both have.
//!
//! Those that make another type of the request share one service, [`Admission`], and those that answer what is the same
//! for everybody share another one, [`Fixed`].
//!
//! A stack in the wrong order does not compile. Here the account would be looked up before the token is verified:
//!
//! ```compile_fail,E0277
//! use portreeve::gateway::Error;
//! use portreeve::gateway::layer::account::{AccountLayer, Authenticated};
//! use portreeve::gateway::layer::bearer::BearerLayer;
//! # use portreeve::identity::TokenVerifier;
//! use tower::{Service, ServiceBuilder};
//!
//! # fn takes_requests(_: impl Service<http::Request<String>>) {}
//! # fn stack(
//! #     verifier: impl TokenVerifier,
//! #     service: impl Service<Authenticated<http::Request<String>>, Error = Error> + Clone,
//! # ) {
//! takes_requests(
//!     ServiceBuilder::new()
//!         .layer(AccountLayer::default())
//!         .layer(BearerLayer::new(verifier))
//!         .service(service),
//! );
//! # }
//! ```
//!
//! With the two layers in the other order it does.

pub mod account;
pub(crate) mod admit;
mod audit;
pub(crate) mod basic;
pub mod bearer;
pub mod body_limit;
pub(crate) mod deadline;
pub(crate) mod decode;
pub mod error_mapper;
pub mod fairness;
pub(crate) mod fixed;
pub(crate) mod page;
pub mod probes;
pub(crate) mod provisioning;
pub(crate) mod public;
pub(crate) mod receive;
pub mod record;
pub mod request_id;
pub(crate) mod resource_metadata;
pub mod shared_key;

pub use admit::Admission;
pub use fixed::Fixed;

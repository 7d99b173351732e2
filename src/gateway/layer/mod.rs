//! The layers of the stack, one a file, outermost first.
//!
//! Each turns the request into something richer, and the types keep their order:
//!
//! | layer | takes | passes on |
//! |---|---|---|
//! | [`probes`] | `Request<B>` | the same; answers `/healthz`, `/readyz` and `/` itself |
//! | [`request_id`] | `Request<B>` | the same, in a span with its id |
//! | [`record`] | `Request<B>` | the same; logs one line about it |
//! | [`resource_metadata`] | `Request<B>` | the same; answers its own path itself |
//! | [`error_mapper`] | `Request<B>` | the same; turns errors into answers |
//! | [`receive`] | `Request<B>` | the same; answers deliveries itself |
//! | [`body_limit`] | `Request<B>` | `Request<LimitedBody<B>>` |
//! | [`shared_key`] | `Request<B>` | the same |
//! | [`public`] | `Request<B>` | the same; answers what needs no token itself |
//! | [`basic`] | `Request<B>` | the same, but for one path: [`basic::Unverified`] |
//! | [`bearer`] | `Request<B>` | [`bearer::Verified`] |
//! | [`account`] | [`bearer::Verified`] | [`account::Authenticated`] |
//! | [`fairness`] | [`account::Authenticated`], [`basic::Unverified`] | the same |
//! | [`decode`] | [`account::Authenticated`] with a limited body | [`decode::Decoded`] |
//! | [`provisioning`] | [`decode::Decoded`] | [`provisioning::Provisioned`] |
//!
//! All of them work in a stack of your own, as in `examples/own_stack.rs`: a layer that refuses a request needs no more of the
//! error type below it than `From<`[`gateway::Error`](super::Error)`>`, which
//! [`tower::BoxError`] and an enum of your own both have.
//!
//! Those that make another type of the request share one service, [`admit`], and those that answer what is the same for
//! everybody share another one, [`fixed`].
//!
//! A stack in the wrong order does not compile. Here the requests would be decoded before anybody
//! knows whose they are:
//!
//! ```compile_fail,E0277
//! use portreeve::gateway::layer::{account::AccountLayer, bearer::BearerLayer, decode::DecodeLayer};
//! use portreeve::gateway::{ClientAddress, Endpoints, Error, Logins};
//! # use portreeve::identity::TokenVerifier;
//! # use portreeve::gateway::layer::provisioning::ProvisioningLayer;
//! # use tower::{Service, ServiceBuilder};
//! # type Body = http_body_util::combinators::MapErr<http_body_util::Full<bytes::Bytes>, fn(std::convert::Infallible) -> Error>;
//! # fn takes_requests(_: impl Service<http::Request<Body>>) {}
//! # fn stack(
//! #     verifier: impl TokenVerifier,
//! #     endpoints: Endpoints,
//! #     logins: Logins,
//! # ) {
//! takes_requests(
//!     ServiceBuilder::new()
//!         .layer(DecodeLayer::new(ClientAddress::withheld()))
//!         .layer(BearerLayer::new(verifier))
//!         .layer(AccountLayer::default())
//!         .layer(ProvisioningLayer::new(None, logins))
//!         .service(endpoints),
//! );
//! # }
//! ```
//!
//! In the right order they do:
//!
//! ```
//! # use portreeve::gateway::layer::{account::AccountLayer, bearer::BearerLayer, decode::DecodeLayer};
//! # use portreeve::gateway::{ClientAddress, Endpoints, Error, Logins};
//! # use portreeve::identity::TokenVerifier;
//! # use portreeve::gateway::layer::provisioning::ProvisioningLayer;
//! # use tower::{Service, ServiceBuilder};
//! # type Body = http_body_util::combinators::MapErr<http_body_util::Full<bytes::Bytes>, fn(std::convert::Infallible) -> Error>;
//! # fn takes_requests(_: impl Service<http::Request<Body>>) {}
//! # fn stack(
//! #     verifier: impl TokenVerifier,
//! #     endpoints: Endpoints,
//! #     logins: Logins,
//! # ) {
//! takes_requests(
//!     ServiceBuilder::new()
//!         .layer(BearerLayer::new(verifier))
//!         .layer(AccountLayer::default())
//!         .layer(DecodeLayer::new(ClientAddress::withheld()))
//!         .layer(ProvisioningLayer::new(None, logins))
//!         .service(endpoints),
//! );
//! # }
//! ```

pub mod account;
pub mod admit;
mod audit;
pub mod basic;
pub mod bearer;
pub mod body_limit;
pub mod decode;
pub mod error_mapper;
pub mod fairness;
pub mod fixed;
pub mod probes;
pub mod provisioning;
pub mod public;
pub mod receive;
pub mod record;
pub mod request_id;
pub mod resource_metadata;
pub mod shared_key;

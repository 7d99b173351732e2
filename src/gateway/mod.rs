//! The management API as a [`tower::Service`] over `http` types
//! (specification, sections 4, 5 and 7.1).
//!
//! [`Gateway::into_service`] is the whole stack; [`layer`] holds its parts, for a stack of your
//! own.

mod client_address;
mod endpoint;
mod error;
pub mod layer;
mod login;
mod probes;
mod route;
mod stack;

pub use client_address::ClientAddress;
pub use endpoint::{
    AdminPolicy, CreateWebhook, CredentialEndpoints, Endpoints, ReadCredential, StoreCredential,
    StoreFault,
};
pub use error::Error;
pub use login::{LoginPolicy, Logins, Tried};
pub use probes::{ProbeLayer, Probes};
pub use stack::{Gateway, Limits};

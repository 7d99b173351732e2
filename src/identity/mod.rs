//! Authentication: the [`TokenVerifier`] trait, the [`Caller`] that it returns, and the verifiers.
//!
//! A verifier checks the bearer token of a request and identifies its caller (docs/API.md, section 2.1): an account, or
//! a [`Person`] at an identity provider. The token does not leave this module, except to an introspection endpoint.
//!
//! | verifier | accepts |
//! |---|---|
//! | [`StaticTokens`] | the tokens of a file of digests, created and revoked by [`TokensFile`] |
//! | [`JwtVerifier`] | JWT access tokens of an [`OpenIdProvider`] |
//! | [`IntrospectionVerifier`] | tokens that are active according to an introspection endpoint |
//! | [`Verifiers`] | the tokens of several of these verifiers, with a cache |

mod bearer_token;
mod cache;
mod caller;
mod check_limits;
mod digest;
mod introspection;
mod json_object;
mod jwt;
mod key_set;
mod observer;
mod provider;
mod provider_client;
mod purpose;
mod refusal;
mod requirements;
mod static_tokens;
mod tokens_file;
mod tokens_format;
mod verifier;
mod verifiers;

pub use crate::names::is_scope;
pub use bearer_token::BearerToken;
pub use cache::CacheLimits;
pub use caller::{Caller, Person};
pub use introspection::{
    ClientCredentials, IntrospectionEndpoint, IntrospectionVerifier, check_destination,
};
pub use jwt::JwtVerifier;
pub use observer::{CheckObserver, CheckOutcome, VerifierKind};
pub use provider::{Discovered, OpenIdProvider, Schedule, discovery_url};
pub use provider_client::{FetchError, ProviderClient};
pub use refusal::{RefusalReason, TokenRefusal};
pub use requirements::Requirements;
pub use static_tokens::StaticTokens;
pub use tokens_file::{NewToken, TokensFile, TokensFileError};
pub use tokens_format::TokenRecord;
pub use verifier::{TokenVerifier, VerifyError};
pub use verifiers::{VerifierBuildError, Verifiers};

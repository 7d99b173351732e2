//! Who is calling: static tokens, JWTs, introspection, and providers that misbehave.

use portreeve_test_support as support;

mod connections;
mod expiry;
mod introspection;
mod jwt;
mod jwt_attacks;
mod logs;
mod oidc_provider;
mod provider;
mod reasons;
mod static_tokens;

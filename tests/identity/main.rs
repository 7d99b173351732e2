//! Who is calling: static tokens, JWTs, introspection, and providers that misbehave.

#[path = "../support/mod.rs"]
mod support;

mod expiry;
mod introspection;
mod jwt;
mod jwt_attacks;
mod logs;
mod oidc_provider;
mod provider;
mod static_tokens;

//! Who is calling: the [`TokenVerifier`] trait, the [`Caller`] it makes, and the verifiers.
//!
//! A verifier takes the bearer token of a request and names the user it stands for
//! (specification, section 5 rule 1). The token goes no further than this module.

mod caller;
mod digest;
mod static_tokens;
mod tokens_file;
mod tokens_format;
mod user_id;
mod verifier;

pub use caller::Caller;
pub use static_tokens::StaticTokens;
pub use tokens_file::{NewToken, TokensFile, TokensFileError};
pub use tokens_format::TokenRecord;
pub use verifier::{BearerToken, TokenVerifier, VerifyError};

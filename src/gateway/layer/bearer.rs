//! Validates the bearer token, and determines whom it names (docs/API.md, section 2.1).
//!
//! It makes a [`Verified`] request, and the [account layer](super::account) below accepts no other.
//! The token stops here: its header field is removed from the request.

use std::sync::Arc;

use http::header::{AUTHORIZATION, Entry};
use http::request::Parts;
use http::{HeaderMap, Request};

use super::admit::{Admit, Decision};
use crate::gateway::Error;
use crate::gateway::authority::Presented;
use crate::identity::{BearerToken, Caller, TokenVerifier, VerifyError};

/// A request whose token was verified: the caller is known, but not the account yet.
///
/// [`BearerLayer`] makes one from a bearer token. A stack that authenticates differently, or a test, uses
/// [`vouch`](Self::vouch).
#[derive(Debug)]
pub struct Verified<R> {
    caller: Caller,
    request: R,
}

// === impl Verified ===

impl<R> Verified<R> {
    /// Asserts that `request` is from `caller`. Everything below relies on it.
    pub fn vouch(caller: Caller, request: R) -> Self {
        Self { caller, request }
    }

    /// The caller.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// The request. The bearer layer has removed its `Authorization` field.
    pub fn request(&self) -> &R {
        &self.request
    }

    /// The caller and the request.
    pub fn into_parts(self) -> (Caller, R) {
        (self.caller, self.request)
    }
}

/// Admits a request as one of the caller that its token names.
#[derive(Debug)]
pub struct BearerLayer<V> {
    verifier: Arc<V>,
}

// === impl BearerLayer ===

impl<V> BearerLayer<V> {
    /// Verifies tokens with `verifier`.
    pub fn new(verifier: V) -> Self {
        Self { verifier: Arc::new(verifier) }
    }
}

impl<V> Clone for BearerLayer<V> {
    fn clone(&self) -> Self {
        Self { verifier: self.verifier.clone() }
    }
}

impl<V: TokenVerifier, B: Send + 'static> Admit<Request<B>> for BearerLayer<V> {
    type Admitted = Verified<Request<B>>;

    fn admit(&self, request: Request<B>) -> Decision<Self::Admitted> {
        let (mut head, body) = request.into_parts();
        let token = match bearer_token(&mut head.headers) {
            Ok(token) => token,
            Err(error) => return Decision::Now(Err(error)),
        };
        match self.verifier.verify_now(&token, &head) {
            Some(caller) => Decision::Now(verified(caller, token, head, body)),
            None => {
                let verifier = self.verifier.clone();
                Decision::Later(Box::pin(async move {
                    let caller = verifier.verify(&token, &head).await;
                    verified(caller, token, head, body)
                }))
            }
        }
    }
}

fn verified<B>(
    caller: Result<Caller, VerifyError>,
    token: BearerToken,
    mut head: Parts,
    body: B,
) -> Result<Verified<Request<B>>, Error> {
    let caller = caller.map_err(Error::RefusedToken)?;
    Presented::keep(&mut head, token, caller.expires_at);
    Ok(Verified::vouch(caller, Request::from_parts(head, body)))
}

/// Takes the token of the one `Authorization` field: scheme without regard to case (RFC 9110 section
/// 11.1), one or more spaces, `b64token` (RFC 6750 section 2.1).
///
/// Two fields count as malformed: a proxy in front may have checked the other one.
fn bearer_token(headers: &mut HeaderMap) -> Result<BearerToken, Error> {
    let Entry::Occupied(fields) = headers.entry(AUTHORIZATION) else {
        return Err(Error::MissingToken);
    };
    let is_only = fields.iter().nth(1).is_none();
    let field = fields.remove();
    if !is_only {
        return Err(Error::MalformedAuthorization);
    }
    // Which characters a token has is checked below.
    let text = str::from_utf8(field.as_bytes()).map_err(|_| Error::MalformedAuthorization)?;
    let parts = text.split_at_checked("bearer".len());
    let (scheme, token) = parts.ok_or(Error::MalformedAuthorization)?;
    if !scheme.eq_ignore_ascii_case("bearer") || !token.starts_with(' ') {
        return Err(Error::MalformedAuthorization);
    }
    BearerToken::new(token.trim_matches(' ')).ok_or(Error::MalformedAuthorization)
}

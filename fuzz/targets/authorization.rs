//! A bearer token is read from exactly the `Authorization` fields that `docs/API.md`, section 2.1,
//! describes, whatever their bytes; the service behind gets none of them.
//!
//! The fields are the lines of the input.

use futures_util::FutureExt as _;
use http::Request;
use http::header::{AUTHORIZATION, HeaderValue};
use http::request::Parts;
use portreeve::gateway::Error;
use portreeve::gateway::layer::bearer::{BearerLayer, Verified};
use portreeve::identity::{BearerToken, Caller, TokenVerifier, VerifyError};
use tower::{Layer as _, ServiceExt as _, service_fn};

pub(crate) fn run(data: &[u8]) {
    let fields = match data {
        [] => Ok(Vec::new()),
        _ => data.split(|&byte| byte == b'\n').map(HeaderValue::from_bytes).collect(),
    };
    // The server passes no other bytes on.
    let Ok(fields) = fields else {
        return;
    };
    let expected = match &fields[..] {
        [] => Expected::Missing,
        [field] => token_in(field.as_bytes()).map_or(Expected::Malformed, Expected::Token),
        _ => Expected::Malformed,
    };
    let mut request = Request::new(());
    for field in &fields {
        request.headers_mut().append(AUTHORIZATION, field.clone());
    }
    let service =
        BearerLayer::new(NamedByToken).layer(service_fn(async |request: Verified<Request<()>>| {
            assert!(!request.request().headers().contains_key(AUTHORIZATION));
            Ok::<_, Error>(request.caller().name().to_owned())
        }));
    let answer = service.oneshot(request).now_or_never().expect("nothing waits");
    match (answer, expected) {
        (Ok(token), Expected::Token(expected)) => assert_eq!(token.as_bytes(), expected),
        (Err(Error::MissingToken), Expected::Missing) => {}
        (Err(Error::MalformedAuthorization), Expected::Malformed) => {}
        (answer, expected) => panic!("{answer:?} {expected:?}"),
    }
}

#[derive(Debug)]
enum Expected<'a> {
    Token(&'a [u8]),
    Missing,
    Malformed,
}

/// `"Bearer" 1*SP b64token`, with spaces at the end or without (RFC 6750, section 2.1).
fn token_in(field: &[u8]) -> Option<&[u8]> {
    let (scheme, rest) = field.split_at_checked("Bearer".len())?;
    let is_bearer = scheme.eq_ignore_ascii_case(b"Bearer") && rest.first() == Some(&b' ');
    let start = rest.iter().position(|&byte| byte != b' ')?;
    let end = rest.iter().rposition(|&byte| byte != b' ')?;
    let token = &rest[start..=end];
    let padding = token.iter().rev().take_while(|&&byte| byte == b'=').count();
    let body = &token[..token.len() - padding];
    let is_of_b64 = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~+/".contains(byte);
    (is_bearer && !body.is_empty() && body.iter().all(is_of_b64)).then_some(token)
}

/// Accepts each token as the user whose name it is: half of them at once, half later.
struct NamedByToken;

impl TokenVerifier for NamedByToken {
    async fn verify(&self, token: &BearerToken, head: &Parts) -> Result<Caller, VerifyError> {
        assert!(!head.headers.contains_key(AUTHORIZATION));
        Ok(Caller::new(token.expose()))
    }

    fn verify_now(&self, token: &BearerToken, head: &Parts) -> Option<Result<Caller, VerifyError>> {
        assert!(!head.headers.contains_key(AUTHORIZATION));
        token.expose().len().is_multiple_of(2).then(|| Ok(Caller::new(token.expose())))
    }
}

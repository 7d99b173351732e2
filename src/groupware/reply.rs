//! The result of a call, together with what its answer shows about the login.

use super::GroupwareError;

/// The outcome of a call made as an [`Account`](super::Account).
///
/// An answer shows two things: whether the call succeeded, and whether the app password works. They are independent: a 403
/// can prove a password, and a 200 can prove nothing. Both are decided where the answer is read, and passed on together.
///
/// ```
/// use portreeve::groupware::{GroupwareError, LoginEvidence, Reply};
///
/// let reply = Reply {
///     result: Err::<(), _>(GroupwareError::NotPermitted),
///     login: LoginEvidence::Accepted,
/// };
/// // Not an administrator, but authenticated: the password is right.
/// assert_eq!(reply.login, LoginEvidence::Accepted);
/// assert!(reply.result.is_err());
/// ```
#[derive(Debug)]
#[must_use]
pub struct Reply<T, E = GroupwareError> {
    /// The result of the call.
    pub result: Result<T, E>,
    /// The evidence that the answer gives about the login.
    pub login: LoginEvidence,
}

/// The evidence that an answer gives about the login of its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoginEvidence {
    /// The server authenticated the account: the app password works, and the account is the expected one if named.
    Accepted,
    /// The server refused the app password; with HTTP Basic, it counted a failed login.
    Refused,
    /// The server did not check the password: it refuses HTTP Basic from this address for a while.
    Throttled,
    /// A proxy or firewall in between refused the login: the server never saw it.
    Intercepted,
    /// Nothing: no answer, an answer that everyone would have got, or one for another account.
    None,
}

impl<T, E> Reply<T, E> {
    /// A failure that shows nothing about the login, such as one before any call was made.
    pub fn failed(error: impl Into<E>) -> Self {
        Self::without_login(Err(error.into()))
    }

    /// A result that shows nothing about a login, such as that of a call without credentials.
    pub(super) fn without_login(result: Result<T, E>) -> Self {
        Self { result, login: LoginEvidence::None }
    }

    /// The same evidence with another outcome, and the error converted to its type.
    pub fn and_then<U, F: From<E>>(self, outcome: impl FnOnce(T) -> Result<U, F>) -> Reply<U, F> {
        Reply { result: self.result.map_err(F::from).and_then(outcome), login: self.login }
    }
}

//! Whether an app password works, as far as an answer shows.

/// The evidence that an answer gives about the login of its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginEvidence {
    /// The server authenticated the account: the app password works. If the answer named an account, it
    /// is the expected one.
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

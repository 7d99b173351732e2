//! Whether an app password works, as far as an answer shows it.

/// What an answer says of the login it was asked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginEvidence {
    /// The server let the account in: the app password works. If the answer named an account, it
    /// is the one that was asked for.
    Accepted,
    /// The server refused the app password; by HTTP Basic, it counted a failed login.
    Refused,
    /// The server looked at no password: it takes no HTTP Basic from this address for a while.
    Throttled,
    /// Something in between refused the login: the server saw nothing of it.
    Intercepted,
    /// Nothing: no answer, an answer that anybody would have got, or one for another account.
    None,
}

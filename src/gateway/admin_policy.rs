//! Who is an administrator (docs/API.md, section 2.5).

/// Who may read the credentials of others, and whether that includes the password.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AdminPolicy {
    /// If set, exactly the callers whose token has this scope are administrators. Otherwise these are
    /// the members of the groupware server's group `admin`, whatever scopes they have.
    pub scope: Option<Box<str>>,
    /// Whether administrators may see the password itself; not by default.
    pub reveal: bool,
}

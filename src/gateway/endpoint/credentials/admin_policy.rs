//! Who is an administrator (docs/API.md, section 2.5).

/// Who may read the credentials of others, and what of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AdminPolicy {
    /// A token with this scope makes an administrator, and nothing else does. Without it, the
    /// members of the groupware server's group `admin` are administrators, whatever scopes they
    /// have.
    pub scope: Option<Box<str>>,
    /// Whether administrators may see the password itself. Not by default.
    pub reveal: bool,
}

// === impl AdminPolicy ===

impl AdminPolicy {
    /// Makes administrators of those whose token has `scope`, and of nobody else.
    #[must_use]
    pub fn scope(mut self, scope: impl Into<Box<str>>) -> Self {
        self.scope = Some(scope.into());
        self
    }

    /// Lets administrators see the password itself, or not.
    #[must_use]
    pub fn reveal(mut self, reveal: bool) -> Self {
        self.reveal = reveal;
        self
    }
}

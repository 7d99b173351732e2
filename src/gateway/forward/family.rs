//! What can be opened: families of APIs, and the scopes by which a token gets at them.

use std::fmt;

use crate::labels::labels;

labels! {
    /// A family of the server's APIs.
    pub enum Family {
        /// Files by WebDAV, with their trash, versions, comments and tags.
        Files = "files",
        /// CalDAV.
        Calendar = "calendar",
        /// CardDAV.
        Contacts = "contacts",
        Notes = "notes",
        Tables = "tables",
        Deck = "deck",
        Cookbook = "cookbook",
        /// Shares of files. What gives others data of another family needs its [`Right::Write`], too.
        Sharing = "sharing",
        News = "news",
        /// Mail. Only this family has [`Right::Send`].
        Mail = "mail",
        Talk = "talk",
        Collectives = "collectives",
    }
}

labels! {
    /// What a scope allows in its family. None includes another.
    pub enum Right {
        /// Requests that change nothing.
        Read = "read",
        /// Requests that change something.
        Write = "write",
        /// Sending mail, now or later.
        Send = "send",
    }
}

/// A scope: `notes.read`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Scope {
    /// Where it allows something.
    pub family: Family,
    /// What it allows.
    pub right: Right,
}

/// A set of scopes: what is opened, or what a token has or lacks.
///
/// ```
/// # use portreeve::gateway::forward::Scopes;
/// let opened = Scopes::opened_by(["notes", "calendar.read"]).unwrap();
/// assert_eq!(opened.to_string(), "calendar.read notes.read notes.write");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scopes(u64);

/// Why the setting `forward` cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenedError {
    /// There is no family or scope of this name.
    #[error(
        "{0:?} names nothing that can be forwarded: write a family, or one of its scopes, as in notes.read, \
         notes.write or mail.send. The families are {names}", names = Family::ALL.iter().map(|it| it.as_str()).collect::<Vec<_>>().join(", ")
    )]
    Unknown(Box<str>),
    /// An earlier name opens it already.
    #[error("{0:?} is opened by an earlier name: remove one of them")]
    Repeated(Box<str>),
}

// === impl Scope ===

impl Scope {
    /// The scope of this name, byte for byte.
    pub fn parse(name: &str) -> Option<Self> {
        let (family, right) = name.split_once('.')?;
        let (family, right) = (Family::named(family)?, Right::named(right)?);
        Some(Self { family, right }).filter(|it| it.exists())
    }

    fn exists(self) -> bool {
        self.right != Right::Send || self.family == Family::Mail
    }

    const fn bit(self) -> u64 {
        1 << (self.family as usize * Right::ALL.len() + self.right as usize)
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.family.as_str(), self.right.as_str())
    }
}

// === impl Scopes ===

impl Scopes {
    /// Reads the names of the setting: of a family, which opens all of it, or of one scope.
    ///
    /// # Errors
    /// A name is unknown, or opens what an earlier one has opened.
    pub fn opened_by<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, OpenedError> {
        let mut opened = Self::default();
        for name in names {
            let is_named = |it: &Scope| it.family.as_str() == name || it.to_string() == name;
            let scopes: Self = Self(u64::MAX).iter().filter(is_named).collect();
            if scopes.is_empty() {
                return Err(OpenedError::Unknown(name.into()));
            }
            if scopes.without(opened) != scopes {
                return Err(OpenedError::Repeated(name.into()));
            }
            opened.0 |= scopes.0;
        }
        Ok(opened)
    }

    /// The names of all that there are, sorted.
    pub(crate) fn names() -> Vec<String> {
        let mut names: Vec<_> = Self(u64::MAX).iter().map(|scope| scope.to_string()).collect();
        names.sort();
        names
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether `scope` is one of them.
    pub fn contains(self, scope: Scope) -> bool {
        self.0 & scope.bit() != 0
    }

    /// All of them, in the order of the families.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        let of = |&family| Right::ALL.iter().map(move |&right| Scope { family, right });
        Family::ALL.iter().flat_map(of).filter(move |it| it.exists() && self.contains(*it))
    }

    pub(super) fn has_some_of(self, family: Family) -> bool {
        Right::ALL.iter().any(|&right| self.contains(Scope { family, right }))
    }

    /// Those that are not among `others`.
    pub(super) fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(scopes.into_iter().fold(0, |bits, scope| bits | scope.bit()))
    }
}

/// The names, separated by spaces, as in a challenge (RFC 6750, section 3).
impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.iter().map(|scope| scope.to_string()).collect();
        f.write_str(&names.join(" "))
    }
}

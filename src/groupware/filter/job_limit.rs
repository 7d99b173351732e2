//! The size limit of the server's job queue.

/// The maximum size of a job's argument at a server, as JSON (docs/API.md, section 4.9).
///
/// Source: `JobList::add` of Nextcloud 32.0.1 and 34.0.1 (lib/private/BackgroundJob/JobList.php).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JobLimit {
    /// 4,000 characters: servers before Nextcloud 34, and those whose version is unknown.
    #[default]
    Before34,
    /// 32,000 characters: Nextcloud 34 and later.
    From34,
}

// === impl JobLimit ===

impl JobLimit {
    /// Both limits, the smaller one first.
    pub const ALL: [Self; 2] = [Self::Before34, Self::From34];

    /// The limit of servers with this major version.
    pub fn of_version(major: u64) -> Self {
        match major {
            0..34 => Self::Before34,
            34.. => Self::From34,
        }
    }

    /// The maximum number of characters.
    pub fn characters(self) -> usize {
        match self {
            Self::Before34 => 4_000,
            Self::From34 => 32_000,
        }
    }
}

//! The policy for webhooks whose deliveries can be too large for the server.

/// The policy for webhooks whose deliveries can be too large for the server's queue, so that what a user
/// writes is lost (docs/API.md, section 4.9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnboundedWebhooks {
    /// They are created, with a warning in the answer.
    #[default]
    Warn,
    /// They are refused.
    Refuse,
}

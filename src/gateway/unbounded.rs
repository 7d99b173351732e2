//! What becomes of webhooks whose deliveries can be too large for the server.

/// What becomes of a webhook that nothing keeps from making deliveries that the server cannot queue, so that
/// what a user writes is lost (docs/API.md, section 4.9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnboundedWebhooks {
    /// It is created, and the answer says so.
    #[default]
    Warn,
    /// It is refused.
    Refuse,
}

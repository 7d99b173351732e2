use std::time::Duration;

use super::FloodLimits;
use crate::game::transport::connection::Connector;

/// The settings that the driver of a connection needs: those of a [`ClientBuilder`](super::ClientBuilder), without the
/// ones that are used up when the session begins.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) connector: Connector,
    pub(super) call_timeout: Duration,
    pub(super) keep_alive: Duration,
    pub(super) flood_limits: Option<FloodLimits>,
    pub(super) answers_among_events: bool,
}

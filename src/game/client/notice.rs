use super::session_event;
use crate::game::schema::event::{CloseReason, ConnectionClosed};

/// The notice that a server sends before it closes a connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Notice {
    /// The reason; `None` if this crate does not know it.
    pub reason: Option<CloseReason>,
    /// The reason as text; may be empty.
    pub text: String,
    /// When a ban ends, in seconds since 1970; a ban without it is permanent.
    pub until: Option<u32>,
}

impl Notice {
    pub(super) fn read(message: &[u8]) -> Option<Self> {
        let closed = session_event::<ConnectionClosed<'_>>(message).ok()??;
        Some(Self {
            reason: closed.reason,
            text: closed.reason_str.unwrap_or_default().to_string_lossy().into_owned(),
            until: closed.end_time,
        })
    }

    /// The reason and the text, to be appended to a description.
    pub(super) fn details(&self) -> String {
        let reason = self.reason.map(|reason| format!(" ({})", reason.name()));
        let mut details = reason.unwrap_or_default();
        if !self.text.is_empty() {
            details += &format!(": {:?}", self.text);
        }
        details
    }
}

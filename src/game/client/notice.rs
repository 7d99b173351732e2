use crate::game::schema::ServerMessage;
use crate::game::schema::event::{CloseReason, ConnectionClosed};

/// What a server says when it closes a connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Notice {
    /// The reason; `None` if it is one that this crate does not know.
    pub reason: Option<CloseReason>,
    /// The reason in words; may be empty.
    pub text: String,
    /// Until when, in seconds since 1970; absent for a ban means for ever.
    pub until: Option<u32>,
}

impl Notice {
    /// The notice in a message of a server; `None` if the message is another one.
    pub(super) fn of(message: &[u8]) -> Option<Self> {
        let event = ServerMessage::parse(message).ok()?.session_event().ok()??;
        let closed = event.get::<ConnectionClosed<'_>>().ok()??;
        Some(Self {
            reason: closed.reason,
            text: closed
                .reason_str
                .map(|text| String::from_utf8_lossy(text.as_bytes()).into_owned())
                .unwrap_or_default(),
            until: closed.end_time,
        })
    }
}

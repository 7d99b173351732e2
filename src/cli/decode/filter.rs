//! Which messages are printed.

use std::ops::ControlFlow;

use portreeve::game::DecodeError;

use super::content::Content;

/// What was asked for; everything if nothing was.
#[derive(Debug, Default)]
pub(super) struct Filter {
    /// Names of types, payloads, commands and events.
    pub(super) kinds: Vec<String>,
    /// Numbers that pair commands and answers.
    pub(super) cmd_ids: Vec<u64>,
}

// === impl Filter ===

impl Filter {
    /// Whether every message is wanted, also one that cannot be read.
    pub(super) fn is_empty(&self) -> bool {
        self.kinds.is_empty() && self.cmd_ids.is_empty()
    }

    /// Whether this message is wanted.
    pub(super) fn wants(&self, content: &Content<'_>) -> Result<bool, DecodeError> {
        if !self.cmd_ids.is_empty() {
            let cmd_id = content.cmd_id()?;
            if !cmd_id.is_some_and(|cmd_id| self.cmd_ids.contains(&cmd_id)) {
                return Ok(false);
            }
        }
        if self.kinds.is_empty() || self.wants_kind(content.type_name()) {
            return Ok(true);
        }
        let mut wanted = ControlFlow::Continue(());
        content.names(&mut |name| {
            if self.wants_kind(name) {
                wanted = ControlFlow::Break(());
            }
        })?;
        Ok(wanted.is_break())
    }

    /// Whether this kind was asked for: `room_say`, `ROOM_SAY` or `room-say`.
    pub(super) fn wants_kind(&self, name: &str) -> bool {
        self.kinds.iter().any(|kind| {
            kind.len() == name.len()
                && kind.bytes().zip(name.bytes()).all(|(asked, name)| {
                    asked.eq_ignore_ascii_case(&name) || (asked == b'-' && name == b'_')
                })
        })
    }
}

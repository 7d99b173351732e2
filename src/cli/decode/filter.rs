//! Which messages are printed.

use portreeve::game::DecodeError;

use super::content::Content;

/// The requested messages; everything if it is empty.
#[derive(Debug, Default)]
pub(super) struct Filter {
    /// Names of types, payloads, commands and events.
    pub(super) kinds: Vec<String>,
    /// Names of those to leave out.
    pub(super) left_out: Vec<String>,
    /// Numbers that pair commands and answers.
    pub(super) cmd_ids: Vec<u64>,
}

// === impl Filter ===

impl Filter {
    /// Whether every message is wanted, including unreadable ones.
    pub(super) fn is_empty(&self) -> bool {
        self.kinds.is_empty() && self.left_out.is_empty() && self.cmd_ids.is_empty()
    }

    /// Whether this message is wanted.
    pub(super) fn wants(&self, content: &Content<'_>) -> Result<bool, DecodeError> {
        if !self.cmd_ids.is_empty() {
            let cmd_id = content.cmd_id()?;
            if !cmd_id.is_some_and(|cmd_id| self.cmd_ids.contains(&cmd_id)) {
                return Ok(false);
            }
        }
        let kind = content.type_name();
        let mut wanted = self.kinds.is_empty() || is_among(&self.kinds, kind);
        let mut left_out = is_among(&self.left_out, kind);
        if left_out || wanted && self.left_out.is_empty() {
            return Ok(!left_out);
        }
        let mut named = |name| {
            wanted |= is_among(&self.kinds, name);
            left_out |= is_among(&self.left_out, name);
        };
        content.context()?.into_iter().for_each(&mut named);
        content.names(&mut named)?;
        Ok(wanted && !left_out)
    }

    /// Whether an event in this context is wanted; `context` is empty without one.
    pub(super) fn wants_event(&self, event: &str, context: &str) -> bool {
        let is_any = |kinds: &[String]| is_among(kinds, event) || is_among(kinds, context);
        !is_any(&self.left_out) && (self.kinds.is_empty() || is_any(&self.kinds))
    }
}

/// Whether a name is among `kinds`, which may be written `room_say`, `ROOM_SAY` or `room-say`.
pub(super) fn is_among(kinds: &[String], name: &str) -> bool {
    kinds.iter().any(|kind| {
        kind.len() == name.len()
            && kind.bytes().zip(name.bytes()).all(|(asked, name)| {
                asked.eq_ignore_ascii_case(&name) || (asked == b'-' && name == b'_')
            })
    })
}

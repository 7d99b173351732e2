//! One line per message, like a log.

use std::fmt::Write as _;

use portreeve::game::DecodeError;

use super::content::{self, Content};
use super::input::Item;
use crate::cli::terminal::escape;

pub(super) const HEAD: &str =
    "    OFFSET      SIZE  TYPE                     CMD_ID  CODE                     CONTENT";

/// Appends the line of this message to `line`; returns `false` if it cannot be read.
pub(super) fn line(
    item: &Item<'_>,
    content: Result<Content<'_>, String>,
    line: &mut String,
) -> bool {
    // Writing to memory does not fail.
    let _ = write!(line, "{:>10} {:>9}  ", item.offset, item.size);
    let written = content::write(content, line, describe);
    if let Err((reason, _)) = &written {
        let _ = write!(line, "error: {}", escape(reason));
    }
    written.is_ok()
}

fn describe(content: &Content<'_>, line: &mut String) -> Result<(), DecodeError> {
    content.whole.check()?;
    let cmd_id = content.cmd_id()?.map(|cmd_id| cmd_id.to_string());
    let code = content.response()?.and_then(|response| match response.code() {
        Some(code) => Some(code.name().to_owned()),
        None => Some(response.raw_code()?.to_string()),
    });
    let [cmd_id, code] = [cmd_id, code].map(|it| it.unwrap_or("-".to_owned()));
    let name = content.type_name()?;
    let _ = write!(line, "{name:<20} {cmd_id:>10}  {code:<24} ");
    let start = line.len();
    content.describe(line)?;
    if line.len() == start {
        line.push('-');
    }
    line.truncate(line.trim_end().len());
    Ok(())
}

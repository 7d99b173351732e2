use super::error::FrameError;

const GREETING_START: &[u8] = b"<?xml version=\"1.0\"?><cockatrice_server_stream version=\"";
const GREETING_END: &[u8] = b"\">";
/// The number of bytes that distinguish a greeting from the length of a frame.
const PREFIX_LEN: usize = 4;
/// The maximum number of digits of the version in a greeting.
const VERSION_DIGITS: usize = 9;

/// The greeting of a server with this protocol version.
pub fn greeting(version: u32) -> Vec<u8> {
    [GREETING_START, version.to_string().as_bytes(), GREETING_END].concat()
}

pub(super) enum Start<'a> {
    Greeting(&'a [u8]),
    Incomplete(usize),
    Frame,
}

/// Distinguishes a greeting from a frame, whose length would be above 1 GB if it began like one.
pub(super) fn start_of(bytes: &[u8]) -> Result<Start<'_>, FrameError> {
    let known = bytes.len().min(GREETING_START.len());
    if bytes[..known] != GREETING_START[..known] {
        let looks_like_it =
            bytes.len() >= PREFIX_LEN && bytes.starts_with(&GREETING_START[..PREFIX_LEN]);
        return if looks_like_it { Err(FrameError::Greeting) } else { Ok(Start::Frame) };
    }
    let rest = &bytes[known..];
    let shortest = GREETING_START.len() + 1 + GREETING_END.len();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let end = &rest[digits..];
    if digits > VERSION_DIGITS || (digits == 0 && !rest.is_empty()) {
        return Err(FrameError::Greeting);
    }
    if let Some(rest) = end.strip_prefix(GREETING_END) {
        return Ok(Start::Greeting(rest));
    }
    if !GREETING_END.starts_with(end) {
        return Err(FrameError::Greeting);
    }
    let missing = shortest.saturating_sub(bytes.len()).max(GREETING_END.len() - end.len());
    Ok(Start::Incomplete(missing))
}

//! Which account ids are taken from outside.

/// `user_id`, where a groupware server can have such an account and HTTP Basic can name it.
///
/// The error says what a user is like.
pub(super) fn check_user_id(user_id: &str) -> Result<&str, &'static str> {
    // RFC 7617, section 2, has neither control characters nor a colon in a user's name.
    if user_id.is_empty() || user_id.len() > MAX_LEN {
        Err("a user is 1 to 255 bytes long")
    } else if user_id.contains(|c: char| c.is_control() || c == ':') {
        Err("a user has neither control characters nor a colon")
    } else {
        Ok(user_id)
    }
}

const MAX_LEN: usize = 255;

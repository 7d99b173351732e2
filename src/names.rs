//! Checks the names of accounts and scopes that come from outside.

/// Maximum length of a user id or login name, in bytes.
pub(crate) const MAX_LEN: usize = 255;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameError {
    /// It is empty or longer than [`MAX_LEN`].
    Length,
    Character,
}

/// `user_id`, if it can be stored: 1 to 255 bytes without control characters, as it stands on one line in the log.
pub(crate) fn check_user_id(user_id: &str) -> Result<&str, NameError> {
    check(user_id, char::is_control)
}

/// `name`, if HTTP Basic can transmit it: like a user id, but without a colon, which would end it (RFC 7617, section 2).
pub(crate) fn check_login_name(name: &str) -> Result<&str, NameError> {
    check(name, |c| c.is_control() || c == ':')
}

/// Whether `text` is one scope (RFC 6749, section 3.3): visible ASCII without quotes and backslashes.
///
/// ```
/// use portreeve::identity::is_scope;
///
/// assert!(is_scope("portreeve:admin"));
/// assert!(!is_scope("two scopes"));
/// ```
pub fn is_scope(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\');
    !text.is_empty() && text.bytes().all(fits)
}

fn check(name: &str, is_refused: impl Fn(char) -> bool) -> Result<&str, NameError> {
    if !(1..=MAX_LEN).contains(&name.len()) {
        Err(NameError::Length)
    } else if name.contains(is_refused) {
        Err(NameError::Character)
    } else {
        Ok(name)
    }
}

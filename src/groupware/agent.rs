//! The `User-Agent` by which the groupware server's grant page names the person who asks for access.

/// Maximum length of the name and of the subject, in characters. Together they stay below the 120
/// characters at which the server truncates the name of an app password.
const MAX_CHARS: usize = 48;

/// `Portreeve for <name> (<subject>)`, or `Portreeve for <subject>` without a name.
///
/// At many providers users can change their name, and might choose a misleading one. So the subject is
/// shown beside it, and nothing in the name can imitate it, hide it or push it out of sight.
pub(super) fn naming(name: Option<&str>, subject: &str) -> String {
    let name = name.map(|name| sanitize(name).replace(['(', ')'], "?"));
    let subject = sanitize(subject);
    match name {
        Some(name) if !name.is_empty() && name != subject => {
            format!("Portreeve for {name} ({subject})")
        }
        _ => format!("Portreeve for {subject}"),
    }
}

/// Replaces characters of `text` that could mislead or are not allowed in a header: letters and digits
/// of any script stay, and visible ASCII except angle brackets. White space is collapsed, and the text
/// truncated if it is too long.
fn sanitize(text: &str) -> String {
    let plain = |c: char| match c {
        '<' | '>' => '?',
        _ if c.is_alphanumeric() || c.is_ascii_graphic() => c,
        _ => '?',
    };
    let words = text.split_whitespace();
    let words: Vec<String> = words
        .map(|word| word.chars().map(plain).collect())
        .collect();
    let text = words.join(" ");
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}...", text[..end].trim_end()),
        None => text,
    }
}

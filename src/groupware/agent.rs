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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_who_asks() {
        for (name, subject, expected) in [
            (None, "alice", "Portreeve for alice"),
            (Some("alice"), "alice", "Portreeve for alice"),
            (Some("Ana María"), "f3a1", "Portreeve for Ana María (f3a1)"),
            (Some("李雷"), "auth0|12", "Portreeve for 李雷 (auth0|12)"),
            (Some(""), "f3a1", "Portreeve for f3a1"),
            (Some("  \t "), "f3a1", "Portreeve for f3a1"),
        ] {
            assert_eq!(naming(name, subject), expected);
        }
    }

    #[test]
    fn what_could_mislead_does_not() {
        for (name, expected) in [
            ("alice (b5d2)", "Portreeve for alice ?b5d2? (f3a1)"),
            ("a\r\nCookie: x", "Portreeve for a Cookie: x (f3a1)"),
            ("a\u{202e}b\u{200b}c\0", "Portreeve for a?b?c? (f3a1)"),
            ("<b>a</b>", "Portreeve for ?b?a?/b? (f3a1)"),
        ] {
            assert_eq!(naming(Some(name), "f3a1"), expected);
        }
        let long = "x".repeat(4000);
        for text in [
            naming(Some(&long), &long.replace('x', "y")),
            naming(Some(&format!("alice{}", " ".repeat(500))), &long),
            naming(Some(&"語".repeat(1000)), &long),
        ] {
            assert!(text.chars().count() < 120, "{text}");
            assert!(http::HeaderValue::from_bytes(text.as_bytes()).is_ok());
        }
    }
}

//! The rules of a server for user names.

/// Describes the rules that a server sends when it refuses a name; `None` if the text is not such rules.
///
/// They are nine fields separated by vertical bars: the minimum and maximum length; whether lower case,
/// upper case, digits, and punctuation at the start are allowed; the allowed punctuation; forbidden
/// words, and regular expressions that must not match. The last field may contain bars.
pub(super) fn in_words(rules: &str) -> Option<String> {
    let fields: Vec<_> = rules.splitn(9, '|').collect();
    let [min, max, lower, upper, digits, first, marks, words, patterns] = fields[..] else {
        return None;
    };
    let (min, max): (u32, u32) = (min.parse().ok()?, max.parse().ok()?);
    let flag = |field: &str| match field {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    };
    let mut allowed = Vec::new();
    for (is_allowed, what) in [
        (flag(lower)?, "lower-case letters"),
        (flag(upper)?, "upper-case letters"),
        (flag(digits)?, "digits"),
    ] {
        allowed.extend(is_allowed.then(|| what.to_owned()));
    }
    let first = flag(first)?;
    if !marks.is_empty() {
        let place = if first { "" } else { ", but not at the start" };
        allowed.push(format!("the characters {marks}{place}"));
    }
    let allowed = allowed.join(", ");
    let mut text = format!("a name has {min} to {max} characters and consists of {allowed}");
    if !words.is_empty() {
        text.push_str(&format!("; it must not contain {words}"));
    }
    if !patterns.is_empty() {
        text.push_str(&format!("; it must not match {patterns}"));
    }
    Some(text)
}

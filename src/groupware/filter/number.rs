//! PHP's numbers, and its numeric strings.

use std::cmp::Ordering;
use std::fmt;

/// The white space that PHP skips around a number in a text.
const BLANKS: [char; 6] = [' ', '\t', '\n', '\r', '\u{b}', '\u{c}'];

/// The digits of the smallest integer.
const LEAST: &str = "9223372036854775808";

/// A PHP number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Int(i64),
    Float(f64),
}

/// A number at the start of a text.
#[derive(Clone, Copy)]
struct ParsedNumber {
    number: Number,
    /// `Greater` if it is a whole number above all integers, `Less` below all.
    beyond: Ordering,
}

/// Compares two texts: as numbers if both are numeric, else as texts. Whole numbers beyond the integers
/// that are equal as floats are compared as texts, and so is infinity.
///
/// Source: `zendi_smart_strcmp` of PHP 8 (Zend/zend_operators.c), which is consistent with `==` of texts.
pub(super) fn compare_texts(one: &str, other: &str) -> Option<Ordering> {
    let (Some(left), Some(right)) = (ParsedNumber::parse(one), ParsedNumber::parse(other)) else {
        return Some(one.cmp(other));
    };
    match (left.number, right.number) {
        (Number::Float(a), Number::Float(b)) => {
            let is_beyond = left.beyond.is_ne() && left.beyond == right.beyond;
            if a == b && (is_beyond || a.is_infinite()) {
                Some(one.cmp(other))
            } else {
                a.partial_cmp(&b)
            }
        }
        (Number::Int(_), Number::Float(_)) if right.beyond.is_ne() => Some(right.beyond.reverse()),
        (Number::Float(_), Number::Int(_)) if left.beyond.is_ne() => Some(left.beyond),
        (left, right) => left.compare(right),
    }
}

// === impl Number ===

impl Number {
    /// The number that a whole text is, apart from white space around it.
    pub(super) fn parse(text: &str) -> Option<Number> {
        ParsedNumber::parse(text).map(|parsed| parsed.number)
    }

    /// The number at the start of a text.
    pub(super) fn parse_start(text: &str) -> Option<Number> {
        ParsedNumber::split(text).map(|(parsed, _)| parsed.number)
    }

    pub(super) fn is_zero(self) -> bool {
        self.float() == 0.0
    }

    /// Never `None` for numbers from JSON, which has no NaN.
    pub(super) fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(one), Self::Int(other)) => Some(one.cmp(&other)),
            _ => self.float().partial_cmp(&other.float()),
        }
    }

    /// Compares it with a text: as numbers if the text is numeric, else as texts.
    pub(super) fn compare_with_text(self, text: &str) -> Option<Ordering> {
        match Number::parse(text) {
            Some(other) => self.compare(other),
            None => Some(self.to_string().as_str().cmp(text)),
        }
    }

    /// Truncated; saturates at the bounds of the integers, as PHP does for texts.
    pub(super) fn nearest_integer(self) -> i64 {
        match self {
            Self::Int(value) => value,
            Self::Float(value) => value as i64,
        }
    }

    /// Truncated; keeps only the lowest 64 bits of a number out of range
    /// (`zend_dval_to_lval` of PHP 8).
    pub(super) fn wrapped_integer(self) -> i64 {
        match self {
            Self::Int(value) => value,
            // The remainder is exact, and below 2^64.
            Self::Float(value) => (value % 18_446_744_073_709_551_616.0) as i128 as i64,
        }
    }

    fn float(self) -> f64 {
        match self {
            Self::Int(value) => value as f64,
            Self::Float(value) => value,
        }
    }
}

// === impl ParsedNumber ===

impl ParsedNumber {
    /// The number that a whole text is, apart from white space around it.
    fn parse(text: &str) -> Option<Self> {
        let (parsed, rest) = Self::split(text)?;
        rest.trim_start_matches(BLANKS).is_empty().then_some(parsed)
    }

    fn split(text: &str) -> Option<(Self, &str)> {
        let text = text.trim_start_matches(BLANKS);
        let bytes = text.as_bytes();
        let digits = |from: usize| {
            let rest = bytes.iter().skip(from);
            rest.take_while(|byte| byte.is_ascii_digit()).count()
        };
        let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
        let whole = digits(sign);
        let mut end = sign + whole;
        let mut is_float = false;
        let mut fraction = 0;
        if bytes.get(end) == Some(&b'.') {
            fraction = digits(end + 1);
            if whole + fraction > 0 {
                is_float = true;
                end += 1 + fraction;
            }
        }
        if whole + fraction == 0 {
            return None;
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let power = digits(end + 1 + sign);
            if power > 0 {
                is_float = true;
                end += 1 + sign + power;
            }
        }
        let is_negative = bytes.first() == Some(&b'-');
        let is_beyond = is_beyond(&text[sign..], whole, is_float, is_negative);
        let beyond = match (is_beyond, is_negative) {
            (false, _) => Ordering::Equal,
            (true, false) => Ordering::Greater,
            (true, true) => Ordering::Less,
        };
        let (number, rest) = text.split_at(end);
        let number = if is_float || is_beyond {
            Number::Float(number.parse().ok()?)
        } else {
            Number::Int(number.parse().ok()?)
        };
        Some((Self { number, beyond }, rest))
    }
}

/// Whether PHP considers the number at the start of `text`, with `whole` digits before the fraction,
/// beyond the integers. PHP counts digits: with 20, a fraction or exponent makes no difference; with
/// fewer, it rules that out. With 19, PHP compares all of the following text, so that a space behind the
/// smallest integer is enough.
fn is_beyond(text: &str, whole: usize, is_float: bool, is_negative: bool) -> bool {
    let zeros = text.bytes().take(whole).take_while(|byte| *byte == b'0');
    let zeros = zeros.count();
    match whole - zeros {
        0..19 => false,
        19 if is_float => false,
        19 => match text[zeros..].cmp(LEAST) {
            Ordering::Less => false,
            Ordering::Equal => !is_negative,
            Ordering::Greater => true,
        },
        20.. => true,
    }
}

/// As PHP converts it to text: `1.0` is `1`.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(value) => value.fmt(f),
            Self::Float(value) if *value == 0.0 || (1e-4..1e15).contains(&value.abs()) => {
                value.fmt(f)
            }
            Self::Float(value) => {
                let text = format!("{value:E}");
                let (digits, power) = text.split_once('E').unwrap_or((&text, "0"));
                let point = if digits.contains('.') { "" } else { ".0" };
                let sign = if power.starts_with('-') { "" } else { "+" };
                write!(f, "{digits}{point}E{sign}{power}")
            }
        }
    }
}

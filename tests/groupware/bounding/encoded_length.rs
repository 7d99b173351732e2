//! The maximum length of the texts that a pattern matches, or does not match, in the server's job queue.

use regex_syntax::hir::{Class, Hir, HirKind, Look};

use super::encoded;

/// The numbers of characters that a byte can take, in ascending order.
const LEAST: [usize; 4] = [1, 2, 3, 6];

/// PCRE counts repetitions up to this number.
const MAX_REPETITION: u32 = 65_535;

/// The maximum number of bytes of a text: in total, and of those that take at least 2, 3 and 6
/// characters each in the server's job queue.
///
/// A byte of ASCII takes 1; bytes that PHP writes as `\n`, `\"` or `\/` take 2; a byte of a character
/// outside ASCII takes 3 at most, as a Cyrillic letter is two bytes and six characters; other control
/// characters take 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EncodedLength([usize; 4]);

// === impl EncodedLength ===

impl EncodedLength {
    /// Any text.
    pub(crate) const ANY: Self = Self([usize::MAX; 4]);
    const EMPTY: Self = Self([0; 4]);

    /// The texts that an expression matches, if it is anchored at both ends; else any.
    pub(crate) fn matching(hir: &Hir) -> Self {
        let properties = hir.properties();
        let is_whole = properties.look_set_prefix().contains(Look::Start)
            && properties.look_set_suffix().contains(Look::End);
        if is_whole { Self::of(hir) } else { Self::ANY }
    }

    /// The texts in which an expression is not found.
    pub(crate) fn not_matching(hir: &Hir) -> Self {
        match hir.kind() {
            HirKind::Class(class) => Self::without(class, 1),
            HirKind::Repetition(repetition) if repetition.min <= MAX_REPETITION => {
                match repetition.sub.kind() {
                    HirKind::Class(class) => Self::without(class, repetition.min),
                    _ => Self::ANY,
                }
            }
            HirKind::Capture(capture) => Self::not_matching(&capture.sub),
            HirKind::Alternation(parts) => {
                parts.iter().fold(Self::ANY, |all, part| all.and(Self::not_matching(part)))
            }
            _ => Self::ANY,
        }
    }

    /// Only `text`.
    pub(crate) fn of_text(text: &str) -> Self {
        Self::of(&Hir::literal(text.as_bytes()))
    }

    /// The texts that satisfy both.
    pub(crate) fn and(self, other: Self) -> Self {
        let mut least = Self(std::array::from_fn(|at| self.0[at].min(other.0[at])));
        for at in 1..least.0.len() {
            least.0[at] = least.0[at].min(least.0[at - 1]);
        }
        least
    }

    /// The number of characters that the largest text takes in the job queue, including its quotation
    /// marks.
    pub(crate) fn characters(self) -> Option<usize> {
        if self == Self::ANY {
            return None;
        }
        let mut before = 0;
        let mut characters = 2_usize;
        for (bytes, least) in self.0.into_iter().zip(LEAST) {
            characters = characters.checked_add(bytes.checked_mul(least - before)?)?;
            before = least;
        }
        Some(characters)
    }

    /// The largest text that `hir` matches.
    fn of(hir: &Hir) -> Self {
        let each = |of: &dyn Fn(usize) -> usize| Self(std::array::from_fn(of));
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Self::EMPTY,
            HirKind::Literal(literal) => {
                let bytes = |least| literal.0.iter().filter(move |byte| of_byte(**byte) >= least);
                each(&|at| bytes(LEAST[at]).count())
            }
            HirKind::Class(class) => each(&|at| longest(class, LEAST[at])),
            HirKind::Repetition(repetition) => {
                let once = Self::of(&repetition.sub);
                let most = repetition.max.map_or(usize::MAX, |max| max as usize);
                each(&|at| once.0[at].saturating_mul(most))
            }
            HirKind::Capture(capture) => Self::of(&capture.sub),
            HirKind::Concat(parts) => parts.iter().map(Self::of).fold(Self::EMPTY, |all, part| {
                Self(std::array::from_fn(|at| all.0[at].saturating_add(part.0[at])))
            }),
            HirKind::Alternation(parts) => {
                parts.iter().map(Self::of).fold(Self::EMPTY, |all, part| {
                    Self(std::array::from_fn(|at| all.0[at].max(part.0[at])))
                })
            }
        }
    }

    /// The texts that never have `count` characters of a class in a row.
    fn without(class: &Class, count: u32) -> Self {
        let most = match (count.saturating_sub(1) as usize, class) {
            (most, Class::Bytes(_)) => most,
            (most, Class::Unicode(_)) => most.saturating_mul(4),
        };
        Self(std::array::from_fn(|at| match covers(class, LEAST[at]) {
            // If other characters are allowed too, several rows can occur.
            true if count <= 1 || at == 0 => most,
            _ => usize::MAX,
        }))
        .and(Self::ANY)
    }
}

/// The maximum number of characters that a byte takes.
fn of_byte(byte: u8) -> usize {
    if byte.is_ascii() { encoded(&char::from(byte).to_string()) - 2 } else { 3 }
}

/// The maximum number of bytes of one character of a class, counting those that take at least `least`
/// characters.
fn longest(class: &Class, least: usize) -> usize {
    let has = |from: u8, to: u8| (from..=to).any(|byte| of_byte(byte) >= least);
    match class {
        Class::Bytes(class) => {
            let mut ranges = class.iter();
            usize::from(ranges.any(|range| has(range.start(), range.end())))
        }
        Class::Unicode(class) => class
            .iter()
            .map(|range| match (range.end().len_utf8(), u8::try_from(range.start())) {
                (1, Ok(start)) => usize::from(has(start, range.end() as u8)),
                // Each byte of a character outside ASCII takes 3.
                (bytes, _) if least <= 3 => bytes,
                (_, Ok(start)) => usize::from(has(start, 0x7f)),
                _ => 0,
            })
            .max()
            .unwrap_or(0),
    }
}

/// Whether the class contains each byte that takes at least `least` characters.
fn covers(class: &Class, least: usize) -> bool {
    let mut of_ascii = (0..0x80_u8).filter(|byte| of_byte(*byte) >= least);
    match class {
        Class::Bytes(class) => {
            let has = |byte| {
                let mut ranges = class.iter();
                ranges.any(|range| (range.start()..=range.end()).contains(&byte))
            };
            of_ascii.all(has) && (least > 3 || (0x80..=0xff).all(has))
        }
        Class::Unicode(class) => {
            let has = |from: char, to: char| {
                let mut ranges = class.iter();
                ranges.any(|range| range.start() <= from && to <= range.end())
            };
            of_ascii.all(|byte| has(byte.into(), byte.into()))
                && (least > 3 || has('\u{80}', char::MAX))
        }
    }
}

//! Regular expressions in a filter, as the server understands them.
//!
//! The server hands them to PCRE, which backtracks. Here they are matched in linear time, with
//! bounds on their size, so that no caller can keep the gateway busy. What PCRE means by an
//! expression and the engine here does not, as look-around or a back reference, is not judged.

use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::ast::ErrorKind;
use regex_syntax::ast::parse::ParserBuilder;
use regex_syntax::hir::{Class, ClassBytesRange, Hir, HirKind, Look, Repetition};

use super::dialect::{Found, OTHER};
use super::extent::Extent;
use super::work::{Unsure, Work};

/// The bytes of an expression that is tried.
const MAX_LENGTH: usize = 1_000;

/// The states of an expression, as [`Found`] counts them: with each repetition written out.
const MAX_STATES: usize = 10_000;

/// The bytes that a compiled expression may take.
const MAX_SIZE: usize = 1024 * 1024;

/// How deep groups may be nested.
const MAX_DEPTH: u32 = 50;

const LARGE: Unsure = Unsure("the pattern is too large");
const WORDS: Unsure =
    Unsure("\\w, \\s and \\b stand for other characters at the server in text outside ASCII");
const LINES: Unsure =
    Unsure("the text ends with a line break, where ^ and $ stand for something else at the server");

/// A text of the form `/…/flags`.
#[derive(Clone, Copy)]
pub(super) struct Pattern<'t> {
    body: &'t str,
    flags: &'t str,
}

/// A pattern that can be tried.
pub(super) enum Compiled {
    /// The server cannot compile it, and takes that for no match.
    Never(&'static str),
    Matcher(Matcher),
}

/// An expression, and on which texts its outcome is not PCRE's.
pub(super) struct Matcher {
    /// One of them has to match.
    parts: Vec<Part>,
    states: usize,
    /// The bytes of the longest text that it matches, if it stands for a whole text.
    longest: Option<usize>,
    has_lines: bool,
    is_for_ascii: bool,
}

/// An alternative of an expression.
enum Part {
    Regex(Regex),
    /// Any text of at least so many bytes.
    Bytes(usize),
}

/// An expression as it was read.
struct Parsed {
    hir: Hir,
    found: Found,
}

// === impl Pattern ===

impl<'t> Pattern<'t> {
    /// `None` if the server takes `text` for plain text.
    pub(super) fn of(text: &'t str) -> Option<Self> {
        let inner = text.strip_prefix('/')?;
        // The end of a text is also before its last line break.
        let inner = inner.strip_suffix('\n').unwrap_or(inner);
        let (body, flags) = inner.rsplit_once('/')?;
        let is_pattern = flags.bytes().all(|flag| flag.is_ascii_alphabetic());
        (is_pattern && !body.contains('\n')).then_some(Self { body, flags })
    }

    /// Compiles it, as far as it means here what it means at the server.
    pub(super) fn compile(self, work: &Work) -> Result<Compiled, Unsure> {
        let Parsed { hir, found } = match self.parse(work)? {
            Ok(parsed) => parsed,
            Err(never) => return Ok(Compiled::Never(never)),
        };
        let longest = Extent::matching(&hir).bytes();
        let (hir, mut states) = match unbounded(&hir) {
            Some(unbounded) => (unbounded, 4),
            None => (hir, found.states),
        };
        let alternatives = match hir.kind() {
            HirKind::Alternation(parts) => parts.as_slice(),
            _ => std::slice::from_ref(&hir),
        };
        for least in alternatives.iter().filter_map(any_bytes) {
            // Each counts as two.
            states = states.saturating_sub(2 * least);
        }
        if states > MAX_STATES {
            return Err(LARGE);
        }
        work.spend(20 * states)?;
        let parts = alternatives.iter().map(Part::new);
        Ok(Compiled::Matcher(Matcher {
            parts: parts.collect::<Result<_, _>>()?,
            states,
            longest,
            has_lines: found.lines,
            is_for_ascii: self.flags.contains('u') && found.words,
        }))
    }

    /// How large the texts are that it matches, or those that it does not match: [`Extent::ANY`] if it
    /// cannot be told.
    pub(super) fn extent(self, matches: bool, work: &Work) -> Extent {
        if matches && !self.has_end() {
            return Extent::ANY;
        }
        let Ok(Ok(Parsed { hir, found })) = self.parse(work) else {
            return Extent::ANY;
        };
        match matches {
            // `$` is also before the last line break.
            true => Extent::matching(&hir).and_line_breaks(usize::from(found.lines)),
            false => Extent::not_matching(&hir),
        }
    }

    /// Whether it can stand for a whole text. Most patterns do not, and need not be read to be known as such.
    fn has_end(self) -> bool {
        self.body.contains('$') || self.body.contains(r"\z")
    }

    /// Reads it; the inner error is why the server cannot.
    fn parse(self, work: &Work) -> Result<Result<Parsed, &'static str>, Unsure> {
        if let Some(reason) = self.fault() {
            return Ok(Err(reason));
        }
        if self.body.len() > MAX_LENGTH {
            return Err(LARGE);
        }
        let has = |flag| self.flags.contains(flag);
        if has('x') || has('X') || has('J') || has('n') {
            return Err(OTHER);
        }
        // Classes of Unicode are slow to build.
        let is_unicode = has('u');
        let per_byte = if is_unicode { 10_000 } else { 100 };
        work.spend(2_000 + per_byte * self.body.len())?;

        let mut parser = ParserBuilder::new().nest_limit(MAX_DEPTH).build();
        let ast = match parser.parse(self.body) {
            Ok(ast) => ast,
            Err(error) => return self.unreadable(error.kind()).map(Err),
        };
        let found = Found::in_expression(&ast, is_unicode)?;
        let body = match has('A') {
            true => format!(r"\A(?:{})", self.body),
            false => self.body.to_owned(),
        };
        let hir = regex_syntax::ParserBuilder::new()
            .utf8(false)
            .unicode(is_unicode)
            .case_insensitive(has('i'))
            .multi_line(has('m'))
            .dot_matches_new_line(has('s'))
            .nest_limit(MAX_DEPTH + 1)
            .build()
            .parse(&body)
            .map_err(|_| OTHER)?;
        Ok(Ok(Parsed { hir, found }))
    }

    /// What keeps the server from reading it.
    fn fault(self) -> Option<&'static str> {
        let mut bytes = self.body.bytes();
        while let Some(byte) = bytes.next() {
            if byte == b'/' {
                return Some("a slash in it must be written \\/");
            }
            if byte == b'\\' && bytes.next().is_none() {
                return Some("the slash that ends it is escaped");
            }
        }
        let is_known = |flag| "imsxADSUXuJn".contains(flag);
        let all_known = self.flags.chars().all(is_known);
        (!all_known).then_some("it has a flag that does not exist")
    }

    /// What becomes of an expression that cannot be read here.
    fn unreadable(self, kind: &ErrorKind) -> Result<&'static str, Unsure> {
        match kind {
            // Wrong by the rules of PCRE, too.
            ErrorKind::GroupUnclosed
            | ErrorKind::GroupUnopened
            | ErrorKind::ClassRangeInvalid
            | ErrorKind::RepetitionCountInvalid => {}
            ErrorKind::RepetitionMissing if self.body.starts_with(['*', '+', '?']) => {}
            ErrorKind::NestLimitExceeded(_) => return Err(LARGE),
            _ => return Err(OTHER),
        }
        Ok("it is no valid expression")
    }
}

// === impl Matcher ===

impl Matcher {
    pub(super) fn is_match(&self, text: &str, work: &Work) -> Result<bool, Unsure> {
        if self.has_lines && text.ends_with('\n') {
            return Err(LINES);
        }
        if self.is_for_ascii && !text.is_ascii() {
            return Err(WORDS);
        }
        if self.longest.is_some_and(|longest| text.len() > longest) {
            return Ok(false);
        }
        // In each state at each byte, at worst.
        work.spend(text.len().saturating_mul(self.states))?;
        Ok(self.parts.iter().any(|part| part.is_match(text)))
    }
}

// === impl Part ===

impl Part {
    fn new(hir: &Hir) -> Result<Self, Unsure> {
        if let Some(least) = any_bytes(hir) {
            return Ok(Self::Bytes(least));
        }
        // It is written so that it means the same without any flag.
        let regex = RegexBuilder::new(&hir.to_string())
            .nest_limit(2 * MAX_DEPTH)
            .size_limit(MAX_SIZE)
            .dfa_size_limit(MAX_SIZE)
            .build();
        regex.map(Self::Regex).map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => LARGE,
            _ => OTHER,
        })
    }

    fn is_match(&self, text: &str) -> bool {
        match self {
            Self::Regex(regex) => regex.is_match(text.as_bytes()),
            Self::Bytes(least) => text.len() >= *least,
        }
    }
}

/// The number of bytes that an expression finds in any text that has them.
fn any_bytes(hir: &Hir) -> Option<usize> {
    if let HirKind::Repetition(repetition) = hir.kind()
        && let HirKind::Class(Class::Bytes(class)) = repetition.sub.kind()
        && class.ranges() == [ClassBytesRange::new(0, 0xff)]
    {
        return Some(repetition.min as usize);
    }
    None
}

/// A whole text of one class of characters, without the bound on how many they are: that is a matter of its
/// length alone.
fn unbounded(hir: &Hir) -> Option<Hir> {
    let HirKind::Concat(parts) = hir.kind() else {
        return None;
    };
    let [start, middle, end] = parts.as_slice() else {
        return None;
    };
    match (start.kind(), middle.kind(), end.kind()) {
        (
            HirKind::Look(Look::Start),
            HirKind::Repetition(Repetition {
                min: 0,
                greedy,
                sub,
                ..
            }),
            HirKind::Look(Look::End),
        ) if matches!(sub.kind(), HirKind::Class(Class::Bytes(_))) => {
            let any = Repetition {
                min: 0,
                max: None,
                greedy: *greedy,
                sub: sub.clone(),
            };
            Some(Hir::concat(vec![
                start.clone(),
                Hir::repetition(any),
                end.clone(),
            ]))
        }
        _ => None,
    }
}

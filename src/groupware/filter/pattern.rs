//! Regular expressions in a filter, as the server interprets them.
//!
//! The server uses PCRE, which backtracks. Here they are matched in linear time, with bounds on their
//! size, so that no caller can keep the gateway busy. Expressions that this engine does not interpret as
//! PCRE does, such as look-around or back references, are undecidable.

use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::ast::ErrorKind;
use regex_syntax::ast::parse::ParserBuilder;
use regex_syntax::hir::{Class, ClassBytesRange, Hir, HirKind, Look, Repetition};

use super::dialect::{Found, OTHER};
use super::extent::Extent;
use super::node::Node;
use super::work::{Undecidable, Work};

/// Maximum length of an expression, in bytes.
const MAX_LENGTH: usize = 1_000;

/// Maximum number of states of an expression, as counted by [`Found`]: with repetitions expanded.
const MAX_STATES: usize = 10_000;

/// Maximum size of a compiled expression, in bytes.
const MAX_SIZE: usize = 1024 * 1024;

/// Maximum nesting depth of groups.
const MAX_DEPTH: u32 = 50;

const LARGE: Undecidable = Undecidable("the pattern is too large");
const WORDS: Undecidable =
    Undecidable("\\w, \\s and \\b stand for other characters at the server in text outside ASCII");
const LINES: Undecidable = Undecidable(
    "the text ends with a line break, where ^ and $ stand for something else at the server",
);

/// A text of the form `/…/flags`.
#[derive(Clone, Copy)]
pub(super) struct Pattern<'t> {
    body: &'t str,
    flags: &'t str,
}

/// A compiled pattern.
pub(super) enum Compiled {
    /// The server cannot compile it, and treats that as no match.
    Never(&'static str),
    Matcher(Matcher),
}

/// An expression, and the texts on which its result may differ from PCRE's.
pub(super) struct Matcher {
    /// The alternatives, one of which must match.
    parts: Vec<Part>,
    states: usize,
    /// The length in bytes of the longest text that it matches, if it is anchored at both ends.
    longest: Option<usize>,
    has_lines: bool,
    is_for_ascii: bool,
}

/// An alternative of an expression.
enum Part {
    Regex(Regex),
    /// Any text with at least this many bytes.
    Bytes(usize),
}

/// A parsed expression.
struct Parsed {
    hir: Hir,
    found: Found,
}

// === impl Pattern ===

impl<'t> Pattern<'t> {
    /// The pattern of an operand; `None` if the server treats it as a plain value.
    pub(super) fn of(operand: &'t Node) -> Option<Self> {
        let Node::Text(text) = operand else {
            return None;
        };
        let inner = text.strip_prefix('/')?;
        // `$` also matches before the last line break.
        let inner = inner.strip_suffix('\n').unwrap_or(inner);
        let (body, flags) = inner.rsplit_once('/')?;
        let is_pattern = flags.bytes().all(|flag| flag.is_ascii_alphabetic());
        (is_pattern && !body.contains('\n')).then_some(Self { body, flags })
    }

    /// Compiles it, unless its meaning here may differ from that at the server.
    pub(super) fn compile(self, work: &Work) -> Result<Compiled, Undecidable> {
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

    /// The maximum size of the texts that it matches, or does not match: [`Extent::ANY`] if unknown.
    pub(super) fn extent(self, matches: bool, work: &Work) -> Extent {
        if matches && !self.has_end() {
            return Extent::ANY;
        }
        let Ok(Ok(Parsed { hir, found })) = self.parse(work) else {
            return Extent::ANY;
        };
        if matches {
            // `$` also matches before the last line break.
            Extent::matching(&hir).and_line_breaks(usize::from(found.lines))
        } else {
            Extent::not_matching(&hir)
        }
    }

    /// Whether it may be anchored at the end. Most patterns are not, which is seen without parsing them.
    fn has_end(self) -> bool {
        self.body.contains('$') || self.body.contains(r"\z")
    }

    /// Parses it; the inner error is the reason why the server cannot.
    fn parse(self, work: &Work) -> Result<Result<Parsed, &'static str>, Undecidable> {
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
        // Unicode classes are slow to build.
        let is_unicode = has('u');
        let per_byte = if is_unicode { 10_000 } else { 100 };
        work.spend(2_000 + per_byte * self.body.len())?;

        let mut parser = ParserBuilder::new().nest_limit(MAX_DEPTH).build();
        let ast = match parser.parse(self.body) {
            Ok(ast) => ast,
            Err(error) => return self.unreadable(error.kind()).map(Err),
        };
        let found = Found::in_expression(&ast, is_unicode)?;
        let body = if has('A') {
            format!(r"\A(?:{})", self.body)
        } else {
            self.body.to_owned()
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

    /// The reason why the server cannot parse it, if any.
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

    /// The result for an expression that cannot be parsed here.
    fn unreadable(self, kind: &ErrorKind) -> Result<&'static str, Undecidable> {
        match kind {
            // Invalid in PCRE as well.
            ErrorKind::GroupUnclosed
            | ErrorKind::GroupUnopened
            | ErrorKind::ClassRangeInvalid
            | ErrorKind::RepetitionCountInvalid => {}
            ErrorKind::RepetitionMissing if self.body.starts_with(['*', '+', '?']) => {}
            ErrorKind::NestLimitExceeded(_) => return Err(LARGE),
            _ => return Err(OTHER),
        }
        Ok("it is not a valid expression")
    }
}

// === impl Matcher ===

impl Matcher {
    pub(super) fn is_match(&self, text: &str, work: &Work) -> Result<bool, Undecidable> {
        if self.has_lines && text.ends_with('\n') {
            return Err(LINES);
        }
        if self.is_for_ascii && !text.is_ascii() {
            return Err(WORDS);
        }
        if self.longest.is_some_and(|longest| text.len() > longest) {
            return Ok(false);
        }
        // In the worst case, each state is visited at each byte.
        work.spend(text.len().saturating_mul(self.states))?;
        Ok(self.parts.iter().any(|part| part.is_match(text)))
    }
}

// === impl Part ===

impl Part {
    fn new(hir: &Hir) -> Result<Self, Undecidable> {
        if let Some(least) = any_bytes(hir) {
            return Ok(Self::Bytes(least));
        }
        // It is printed so that it needs no flags.
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

/// The number of bytes, if the expression matches any text with at least that many.
fn any_bytes(hir: &Hir) -> Option<usize> {
    if let HirKind::Repetition(repetition) = hir.kind()
        && let HirKind::Class(Class::Bytes(class)) = repetition.sub.kind()
        && class.ranges() == [ClassBytesRange::new(0, 0xff)]
    {
        return Some(repetition.min as usize);
    }
    None
}

/// An expression for a whole text of one class of characters, without the bound on their number, which
/// can be checked by the text's length alone.
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

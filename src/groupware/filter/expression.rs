//! Compiles and runs an expression, and counts what that takes.
//!
//! The automaton is simulated by the textbook's algorithm, since the steps of no engine of the crate
//! `regex` can be counted or bounded: a caller of the gateway would choose how long it runs.

use regex_automata::nfa::thompson::{Compiler, Config, NFA, State, WhichCaptures};
use regex_automata::util::primitives::StateID;
use regex_syntax::hir::{Class, ClassBytesRange, Hir, HirKind, Look};

use super::work::{Halt, Work};

const MAX_SIZE: usize = 8 * 1024 * 1024;

const COMPILING: usize = 30;

const VISITING: usize = 3;

/// The states of a range of characters outside ASCII.
const UNICODE_RANGE: usize = 10;

pub(super) const LARGE: Halt = Halt::Undecidable("the pattern is too large");

#[derive(Debug)]
pub(super) struct Expression {
    nfa: NFA,
    /// Whether matches begin only at the start of the text.
    is_anchored: bool,
    /// Any text with at least this many bytes matches, too.
    any_from: Option<usize>,
    /// No text with more bytes matches.
    longest: Option<usize>,
}

impl Expression {
    pub(super) fn compile(hir: &Hir, is_anchored: bool, work: &Work) -> Result<Self, Halt> {
        let mut parts = match hir.kind() {
            HirKind::Alternation(parts) => parts.clone(),
            _ => vec![hir.clone()],
        };
        let any_from = parts.iter().filter_map(any_bytes).min();
        parts.retain(|part| any_bytes(part).is_none());
        let rest = Hir::alternation(parts);
        work.spend(COMPILING.saturating_mul(states(&rest)))?;
        let config = Config::new()
            .utf8(false)
            .which_captures(WhichCaptures::None)
            .nfa_size_limit(Some(MAX_SIZE));
        let nfa = Compiler::new().configure(config).build_from_hir(&rest);
        let properties = hir.properties();
        let is_whole = properties.look_set_prefix().contains(Look::Start)
            && properties.look_set_suffix().contains(Look::End);
        Ok(Self {
            nfa: nfa.map_err(|_| LARGE)?,
            is_anchored,
            any_from,
            longest: properties.maximum_len().filter(|_| is_whole),
        })
    }

    pub(super) fn is_match(&self, text: &[u8], work: &Work) -> Result<bool, Halt> {
        if self.any_from.is_some_and(|least| text.len() >= least) {
            return Ok(true);
        }
        if self.longest.is_some_and(|longest| text.len() > longest) {
            return Ok(false);
        }
        let states = self.nfa.states();
        work.spend(states.len())?;
        // The last position, counted from 1, at which a state was visited.
        let mut visited = vec![0; states.len()];
        let mut to_visit: Vec<StateID> = Vec::new();
        let mut waiting: Vec<&State> = Vec::new();
        for at in 0..=text.len() {
            if at == 0 || !self.is_anchored {
                to_visit.push(self.nfa.start_anchored());
            }
            while let Some(id) = to_visit.pop() {
                work.spend(VISITING)?;
                if std::mem::replace(&mut visited[id], at + 1) == at + 1 {
                    continue;
                }
                match &states[id] {
                    State::Match { .. } => return Ok(true),
                    State::Fail => {}
                    State::Look { look, next } => {
                        if self.nfa.look_matcher().matches(*look, text, at) {
                            to_visit.push(*next);
                        }
                    }
                    State::Union { alternates } => to_visit.extend(alternates),
                    State::BinaryUnion { alt1, alt2 } => to_visit.extend([alt1, alt2]),
                    State::Capture { next, .. } => to_visit.push(*next),
                    state => waiting.push(state),
                }
            }
            let Some(byte) = text.get(at) else { break };
            work.spend(waiting.len())?;
            to_visit.extend(waiting.drain(..).filter_map(|state| match state {
                State::ByteRange { trans } => trans.matches_byte(*byte).then_some(trans.next),
                State::Sparse(transitions) => transitions.matches_byte(*byte),
                State::Dense(transitions) => transitions.matches_byte(*byte),
                _ => None,
            }));
        }
        Ok(false)
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

/// The approximate number of states of the compiled expression, in which repetitions are expanded.
fn states(hir: &Hir) -> usize {
    let sum = |parts: &[Hir]| {
        let states = parts.iter().map(states);
        states.fold(parts.len(), usize::saturating_add)
    };
    1 + match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 0,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Class(Class::Bytes(class)) => class.ranges().len(),
        HirKind::Class(Class::Unicode(class)) => UNICODE_RANGE * class.ranges().len(),
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min).max(1) as usize;
            states(&repetition.sub).saturating_add(1).saturating_mul(times)
        }
        HirKind::Capture(capture) => states(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => sum(parts),
    }
}

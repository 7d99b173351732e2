//! Turns at reading for callers: whoever asks for one thing at a time is not behind those who ask for many at once.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::oneshot;

/// Those that read at the same time: one more than a file has connections for them, so that it is never without work.
const AT_ONCE: usize = 2;
/// Of so many turns one is for whoever has waited longest, so that nobody waits for ever.
const ONE_OF: usize = 4;

#[derive(Debug)]
pub(super) struct Turns(Mutex<Line>);

#[derive(Debug, Default)]
struct Line {
    free: usize,
    /// How many turns were given to somebody who waited.
    given: usize,
    /// The calls of each account that are under way.
    calls: HashMap<Box<str>, usize>,
    /// Accounts, in the order in which they came.
    waiting: Vec<(Box<str>, oneshot::Sender<Turn>)>,
}

/// One may read until this is dropped.
#[derive(Debug)]
pub(super) struct Turn(Arc<Turns>);

/// A call that reads for an account is under way until this is dropped.
#[derive(Debug)]
pub(crate) struct Call(Arc<Turns>, Box<str>);

// === impl Turns ===

impl Turns {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self(Mutex::new(Line { free: AT_ONCE, ..Line::default() })))
    }

    pub(super) fn call(self: &Arc<Self>, account: &str) -> Call {
        *self.0.lock().calls.entry(account.into()).or_default() += 1;
        Call(self.clone(), account.into())
    }

    /// Waits until `account` has one: of those that wait, the accounts with the fewest calls have it first, and at each
    /// fourth turn who came first.
    pub(super) async fn take(self: &Arc<Self>, account: &str) -> Turn {
        let given = {
            let mut line = self.0.lock();
            if line.free > 0 {
                line.free -= 1;
                return Turn(self.clone());
            }
            let (give, given) = oneshot::channel();
            line.waiting.push((account.into(), give));
            given
        };
        given.await.expect("it is given, or whoever waits has left")
    }
}

// === impl Line ===

impl Line {
    fn next(&mut self) -> Option<oneshot::Sender<Turn>> {
        self.waiting.retain(|(_, give)| !give.is_closed());
        let calls = |account: &str| self.calls.get(account).copied().unwrap_or_default();
        let next = self.waiting.iter().enumerate().min_by_key(|(_, it)| calls(&it.0));
        let (at, _) = next?;
        self.given = self.given.wrapping_add(1);
        let at = if self.given.is_multiple_of(ONE_OF) { 0 } else { at };
        Some(self.waiting.remove(at).1)
    }
}

// === impl Turn ===

impl Drop for Turn {
    fn drop(&mut self) {
        let next = {
            let mut line = self.0.0.lock();
            let next = line.next();
            line.free += usize::from(next.is_none());
            next
        };
        // If whoever it was for has left meanwhile, it goes on to the next one.
        _ = next.map(|give| give.send(Self(self.0.clone())));
    }
}

// === impl Call ===

impl Drop for Call {
    fn drop(&mut self) {
        let mut line = self.0.0.lock();
        if let Some(calls) = line.calls.get_mut(&self.1) {
            *calls -= 1;
            if *calls == 0 {
                line.calls.remove(&self.1);
            }
        }
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/turns.rs"]
mod tests;

//! The activity on a connection, which decides when it is closed: requests, beginnings of heads, answers that wait.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::task::AtomicWaker;
use parking_lot::Mutex;
use tokio::time::Instant;

use super::Bounds;
use super::connections::{Count, OpenConnection};

/// Time for a client to close its side of a connection after a graceful close, or to send the rest of an unread body.
const GRACE: Duration = Duration::from_secs(2);

/// The minimum time between two checks of a connection.
const MIN_CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// The maximum, for timeouts that never end.
const MAX_CHECK_INTERVAL: Duration = Duration::from_secs(3600);

pub(super) struct Activity {
    state: Mutex<State>,
    signalled: AtomicWaker,
}

struct State {
    open: OpenConnection,
    is_http2: bool,
    requests: usize,
    has_answered: bool,
    is_dismissed: bool,
    /// The signal that the connection has not seen yet.
    signal: Option<Signal>,
    idle_since: Instant,
    /// When the first bytes of a head arrived over HTTP/1; `None` once the head is complete.
    head_since: Option<Instant>,
    /// Whether the last request has a body, of which some may arrive after its answer.
    had_body: bool,
    /// The answers being sent, each with the time at which the client last accepted some of it.
    answers: Vec<(u64, Instant)>,
    next_answer: u64,
    ended: Option<Instant>,
}

/// What the server wants of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signal {
    /// It is shutting down: answer the requests in flight, and accept no others.
    ShutDown,
    /// It needs room for another: close it at once, unless it has a request by now.
    Dismiss,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nothing; check again at this time.
    Until(Instant),
    /// Close it gracefully: it has had no request for too long.
    End,
    /// Cut it: its client stalls.
    Cut,
}

/// A request on the connection, until its answer has been handed over completely.
pub(super) struct InFlight {
    activity: Arc<Activity>,
    answer: Option<u64>,
}

// === impl Activity ===

impl Activity {
    /// The activity of a connection that is counted as `open`.
    pub(super) fn new(open: OpenConnection) -> Self {
        let state = State {
            open,
            is_http2: false,
            requests: 0,
            has_answered: false,
            is_dismissed: false,
            signal: None,
            idle_since: Instant::now(),
            head_since: None,
            had_body: false,
            answers: Vec::new(),
            next_answer: 0,
            ended: None,
        };
        Self { state: Mutex::new(state), signalled: AtomicWaker::new() }
    }

    pub(super) fn speaks(&self, protocol: Count) {
        let mut state = self.state.lock();
        state.is_http2 = matches!(protocol, Count::Http2);
        state.open.speaks(protocol);
    }

    /// Bytes have arrived. Between two HTTP/1 requests they belong to a head, or to a body that was left unread.
    pub(super) fn read(&self) {
        let mut state = self.state.lock();
        let is_rest = state.had_body && state.idle_since.elapsed() < GRACE;
        let is_head = !state.is_http2 && state.requests == 0 && !is_rest;
        if is_head && state.head_since.is_none() {
            state.head_since = Some(Instant::now());
        }
    }

    pub(super) fn request(self: &Arc<Self>, has_body: bool) -> InFlight {
        let mut state = self.state.lock();
        state.requests += 1;
        state.had_body = has_body;
        state.head_since = None;
        drop(state);
        InFlight { activity: self.clone(), answer: None }
    }

    /// The connection is being closed: requests on it are answered, no others accepted.
    pub(super) fn ended(&self) {
        self.state.lock().ended.get_or_insert_with(Instant::now);
    }

    /// Since when the connection has had no request; `None` if it has one, or is to be closed anyway.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let state = self.state.lock();
        let is_idle = state.requests == 0 && !state.is_dismissed;
        is_idle.then_some(state.idle_since)
    }

    /// Has the connection closed, if it has had no request since then.
    pub(super) fn dismiss_idle_since(&self, since: Instant) -> bool {
        let mut state = self.state.lock();
        let is_idle = state.requests == 0 && !state.is_dismissed && state.idle_since == since;
        if is_idle {
            state.is_dismissed = true;
            state.signal = Some(Signal::Dismiss);
            self.signalled.wake();
        }
        is_idle
    }

    pub(super) fn shut_down(&self) {
        self.state.lock().signal.get_or_insert(Signal::ShutDown);
        self.signalled.wake();
    }

    /// Ready with each signal, once. Only the connection's own task may wait for them.
    pub(super) fn poll_signal(&self, cx: &mut Context<'_>) -> Poll<Signal> {
        self.signalled.register(cx.waker());
        let signal = self.state.lock().signal.take();
        signal.map_or(Poll::Pending, Poll::Ready)
    }

    /// Whether closing the connection could cut an answer off.
    pub(super) fn may_be_sending(&self) -> bool {
        let state = self.state.lock();
        state.requests > 0 || state.has_answered && state.idle_since.elapsed() < GRACE
    }

    pub(super) fn verdict(&self, bounds: &Bounds) -> Verdict {
        let state = self.state.lock();
        let now = Instant::now();
        // Activity that begins after this check is noticed at the next one, late by at most half of its timeout.
        let shortest = bounds.idle_timeout.min(bounds.stall_timeout);
        let shortest = shortest.min(bounds.head_timeout);
        let mut next = now + (shortest / 2).clamp(MIN_CHECK_INTERVAL, MAX_CHECK_INTERVAL);
        let mut verdict = None;
        // One beyond the reach of the clock never comes.
        let mut deadline = |since: Instant, after: Duration, then: Verdict| {
            let Some(at) = since.checked_add(after) else {
                return;
            };
            next = next.min(at);
            if at <= now && verdict != Some(Verdict::Cut) {
                verdict = Some(then);
            }
        };
        if let Some(oldest) = state.answers.iter().map(|(_, at)| *at).min() {
            deadline(oldest, bounds.stall_timeout, Verdict::Cut);
        }
        if state.requests == 0 {
            if let Some(since) = state.head_since {
                deadline(since, bounds.head_timeout, Verdict::Cut);
            }
            match state.ended {
                Some(ended) => deadline(ended.max(state.idle_since), GRACE, Verdict::Cut),
                None => deadline(state.idle_since, bounds.idle_timeout, Verdict::End),
            }
        }
        verdict.unwrap_or(Verdict::Until(next))
    }
}

// === impl InFlight ===

impl InFlight {
    /// The client accepted some of the answer, or may do so from now on.
    pub(super) fn progress(&mut self) {
        let mut state = self.activity.state.lock();
        let now = Instant::now();
        match state.answers.iter_mut().find(|(id, _)| Some(*id) == self.answer) {
            Some((_, at)) => *at = now,
            None => {
                let id = state.next_answer;
                state.next_answer += 1;
                state.answers.push((id, now));
                self.answer = Some(id);
            }
        }
    }

    /// The answer waits for the service, not for the client.
    pub(super) fn wait(&mut self) {
        if let Some(id) = self.answer.take() {
            let mut state = self.activity.state.lock();
            state.answers.retain(|(answer, _)| *answer != id);
        }
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut state = self.activity.state.lock();
        state.answers.retain(|(id, _)| Some(*id) != self.answer);
        state.requests -= 1;
        state.has_answered = true;
        state.idle_since = Instant::now();
    }
}

//! What happens on a connection: the requests on it, the heads that have begun, the answers that wait
//! for the client. From that follows when it is ended.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::Bounds;
use super::connections::{Open, Protocol};

/// Time for a client to close its side of a connection that was ended.
const GRACE: Duration = Duration::from_secs(2);

/// The shortest time between two looks at a connection.
const SHORTEST_LOOK: Duration = Duration::from_millis(5);

/// What happens on one connection.
pub(super) struct Activity(Mutex<State>);

struct State {
    open: Open,
    is_http2: bool,
    requests: usize,
    /// The end of the last request.
    idle_since: Instant,
    /// The first bytes of a head over HTTP/1; `None` once it is a request.
    head_since: Option<Instant>,
    /// When the client last accepted something of each answer that is being sent.
    answers: Vec<(u64, Instant)>,
    next_answer: u64,
    /// When the connection was ended, gracefully.
    ended: Option<Instant>,
}

/// What is to be done with a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nothing before this time.
    Until(Instant),
    /// No request was on it for too long.
    End,
    /// Its client does not go on with what it began.
    Cut,
}

/// A request on the connection, until its answer is handed over whole.
pub(super) struct InFlight {
    activity: Arc<Activity>,
    answer: Option<u64>,
}

// === impl Activity ===

impl Activity {
    /// The activity of a connection that is counted as `open`.
    pub(super) fn new(open: Open) -> Self {
        Self(Mutex::new(State {
            open,
            is_http2: false,
            requests: 0,
            idle_since: Instant::now(),
            head_since: None,
            answers: Vec::new(),
            next_answer: 0,
            ended: None,
        }))
    }

    /// The connection speaks HTTP/2.
    pub(super) fn is_http2(&self) {
        let mut state = self.state();
        state.is_http2 = true;
        state.open.speaks(Protocol::Http2);
    }

    /// The connection speaks HTTP/1.
    pub(super) fn is_http1(&self) {
        self.state().open.speaks(Protocol::Http1);
    }

    /// Bytes have arrived. Between two requests of HTTP/1 they are those of a head.
    pub(super) fn read(&self) {
        let mut state = self.state();
        if !state.is_http2 && state.requests == 0 && state.head_since.is_none() {
            state.head_since = Some(Instant::now());
        }
    }

    /// A request has arrived.
    pub(super) fn request(self: &Arc<Self>) -> InFlight {
        let mut state = self.state();
        state.requests += 1;
        state.head_since = None;
        drop(state);
        InFlight {
            activity: self.clone(),
            answer: None,
        }
    }

    /// The connection is ended: requests on it are answered, no others accepted.
    pub(super) fn ended(&self) {
        self.state().ended.get_or_insert_with(Instant::now);
    }

    pub(super) fn judge(&self, bounds: &Bounds) -> Verdict {
        let state = self.state();
        let now = Instant::now();
        // What begins after this look is seen at the next one, at most half of its time late.
        let shortest = bounds
            .idle
            .min(bounds.stall_timeout)
            .min(bounds.head_timeout);
        let mut next = now + (shortest / 2).max(SHORTEST_LOOK);
        let mut verdict = None;
        let mut deadline = |at: Instant, then: Verdict| {
            next = next.min(at);
            if at <= now && verdict != Some(Verdict::Cut) {
                verdict = Some(then);
            }
        };
        if let Some(oldest) = state.answers.iter().map(|(_, at)| *at).min() {
            deadline(oldest + bounds.stall_timeout, Verdict::Cut);
        }
        if state.requests == 0 {
            if let Some(since) = state.head_since {
                deadline(since + bounds.head_timeout, Verdict::Cut);
            }
            match state.ended {
                Some(ended) => deadline(ended.max(state.idle_since) + GRACE, Verdict::Cut),
                None => deadline(state.idle_since + bounds.idle, Verdict::End),
            }
        }
        verdict.unwrap_or(Verdict::Until(next))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl InFlight ===

impl InFlight {
    /// The client accepted something of the answer, or may do so from now on.
    pub(super) fn progress(&mut self) {
        let mut state = self.activity.state();
        let now = Instant::now();
        match self.answer {
            Some(id) => {
                let answer = state.answers.iter_mut().find(|(answer, _)| *answer == id);
                if let Some((_, at)) = answer {
                    *at = now;
                }
            }
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
            self.activity
                .state()
                .answers
                .retain(|(answer, _)| *answer != id);
        }
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.wait();
        let mut state = self.activity.state();
        state.requests -= 1;
        state.idle_since = Instant::now();
    }
}

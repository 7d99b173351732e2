//! When a body moved last: the time that a forwarded call has.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use http_body::{Body, Frame, SizeHint};
use parking_lot::Mutex;
use tokio::time::{Instant, Sleep, sleep, sleep_until};
use tower::BoxError;

use crate::gateway::users::InFlight;
use crate::groupware::GroupwareError;

/// Up to this size, in bytes, an answer that is there at once is passed on in one piece with its head.
const SMALL: usize = 16 * 1024;

/// A forwarded request, and how far its body has got. It keeps its place until the last clone is dropped.
#[derive(Clone)]
pub(super) struct Progress(Arc<UnderWay>);

struct UnderWay {
    state: Mutex<State>,
    /// When its caller left.
    left: OnceLock<Instant>,
    _place: InFlight,
}

#[derive(Clone, Copy)]
struct State {
    moved: Instant,
    has_ended: bool,
    has_failed: bool,
    /// Whether a call is under way.
    is_called: bool,
}

/// Its caller leaves when this is dropped.
pub(super) struct Presence(pub(super) Progress);

// === impl Progress ===

impl Progress {
    pub(super) fn new(place: InFlight) -> Self {
        let state =
            State { moved: Instant::now(), has_ended: false, has_failed: false, is_called: false };
        Self(Arc::new(UnderWay { state: Mutex::new(state), left: OnceLock::new(), _place: place }))
    }

    /// Begins a call, whose body `has_ended` if it is not streamed.
    pub(super) fn begin(&self, has_ended: bool) {
        *self.0.state.lock() =
            State { moved: Instant::now(), has_ended, has_failed: false, is_called: true };
    }

    pub(super) fn end(&self) {
        self.0.state.lock().is_called = false;
    }

    pub(super) fn is_called(&self) -> bool {
        self.0.state.lock().is_called
    }

    /// Whether the caller's body broke off.
    pub(super) fn has_failed(&self) -> bool {
        self.0.state.lock().has_failed
    }

    /// Returns once the body has not moved for `stall`, the server has not answered for `patience` after its end, or the
    /// caller, or the password by `is_gone`, has been gone for `stall`, since the server delays its refusals of logins, which
    /// have to be counted, by up to 25 seconds; with the error for its caller, if there still is one.
    pub(super) async fn too_late(
        &self,
        stall: Duration,
        patience: Duration,
        is_gone: impl Future<Output = ()>,
    ) -> GroupwareError {
        let has_gone = async {
            is_gone.await;
            sleep(stall).await;
        };
        tokio::select! {
            error = self.late(stall, patience) => error,
            () = has_gone => GroupwareError::TimedOut(stall, "stall_timeout"),
        }
    }

    async fn late(&self, stall: Duration, patience: Duration) -> GroupwareError {
        loop {
            let State { moved, has_ended, .. } = *self.0.state.lock();
            let late = moved + if has_ended { patience } else { stall };
            let end = self.0.left.get().map_or(late, |&left| late.min(left + stall));
            let now = Instant::now();
            match has_ended {
                _ if now < end => {}
                true => return GroupwareError::TimedOut(patience, "request_timeout"),
                false => return GroupwareError::Stalled(stall),
            }
            // Meanwhile it may end, or its caller leave, and it have less time from then on.
            sleep_until(end.min(now + patience.min(stall))).await;
        }
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        _ = self.0.0.left.set(Instant::now());
    }
}

/// The body of a request, on its way to the server, without trailers.
pub(super) struct Sent<B> {
    body: Pin<Box<B>>,
    progress: Progress,
}

// === impl Sent ===

impl<B: Body> Sent<B> {
    pub(super) fn new(body: B, progress: Progress) -> Self {
        Self { body: Box::pin(body), progress }
    }
}

impl<B: Body<Error: Into<BoxError>>> Body for Sent<B> {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let frame = ready!(self.body.as_mut().poll_frame(cx)).filter(is_no_trailer);
        // Whoever sends it reads no further than its length, while the end of an HTTP/2 stream may be a frame of its own.
        let is_whole = self.body.is_end_stream() || self.body.size_hint().exact() == Some(0);
        let has_ended = frame.is_none() || is_whole;
        let has_failed = matches!(frame, Some(Err(_)));
        let mut state = self.progress.0.state.lock();
        *state = State { moved: Instant::now(), has_ended, has_failed, ..*state };
        drop(state);
        let to_bytes = |mut data: B::Data| data.copy_to_bytes(data.remaining());
        Poll::Ready(frame.map(|frame| frame.map(|it| it.map_data(to_bytes)).map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// What has been read of a body, and is to be passed on first.
type Ahead = VecDeque<Result<Frame<Bytes>, BoxError>>;

/// Reads what is there of a body at once. The whole of a small one can be passed on in one piece with its head: as one of
/// unknown length, its end would be a write of its own.
pub(super) async fn at_once<B>(body: &mut B) -> Result<Bytes, Ahead>
where
    B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin,
{
    let mut ahead = VecDeque::new();
    let mut left = SMALL as u64;
    while !body.is_end_stream() {
        if body.size_hint().lower() > left {
            return Err(ahead);
        }
        match poll_fn(|cx| Poll::Ready(Pin::new(&mut *body).poll_frame(cx))).await {
            Poll::Pending => return Err(ahead),
            Poll::Ready(Some(frame)) if is_no_trailer(&frame) => {
                let data = frame.as_ref().ok().and_then(Frame::data_ref);
                let room = data.and_then(|data| left.checked_sub(data.len() as u64));
                let is_all = room.is_some() && ahead.is_empty() && body.is_end_stream();
                if is_all && let Ok(frame) = frame {
                    return Ok(frame.into_data().unwrap_or_default());
                }
                ahead.push_back(frame.map_err(Into::into));
                match room {
                    Some(room) => left = room,
                    None => return Err(ahead),
                }
            }
            Poll::Ready(_) => break,
        }
    }
    let pieces = ahead.drain(..).filter_map(|frame| frame.ok()?.into_data().ok());
    Ok(pieces.reduce(|whole, piece| [whole, piece].concat().into()).unwrap_or_default())
}

/// The body of an answer on its way to the caller, without trailers. It fails if nothing of it comes for `stall`.
pub(super) struct Received<B> {
    body: B,
    ahead: Ahead,
    stall: Duration,
    /// Kept for the next wait, since there is one for most pieces.
    deadline: Pin<Box<Sleep>>,
    is_waiting: bool,
    /// A request is under way until its answer has been passed on.
    _progress: Progress,
}

/// The server stopped in the middle of an answer.
#[derive(Debug, thiserror::Error)]
#[error("the groupware server sent nothing more of its answer for {0:?}")]
struct Stalled(Duration);

// === impl Received ===

impl<B> Received<B> {
    /// What is `ahead` has been read of it.
    pub(super) fn new(body: B, ahead: Ahead, stall: Duration, progress: Progress) -> Self {
        let deadline = Box::pin(sleep(stall));
        Self { body, ahead, stall, deadline, is_waiting: false, _progress: progress }
    }
}

impl<B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin> Body for Received<B> {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let breaks_off = self.ahead.front().is_some_and(Result::is_err);
        if breaks_off && !std::mem::replace(&mut self.is_waiting, true) {
            // What is before it has to be written first: it would be dropped with the connection.
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        if let Some(frame) = self.ahead.pop_front() {
            return Poll::Ready(Some(frame));
        }
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) {
            self.is_waiting = false;
            let frame = frame.filter(is_no_trailer);
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let stall = self.stall;
        if !std::mem::replace(&mut self.is_waiting, true) {
            self.deadline.as_mut().reset(Instant::now() + stall);
        }
        ready!(self.deadline.as_mut().poll(cx));
        Poll::Ready(Some(Err(Stalled(stall).into())))
    }

    fn is_end_stream(&self) -> bool {
        self.ahead.is_empty() && self.body.is_end_stream()
    }
}

/// Trailers are fields that no list has allowed: a body ends before them.
fn is_no_trailer<E>(frame: &Result<Frame<impl Buf>, E>) -> bool {
    !matches!(frame, Ok(frame) if frame.is_trailers())
}

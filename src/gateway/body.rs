//! The body of the gateway's answers.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::stream::BoxStream;
use http_body::{Body, Frame, SizeHint};

/// The body of an answer: complete, except where the caller waits for events (docs/API.md, section 12.5).
pub struct AnswerBody(Kind);

enum Kind {
    /// In parts, so that a large one need not be copied.
    Complete([Bytes; 3]),
    Stream(BoxStream<'static, Bytes>),
}

impl AnswerBody {
    pub(super) fn parts(parts: [Bytes; 3]) -> Self {
        Self(Kind::Complete(parts))
    }

    /// The pieces of `stream`, as they come.
    pub(super) fn stream(stream: BoxStream<'static, Bytes>) -> Self {
        Self(Kind::Stream(stream))
    }
}

impl From<Bytes> for AnswerBody {
    fn from(bytes: Bytes) -> Self {
        Self::parts([bytes, Bytes::new(), Bytes::new()])
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut self.0 {
            Kind::Complete(parts) => {
                let part = parts.iter_mut().find(|part| !part.is_empty());
                Poll::Ready(part.map(|part| Ok(Frame::data(std::mem::take(part)))))
            }
            Kind::Stream(stream) => {
                let piece = ready!(stream.as_mut().poll_next(cx));
                Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Kind::Complete(parts) => parts.iter().all(Bytes::is_empty),
            Kind::Stream(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Complete(parts) => {
                SizeHint::with_exact(parts.iter().map(|part| part.len() as u64).sum())
            }
            Kind::Stream(_) => SizeHint::default(),
        }
    }
}

impl fmt::Debug for AnswerBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnswerBody").finish_non_exhaustive()
    }
}

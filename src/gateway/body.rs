//! The body of the gateway's answers.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt as _;
use http_body_util::combinators::UnsyncBoxBody;
use tower::BoxError;

use crate::opaque::opaque_debug;

/// The body of an answer: complete, except where the caller waits for events (docs/API.md, section 12.5) and where it
/// is forwarded as the groupware server sends it (section 13). It fails if that breaks off.
pub struct AnswerBody(Kind);

enum Kind {
    /// In parts, so that a large one need not be copied.
    Complete([Bytes; 3]),
    Streamed(UnsyncBoxBody<Bytes, BoxError>),
}

impl AnswerBody {
    pub(super) fn parts(parts: [Bytes; 3]) -> Self {
        Self(Kind::Complete(parts))
    }

    /// The frames of `body`, as they come.
    pub(super) fn streamed(
        body: impl Body<Data = Bytes, Error = BoxError> + Send + 'static,
    ) -> Self {
        Self(Kind::Streamed(body.boxed_unsync()))
    }
}

impl From<Bytes> for AnswerBody {
    fn from(bytes: Bytes) -> Self {
        Self::parts([bytes, Bytes::new(), Bytes::new()])
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        match &mut self.0 {
            Kind::Complete(parts) => {
                let part = parts.iter_mut().find(|part| !part.is_empty());
                Poll::Ready(part.map(|part| Ok(Frame::data(std::mem::take(part)))))
            }
            Kind::Streamed(body) => Pin::new(body).poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Kind::Complete(parts) => parts.iter().all(Bytes::is_empty),
            Kind::Streamed(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Complete(parts) => {
                SizeHint::with_exact(parts.iter().map(|part| part.len() as u64).sum())
            }
            Kind::Streamed(body) => body.size_hint(),
        }
    }
}

opaque_debug!(AnswerBody);

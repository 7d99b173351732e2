//! The future of a layer that either calls the service below it or refuses the request itself.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use crate::gateway::Error;

pin_project! {
    /// The future of the service below, or a refusal by the layer.
    #[derive(Debug)]
    pub struct ResponseFuture<F> {
        #[pin]
        kind: Kind<F>,
    }
}

pin_project! {
    #[project = KindProj]
    #[derive(Debug)]
    enum Kind<F> {
        Called { #[pin] future: F },
        Refused { error: Option<Error> },
    }
}

// === impl ResponseFuture ===

impl<F> ResponseFuture<F> {
    /// The service below was called.
    pub(super) fn called(future: F) -> Self {
        Self {
            kind: Kind::Called { future },
        }
    }

    /// The layer refuses the request.
    pub(super) fn refused(error: Error) -> Self {
        Self {
            kind: Kind::Refused { error: Some(error) },
        }
    }
}

impl<F, R, E> Future for ResponseFuture<F>
where
    F: Future<Output = Result<R, E>>,
    E: From<Error>,
{
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        match self.project().kind.project() {
            KindProj::Called { future } => future.poll(cx),
            KindProj::Refused { error } => {
                Poll::Ready(Err(error.take().expect("polled after completion").into()))
            }
        }
    }
}

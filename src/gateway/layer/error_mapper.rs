//! Turns every error of the layers below into the JSON of specification section 7.1.
//!
//! This is the one place where an error becomes an answer, and the one place where it is logged:
//! everything below returns errors and says nothing. Above this layer the error type is
//! [`Infallible`].

use std::convert::Infallible;
use std::error::Error as StdError;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::{Response, StatusCode};
use http_body_util::Full;
use pin_project_lite::pin_project;
use tower::load_shed::error::Overloaded;
use tower::timeout::error::Elapsed;
use tower::{BoxError, Layer, Service};

use crate::gateway::Error;

/// Makes [`ErrorMapper`] services.
#[derive(Clone, Copy, Debug, Default)]
pub struct ErrorMapperLayer;

impl<S> Layer<S> for ErrorMapperLayer {
    type Service = ErrorMapper<S>;

    fn layer(&self, inner: S) -> Self::Service {
        ErrorMapper {
            inner,
            not_ready: None,
        }
    }
}

/// See the [module documentation](self).
#[derive(Debug)]
pub struct ErrorMapper<S> {
    inner: S,
    /// An error of `poll_ready`, which has no request to answer: the next call gets it.
    not_ready: Option<Error>,
}

impl<S: Clone> Clone for ErrorMapper<S> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            not_ready: None,
        }
    }
}

impl<S, Req> Service<Req> for ErrorMapper<S>
where
    S: Service<Req, Response = Response<Full<Bytes>>>,
    S::Error: Into<BoxError>,
{
    type Response = S::Response;
    type Error = Infallible;
    type Future = ResponseFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        if let Err(error) = ready!(self.inner.poll_ready(cx)) {
            self.not_ready = Some(classify(error.into()));
        }
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Req) -> Self::Future {
        match self.not_ready.take() {
            Some(error) => ResponseFuture::Failed { error: Some(error) },
            None => ResponseFuture::Called {
                inner: self.inner.call(request),
            },
        }
    }
}

pin_project! {
    /// The future of [`ErrorMapper`].
    #[project = ResponseFutureProj]
    #[derive(Debug)]
    pub enum ResponseFuture<F> {
        #[doc(hidden)]
        Called { #[pin] inner: F },
        #[doc(hidden)]
        Failed { error: Option<Error> },
    }
}

impl<F, E> Future for ResponseFuture<F>
where
    F: Future<Output = Result<Response<Full<Bytes>>, E>>,
    E: Into<BoxError>,
{
    type Output = Result<Response<Full<Bytes>>, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let error = match self.project() {
            ResponseFutureProj::Called { inner } => match ready!(inner.poll(cx)) {
                Ok(response) => return Poll::Ready(Ok(response)),
                Err(error) => classify(error.into()),
            },
            ResponseFutureProj::Failed { error } => error.take().expect("polled after completion"),
        };
        log(&error);
        Poll::Ready(Ok(error.into_response()))
    }
}

/// Tower's own layers box their errors; this finds out which of them, or of ours, it is.
fn classify(error: BoxError) -> Error {
    match error.downcast::<Error>() {
        Ok(error) => *error,
        Err(error) if error.is::<Overloaded>() => Error::Overloaded,
        Err(error) if error.is::<Elapsed>() => Error::Timeout,
        Err(error) => Error::Other(error),
    }
}

/// What an operator has to look at is an error or a warning; what callers do wrong is not.
fn log(error: &Error) {
    let status = error.status();
    let code = status.as_u16();
    match status {
        // A 500 by the specification, but nobody's to look after.
        _ if matches!(error, Error::InvalidJson(_)) => {
            tracing::debug!(status = code, %error, "request refused");
        }
        StatusCode::INTERNAL_SERVER_ERROR => {
            tracing::error!(status = code, error = %Chain(error), "request failed");
        }
        StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT => {
            tracing::warn!(status = code, %error, "request not served");
        }
        _ => tracing::debug!(status = code, %error, "request refused"),
    }
}

/// Shows an error and its causes, those aside that the line before already ends with.
struct Chain<'a>(&'a Error);

impl std::fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut said = self.0.to_string();
        f.write_str(&said)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            let text = error.to_string();
            if !said.ends_with(&text) {
                write!(f, ": {text}")?;
            }
            said = text;
            cause = error.source();
        }
        Ok(())
    }
}

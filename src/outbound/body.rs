//! Reading an answer into memory, up to a bound.

use std::error::Error as StdError;

use bytes::Bytes;
use http_body::Body;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};

/// Why an answer was not read to its end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    /// It has more bytes than the bound.
    #[error("length limit exceeded")]
    TooLarge,
    /// The connection failed before the end.
    #[error(transparent)]
    BrokenOff(Box<dyn StdError + Send + Sync>),
}

/// Reads all of `body`, at most `limit` bytes.
///
/// # Errors
/// The body is longer than `limit`, which is noticed before reading if it states its length; or
/// the connection fails before its end.
pub(crate) async fn read_body<B>(body: B, limit: usize) -> Result<Bytes, ReadError>
where
    B: Body<Error: Into<Box<dyn StdError + Send + Sync>>>,
{
    if body.size_hint().lower() > limit as u64 {
        return Err(ReadError::TooLarge);
    }
    match Limited::new(body, limit).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(ReadError::TooLarge),
        Err(error) => Err(ReadError::BrokenOff(error)),
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use http_body::Frame;
    use http_body_util::Full;

    use super::*;

    /// A body that does not state its length.
    struct Parts(Vec<Result<&'static str, io::Error>>);

    impl Body for Parts {
        type Data = Bytes;
        type Error = io::Error;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
            let part = self.0.pop();
            Poll::Ready(part.map(|part| part.map(|text| Frame::data(text.into()))))
        }
    }

    #[tokio::test]
    async fn an_answer_is_read_to_its_end_or_refused() {
        let whole = read_body(Parts(vec![Ok("cd"), Ok("ab")]), 4).await;
        assert_eq!(whole.unwrap(), "abcd");

        let long = read_body(Parts(vec![Ok("cd"), Ok("ab")]), 3).await;
        assert!(matches!(long, Err(ReadError::TooLarge)));
        let stated = read_body(Full::new(Bytes::from("abcd")), 3).await;
        assert_eq!(stated.unwrap_err().to_string(), "length limit exceeded");

        let broken = Parts(vec![Err(io::Error::other("reset")), Ok("ab")]);
        let broken = read_body(broken, 4).await.unwrap_err();
        assert_eq!(broken.to_string(), "reset");
    }
}

//! Reading an answer into memory, up to a bound.

use std::error::Error as StdError;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf as _, Bytes};
use futures_util::future::{BoxFuture, FutureExt as _};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt as _;
use pin_project_lite::pin_project;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Up to this many bytes an answer needs no room of its own.
pub(crate) const SMALL: usize = 64 * 1024;

/// The most that larger answers take in memory together, in bytes.
const ALL: usize = 128 * 1024 * 1024;

/// Bytes for each permit of [`Room`].
const UNIT: usize = 1024;

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

/// Room in memory for large answers, which they keep until they are dropped: a server whose answers are
/// large, and clients that take them slowly, would otherwise fill the memory.
pub(crate) struct Room(Arc<Semaphore>);

/// A large answer, and the room it takes.
struct Large {
    bytes: Bytes,
    _room: OwnedSemaphorePermit,
}

pin_project! {
    /// A body of at most `limit` bytes, which waits for room before it reads more than [`SMALL`] ones.
    struct Bounded<'r, B> {
        #[pin]
        body: B,
        limit: usize,
        read: usize,
        room: &'r Room,
        waiting: Option<BoxFuture<'static, OwnedSemaphorePermit>>,
        taken: &'r mut Option<OwnedSemaphorePermit>,
    }
}

/// Reads all of `body`, at most `limit` bytes.
///
/// # Errors
/// The body is longer than `limit`, which is noticed before reading if it states its length; or
/// the connection fails before its end.
pub(crate) async fn read_body<B>(body: B, limit: usize, room: &Room) -> Result<Bytes, ReadError>
where
    B: Body<Data = Bytes, Error: Into<Box<dyn StdError + Send + Sync>>>,
{
    if body.size_hint().lower() > limit as u64 {
        return Err(ReadError::TooLarge);
    }
    let mut taken = None;
    let bounded = Bounded {
        body,
        limit,
        read: 0,
        room,
        waiting: None,
        taken: &mut taken,
    };
    let bytes = bounded.collect().await?.to_bytes();
    let Some(mut room) = taken else {
        return Ok(bytes);
    };
    // What was reserved and is not needed.
    drop(room.split(room.num_permits().saturating_sub(units(bytes.len()))));
    Ok(Bytes::from_owner(Large { bytes, _room: room }))
}

fn units(bytes: usize) -> usize {
    bytes.div_ceil(UNIT)
}

// === impl Room ===

impl Room {
    pub(crate) fn new() -> Self {
        Self::with_capacity(ALL)
    }

    fn with_capacity(bytes: usize) -> Self {
        Self(Arc::new(Semaphore::new(units(bytes))))
    }

    /// Waits for room for `bytes`, or for all there is.
    fn take(&self, bytes: usize) -> BoxFuture<'static, OwnedSemaphorePermit> {
        let room = self.0.clone();
        let count = units(bytes.min(ALL)) as u32;
        async move {
            let taken = room.acquire_many_owned(count).await;
            taken.expect("never closed")
        }
        .boxed()
    }
}

// === impl Large ===

impl AsRef<[u8]> for Large {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

// === impl Bounded ===

impl<B> Body for Bounded<'_, B>
where
    B: Body<Data = Bytes, Error: Into<Box<dyn StdError + Send + Sync>>>,
{
    type Data = Bytes;
    type Error = ReadError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, ReadError>>> {
        let this = self.project();
        if *this.read > SMALL && this.taken.is_none() {
            let waiting = this
                .waiting
                .get_or_insert_with(|| this.room.take(*this.limit));
            **this.taken = Some(ready!(waiting.poll_unpin(cx)));
        }
        let frame = match ready!(this.body.poll_frame(cx)) {
            Some(Ok(frame)) => frame,
            Some(Err(error)) => return Poll::Ready(Some(Err(ReadError::BrokenOff(error.into())))),
            None => return Poll::Ready(None),
        };
        if let Some(data) = frame.data_ref() {
            *this.read += data.remaining();
            if *this.read > *this.limit {
                return Poll::Ready(Some(Err(ReadError::TooLarge)));
            }
        }
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::io;

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
    async fn large_answers_wait_for_room_and_small_ones_do_not() {
        const LEN: usize = SMALL + 2;
        let text = &*"x".repeat(SMALL + 1).leak();
        // Room for one, of which all is taken until it is read.
        let room = Room::with_capacity(2 * LEN);
        let large = || Parts(vec![Ok("x"), Ok(text)]);
        let mut first = Box::pin(read_body(large(), 2 * LEN, &room));
        let read = first.as_mut().now_or_never().unwrap().unwrap();
        assert_eq!(read.len(), LEN);
        let mut second = Box::pin(read_body(large(), 2 * LEN, &room));
        assert!(second.as_mut().now_or_never().is_none());
        let small = read_body(Parts(vec![Ok("cd")]), 2 * LEN, &room);
        assert_eq!(small.now_or_never().unwrap().unwrap(), "cd");
        // A part of the answer is enough to keep it.
        let part = read.slice(1..2);
        drop(read);
        assert!(second.as_mut().now_or_never().is_none());
        drop(part);
        assert_eq!(second.await.unwrap().len(), LEN);
        assert_eq!(room.0.available_permits(), units(2 * LEN));
    }
}

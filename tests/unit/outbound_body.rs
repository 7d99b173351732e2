//! Reading bodies of answers.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::FutureExt as _;
use http_body::Frame;

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
    let room = AnswerMemory::with_capacity(2 * LEN);
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

/// A list of small parts would take many times the memory of what they hold.
#[tokio::test]
async fn parts_are_not_kept() {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    static KEPT: AtomicUsize = AtomicUsize::new(0);
    struct Part;
    impl AsRef<[u8]> for Part {
        fn as_ref(&self) -> &[u8] {
            b"x"
        }
    }
    impl Drop for Part {
        fn drop(&mut self) {
            KEPT.fetch_sub(1, SeqCst);
        }
    }

    let mut most = 0;
    let parts = (0..10_000).map(|_| {
        let kept = KEPT.fetch_add(1, SeqCst) + 1;
        most = most.max(kept);
        Ok::<_, io::Error>(Frame::data(Bytes::from_owner(Part)))
    });
    let body = http_body_util::StreamBody::new(futures_util::stream::iter(parts));
    let read = read_body(body, 10_000, &AnswerMemory::new()).await.unwrap();
    assert_eq!(read.len(), 10_000);
    assert!(most <= 2, "{most} parts are kept at once");
}

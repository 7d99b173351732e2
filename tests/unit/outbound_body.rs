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

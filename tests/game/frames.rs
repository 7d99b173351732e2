//! Splitting a stream into messages, in whatever pieces it arrives.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::BytesMut;
use futures_util::StreamExt;
use portreeve::game::frame::{FrameCodec, FrameError, FrameReader, Frames, Framing, greeting};
use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::codec::{Decoder, Encoder, FramedRead};

use crate::data;

/// A source that gives its bytes in pieces.
struct Pieces(VecDeque<Vec<u8>>);

impl Pieces {
    fn cut(bytes: &[u8], size: usize) -> Self {
        Self(bytes.chunks(size).map(<[u8]>::to_vec).collect())
    }

    fn give(&mut self, room: usize) -> Vec<u8> {
        let Some(mut piece) = self.0.pop_front() else {
            return Vec::new();
        };
        if piece.len() > room {
            self.0.push_front(piece.split_off(room));
        }
        piece
    }
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let piece = self.give(buffer.len());
        buffer[..piece.len()].copy_from_slice(&piece);
        Ok(piece.len())
    }
}

impl AsyncRead for Pieces {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let piece = self.give(buffer.remaining());
        buffer.put_slice(&piece);
        Poll::Ready(Ok(()))
    }
}

/// The messages of a stream, or its errors, as one of the readers finds them.
type Cut = Vec<Result<Vec<u8>, String>>;

fn by_slice(stream: &[u8], framing: Framing) -> Cut {
    Frames::with_framing(stream, framing)
        .map(|frame| frame.map(|frame| frame.message.to_vec()).map_err(|error| error.to_string()))
        .collect()
}

fn by_read(source: Pieces, framing: Framing) -> Cut {
    let mut frames = FrameReader::with_framing(source, framing);
    let mut cut = Cut::new();
    loop {
        match frames.next() {
            Ok(None) => return cut,
            Ok(Some(frame)) => cut.push(Ok(frame.message.to_vec())),
            Err(error) => cut.push(Err(error.to_string())),
        }
    }
}

async fn by_async_read(source: Pieces, framing: Framing) -> Cut {
    FramedRead::new(source, FrameCodec::with_framing(framing))
        .map(|frame| match frame {
            Ok(message) => Ok(message.to_vec()),
            Err(error) => Err(error.to_string()),
        })
        .collect()
        .await
}

fn frame(message: &[u8]) -> Vec<u8> {
    [&(message.len() as u32).to_be_bytes()[..], message].concat()
}

#[tokio::test]
async fn a_stream_may_arrive_in_any_pieces() {
    let messages = [&b"\x08\x01"[..], b"", b"\x08\x02\x12\x00", b"\x08\x03"];
    let frames: Vec<u8> = messages.iter().flat_map(|message| frame(message)).collect();
    let expected: Cut = messages.iter().map(|message| Ok(message.to_vec())).collect();
    for start in [Vec::new(), greeting(14)] {
        let stream = [start, frames.clone()].concat();
        let framing = Framing::default();
        assert_eq!(by_slice(&stream, framing), expected);
        for size in 1..=stream.len() {
            assert_eq!(by_read(Pieces::cut(&stream, size), framing), expected);
            let cut = by_async_read(Pieces::cut(&stream, size), framing).await;
            assert_eq!(cut, expected);
        }
        // And in two pieces, cut at every byte.
        for position in 0..=stream.len() {
            let (start, end) = stream.split_at(position);
            let pieces = || {
                Pieces(
                    [start, end]
                        .map(<[u8]>::to_vec)
                        .into_iter()
                        .filter(|piece| !piece.is_empty())
                        .collect(),
                )
            };
            assert_eq!(by_read(pieces(), framing), expected);
            assert_eq!(by_async_read(pieces(), framing).await, expected);
        }
    }
}

#[tokio::test]
async fn a_stream_that_ends_within_a_message_is_an_error() {
    let stream = [greeting(14), frame(b"\x08\x01"), frame(b"\x08\x02\x10")].concat();
    let first_end = 60 + 6;
    for end in 0..stream.len() {
        let stream = &stream[..end];
        let cut = by_slice(stream, Framing::default());
        let whole = [0, 60, first_end].contains(&end);
        assert_eq!(cut.iter().all(Result::is_ok), whole, "{end}");
        if !stream.is_empty() {
            let pieces = || Pieces::cut(stream, 7);
            assert_eq!(by_read(pieces(), Framing::default()), cut);
            assert_eq!(by_async_read(pieces(), Framing::default()).await, cut);
        }
    }
}

#[tokio::test]
async fn the_greeting_is_read_if_it_is_present() {
    assert_eq!(greeting(14).len(), 60);
    let stream = [greeting(14), frame(b"\x08\x01")].concat();
    let mut frames = Frames::new(&stream);
    assert_eq!(frames.next().unwrap().unwrap().offset, 64);
    // Also where another recording follows, in any pieces; but only the real one.
    let twice = [&*stream, &greeting(15), &frame(b"\x08\x02")].concat();
    let messages = [Ok(b"\x08\x01".to_vec()), Ok(b"\x08\x02".to_vec())];
    assert_eq!(by_slice(&twice, Framing::default()), messages);
    for size in 1..70 {
        assert_eq!(by_read(Pieces::cut(&twice, size), Framing::default()), messages);
    }
    let cut = [&*stream, &greeting(14)[..20]].concat();
    assert!(by_slice(&cut, Framing::default())[1].is_err());
    let late = [frame(b""), b"<?xmas".to_vec()].concat();
    assert!(by_slice(&late, Framing::default())[1].is_err());
    for wrong in [
        "<?xml version=\"1.1\"?>",
        "<?xmas",
        "<?xml version=\"1.0\"?><cockatrice_server_stream version=\"x\">",
    ] {
        assert_eq!(Frames::new(wrong.as_bytes()).next(), Some(Err(FrameError::Greeting)));
    }
}

#[tokio::test]
async fn a_message_over_the_limit_is_refused() {
    let stream = [frame(b"\x08\x01"), frame(&[0; 100]), frame(b"\x08\x02")].concat();
    let framing = Framing::with_limit(99);
    let cut = by_slice(&stream, framing);
    // The messages after one that is too long can still be read.
    assert_eq!(cut[0], Ok(b"\x08\x01".to_vec()));
    assert!(cut[1].as_ref().unwrap_err().contains("100 bytes"));
    assert_eq!(cut[2..], [Ok(b"\x08\x02".to_vec())]);
    for size in 1..stream.len() {
        assert_eq!(by_read(Pieces::cut(&stream, size), framing), cut);
    }
    assert_eq!(by_async_read(Pieces::cut(&stream, 9), framing).await, cut[..2]);
    // A length alone takes no memory.
    let claim = u32::MAX.to_be_bytes();
    let framing = Framing::with_limit(usize::MAX);
    let info = allocation_counter::measure(|| {
        let mut buffer = BytesMut::from(&claim[..]);
        assert!(FrameCodec::with_framing(framing).decode(&mut buffer).unwrap().is_none());
        let mut frames = FrameReader::with_framing(&claim[..], framing);
        assert!(frames.next().is_err());
    });
    assert!(info.bytes_max < 1 << 20, "{info:?}");
}

#[tokio::test]
async fn a_read_that_is_cancelled_loses_no_bytes() {
    let (mut client, server) = tokio::io::duplex(64);
    let mut frames = FramedRead::new(server, FrameCodec::default());
    let bytes = frame(b"\x08\x01");
    let write = async |part: &[u8], client: &mut tokio::io::DuplexStream| {
        tokio::io::AsyncWriteExt::write_all(client, part).await.unwrap();
    };
    for part in bytes[..5].chunks(1) {
        write(part, &mut client).await;
        let dropped =
            tokio::time::timeout(std::time::Duration::from_millis(1), frames.next()).await;
        assert!(dropped.is_err());
    }
    write(&bytes[5..], &mut client).await;
    assert_eq!(frames.next().await.unwrap().unwrap(), b"\x08\x01"[..]);
    drop(client);
    assert!(frames.next().await.is_none());
}

#[test]
fn encoded_frames_are_read_back() {
    let mut codec = FrameCodec::default();
    let mut buffer = BytesMut::new();
    for record in data::records("frames").into_iter().take(50) {
        let message = record.message();
        codec.encode(&message, &mut buffer).unwrap();
        let received = codec.decode(&mut buffer).unwrap().unwrap();
        assert_eq!(received, message);
        let message = portreeve::game::ServerMessage::parse(&received).unwrap();
        let mut frame = Vec::new();
        portreeve::game::frame::append(&message, &mut frame);
        assert_eq!(Frames::new(&frame).next().unwrap().unwrap().message.len(), received.len());
    }
}

//! Cutting a stream into messages gives the same from a slice as in pieces.

use std::io::{self, Read};

use portreeve::game::frame::{FrameError, FrameReader, Frames, Framing, ReadError};

/// Gives a few bytes at a time.
struct Drip<'d>(&'d [u8], usize);

impl Read for Drip<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.1.min(buffer.len()).min(self.0.len());
        let (now, later) = self.0.split_at(count);
        buffer[..count].copy_from_slice(now);
        self.0 = later;
        Ok(count)
    }
}

pub(crate) fn run(data: &[u8]) {
    let Some((&step, stream)) = data.split_first() else {
        return;
    };
    let framing = Framing::with_limit(1 << 12);
    let mut pieces = FrameReader::with_framing(Drip(stream, usize::from(step) + 1), framing);
    for frame in Frames::with_framing(stream, framing) {
        match (frame, pieces.next()) {
            (Ok(one), Ok(Some(other))) => assert_eq!(one, other),
            (Err(one), Err(ReadError::Frame(other))) => {
                assert_eq!(one, other);
                let ends = matches!(one, FrameError::TooLong { length, .. } if length as usize > stream.len());
                if ends || !matches!(one, FrameError::TooLong { .. }) {
                    return;
                }
            }
            (one, other) => panic!("{one:?} {other:?}"),
        }
    }
}

//! Counting the heads of answers over HTTP/2, beneath hyper, which does not show interim ones (1xx).

/// The type of a frame that begins the head of an answer, interim or not (RFC 9113, section 6.2).
const HEADERS: u8 = 1;

/// Where the frames begin in what a server sends (RFC 9113, section 4.1).
#[derive(Default)]
pub(super) struct Heads {
    header: [u8; 9],
    /// How many bytes of `header` have come.
    filled: usize,
    /// How many bytes of the current frame's payload are still to come.
    payload: usize,
}

impl Heads {
    /// How many heads begin in the next `bytes` of the connection.
    pub(super) fn count(&mut self, mut bytes: &[u8]) -> usize {
        let mut heads = 0;
        while !bytes.is_empty() {
            let skipped = self.payload.min(bytes.len());
            self.payload -= skipped;
            bytes = &bytes[skipped..];
            let taken = bytes.len().min(self.header.len() - self.filled);
            self.header[self.filled..][..taken].copy_from_slice(&bytes[..taken]);
            self.filled += taken;
            bytes = &bytes[taken..];
            if self.filled == self.header.len() {
                let [a, b, c, kind, ..] = self.header;
                self.payload = u32::from_be_bytes([0, a, b, c]) as usize;
                self.filled = 0;
                heads += usize::from(kind == HEADERS);
            }
        }
        heads
    }
}

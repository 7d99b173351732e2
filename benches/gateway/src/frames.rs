//! Frames of HTTP/2 (RFC 9113) and fields of HPACK (RFC 7541), written by hand: no client would send these.

/// A message on a new connection.
pub(crate) struct Frames(Vec<u8>);

const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const CONTINUATION: u8 = 9;

const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// The largest payload of a frame, unless the peers agree on another.
const PAYLOAD: usize = 16_384;

/// The answer to the last of these frames.
pub(crate) const LAST_ANSWER: [u8; 17] = *b"\0\0\x08\x06\x01\0\0\0\0the last";

/// `GET http://gateway/`, each field but the last by its index.
const REQUEST: &[u8] = b"\x82\x86\x84\x01\x07gateway";

// === impl Frames ===

impl Frames {
    fn new() -> Self {
        let mut frames = Self(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec());
        frames.add(SETTINGS, 0, 0, b"");
        frames
    }

    fn add(&mut self, kind: u8, flags: u8, stream: usize, payload: &[u8]) {
        let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
        let stream = u32::try_from(stream).unwrap().to_be_bytes();
        self.0.extend(&length[1..]);
        self.0.extend([kind, flags]);
        self.0.extend(stream);
        self.0.extend(payload);
    }

    /// The same frame many times.
    fn times(mut self, count: usize, kind: u8, payload: &[u8]) -> Self {
        for _ in 0..count {
            self.add(kind, 0, 0, payload);
        }
        self
    }

    /// A request with these fields, encoded.
    fn request(mut self, fields: &[u8]) -> Self {
        let head = [REQUEST, fields].concat();
        let last = head.len().div_ceil(PAYLOAD) - 1;
        for (at, payload) in head.chunks(PAYLOAD).enumerate() {
            let end = if at == last { END_HEADERS } else { 0 };
            match at {
                0 => self.add(HEADERS, END_STREAM | end, 1, payload),
                _ => self.add(CONTINUATION, end, 1, payload),
            }
        }
        self
    }

    /// All bytes, with a last frame that has an answer, if the connection has not ended by then.
    fn end(mut self) -> Vec<u8> {
        self.add(PING, 0, 0, &LAST_ANSWER[9..]);
        self.0
    }
}

/// A literal field that is added to the table, with a value of `length` bytes.
fn indexed(length: usize) -> Vec<u8> {
    [b"\x40\x01x".as_slice(), &integer(0, length), &vec![b'a'; length]].concat()
}

/// A number with a prefix of seven bits (RFC 7541, section 5.1), and `flag` above them.
fn integer(flag: u8, number: usize) -> Vec<u8> {
    let Some(mut rest) = number.checked_sub(127) else {
        return vec![flag | number as u8];
    };
    let mut bytes = vec![flag | 127];
    while rest >= 128 {
        bytes.push(128 | (rest % 128) as u8);
        rest /= 128;
    }
    bytes.push(rest as u8);
    bytes
}

/// Makes what a client sends.
type MakeInput = fn() -> Vec<u8>;

/// The costliest inputs, each of 64 KiB at most, with their names.
pub(crate) const INPUTS: [(&str, MakeInput); 8] = [
    ("HTTP/2: one field many times, by its index", || {
        let fields = [indexed(4000), vec![0xbe; 60_000]].concat();
        Frames::new().request(&fields).end()
    }),
    ("HTTP/2: small fields", || Frames::new().request(&b"\0\x01x\x01a".repeat(12_000)).end()),
    ("HTTP/2: a value in Huffman's code", || {
        let value = [b"\0\x01x".to_vec(), integer(128, 60_000), vec![0; 60_000]];
        Frames::new().request(&value.concat()).end()
    }),
    ("HTTP/2: a head without an end", || {
        let mut frames = Frames::new();
        frames.add(HEADERS, END_STREAM, 1, REQUEST);
        for _ in 0..7_000 {
            frames.add(CONTINUATION, 0, 1, b"");
        }
        frames.end()
    }),
    ("HTTP/2: requests that are reset", || {
        let mut frames = Frames::new();
        for at in 0..1_500 {
            let stream = 2 * at + 1;
            frames.add(HEADERS, END_STREAM | END_HEADERS, stream, REQUEST);
            frames.add(RST_STREAM, 0, stream, &[0, 0, 0, 8]);
        }
        frames.end()
    }),
    ("HTTP/2: more requests than streams", || {
        let mut frames = Frames::new();
        for at in 0..2_800 {
            frames.add(HEADERS, END_STREAM | END_HEADERS, 2 * at + 1, REQUEST);
        }
        frames.end()
    }),
    ("HTTP/2: settings", || Frames::new().times(7_000, SETTINGS, b"").end()),
    ("HTTP/2: pings", || Frames::new().times(3_800, PING, b"12345678").end()),
];

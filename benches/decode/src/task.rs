//! What is asked of every decoder.
use bytes::Bytes;

/// A `ServerMessage` as it comes from the server: in memory of its own, and, for the decoders that
/// want it so, in shared memory.
pub struct Frame {
    pub bytes: Vec<u8>,
    pub shared: Bytes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Id, code, and which payload there is.
    Pair,
    /// Every field that is present, each text as checked UTF-8.
    Full,
    /// A checked value that stays when the frame is gone, made and dropped.
    Owned,
}

/// Runs a task on a frame: its outcome, which is the same for every decoder, or `None` if the
/// decoder refuses the frame.
pub type Run = fn(&Frame) -> Option<u64>;

/// A decoder, and how it does each task as fast as it can.
pub struct Decoder {
    pub name: &'static str,
    /// Whether it only walks over the fields, without decoding their values.
    pub is_floor: bool,
    pub pair: Option<Run>,
    pub full: Option<Run>,
    pub owned: Option<Run>,
}

// === impl Frame ===

impl From<Vec<u8>> for Frame {
    fn from(bytes: Vec<u8>) -> Self {
        let shared = Bytes::copy_from_slice(&bytes);
        Self { bytes, shared }
    }
}

// === impl Task ===

impl Task {
    pub const ALL: [Self; 3] = [Self::Pair, Self::Full, Self::Owned];

    pub fn name(self) -> &'static str {
        match self {
            Self::Pair => "pair",
            Self::Full => "full",
            Self::Owned => "owned",
        }
    }
}

// === impl Decoder ===

impl Decoder {
    pub fn run(&self, task: Task) -> Option<Run> {
        match task {
            Task::Pair => self.pair,
            Task::Full => self.full,
            Task::Owned => self.owned,
        }
    }
}

/// The outcome of the task *pair*.
#[inline(always)]
pub fn paired(id: u64, code: i32, payload: u32) -> u64 {
    id ^ u64::from(code as u32) << 32 ^ u64::from(payload) << 48
}

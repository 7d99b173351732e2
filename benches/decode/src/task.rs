//! The tasks for every decoder.
use bytes::Bytes;

/// A message as it comes from the server: in its own memory, and in shared memory as from a codec.
pub struct Frame {
    pub bytes: Vec<u8>,
    pub shared: Bytes,
}

/// The content of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// A `ServerMessage` that contains the `Response`, as a client receives it.
    Enveloped,
    /// Only the `Response`, for a program that has already opened the envelope.
    Bare,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Id, code, and the kind of payload.
    Pair,
    /// Every field that is present, each text as checked UTF-8.
    Full,
    /// A checked value that outlives the frame, created and dropped.
    Owned,
}

/// Runs a task on a frame: its outcome, which is the same for every decoder, or `None` if the
/// decoder refuses the frame.
pub type Run = fn(&Frame) -> Option<u64>;

/// How a decoder does a task.
#[derive(Clone, Copy)]
pub struct Way {
    pub enveloped: Run,
    pub bare: Run,
}

/// A decoder, and how it does each task as fast as it can.
pub struct Decoder {
    pub name: &'static str,
    pub pair: Way,
    pub full: Way,
    pub owned: Option<Way>,
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
    /// How it does a task on frames that hold this, if it does.
    pub fn run(&self, task: Task, framing: Framing) -> Option<Run> {
        let way = match task {
            Task::Pair => Some(self.pair),
            Task::Full => Some(self.full),
            Task::Owned => self.owned,
        };
        way.map(|way| match framing {
            Framing::Enveloped => way.enveloped,
            Framing::Bare => way.bare,
        })
    }

    pub fn does(&self, task: Task) -> bool {
        self.run(task, Framing::Enveloped).is_some()
    }
}

/// The outcome of the task *pair*.
#[inline(always)]
pub fn paired(id: u64, code: i32, payload: u32) -> u64 {
    id ^ u64::from(code as u32) << 32 ^ u64::from(payload) << 48
}

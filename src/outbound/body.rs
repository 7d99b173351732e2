//! Reading an answer into memory, up to a bound.

use std::error::Error as StdError;
use std::pin::pin;
use std::sync::Arc;

use bytes::Bytes;
use http_body::Body;
use http_body_util::BodyExt as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Up to this many bytes an answer needs no room of its own.
pub(crate) const SMALL: usize = 64 * 1024;

/// The most that larger answers take in memory together, in bytes.
const ALL: usize = 128 * 1024 * 1024;

/// Bytes for each permit of [`AnswerMemory`].
const UNIT: usize = 1024;

#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    #[error("length limit exceeded")]
    TooLarge,
    #[error(transparent)]
    BrokenOff(Box<dyn StdError + Send + Sync>),
}

/// Memory for large answers, which they keep until they are dropped: a server whose answers are
/// large, and clients that take them slowly, would otherwise fill the memory.
pub(crate) struct AnswerMemory(Arc<Semaphore>);

struct Large {
    bytes: Bytes,
    _room: OwnedSemaphorePermit,
}

/// Reads all of `body`, at most `limit` bytes.
pub(crate) async fn read_body<B>(
    body: B,
    limit: usize,
    room: &AnswerMemory,
) -> Result<Bytes, ReadError>
where
    B: Body<Data = Bytes, Error: Into<Box<dyn StdError + Send + Sync>>>,
{
    if body.size_hint().lower() > limit as u64 {
        return Err(ReadError::TooLarge);
    }
    // What it announces is all it needs room for.
    let most = body.size_hint().upper().map_or(limit, |upper| upper.min(limit as u64) as usize);
    let mut body = pin!(body);
    // Most answers are one part, which is not copied. A list of parts could take much more memory than they.
    let (mut bytes, mut before, mut length, mut taken) = (Bytes::new(), Vec::new(), 0, None);
    loop {
        if length > SMALL && taken.is_none() {
            taken = Some(room.take(most).await);
        }
        let Some(frame) = body.frame().await else {
            break;
        };
        let frame = frame.map_err(|error| ReadError::BrokenOff(error.into()))?;
        if let Ok(part) = frame.into_data() {
            length += part.len();
            if length > limit {
                return Err(ReadError::TooLarge);
            }
            before.extend_from_slice(&std::mem::replace(&mut bytes, part));
        }
    }
    if !before.is_empty() {
        before.extend_from_slice(&bytes);
        bytes = before.into_boxed_slice().into();
    }
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

// === impl AnswerMemory ===

impl AnswerMemory {
    pub(crate) fn new() -> Self {
        Self::with_capacity(ALL)
    }

    fn with_capacity(bytes: usize) -> Self {
        Self(Arc::new(Semaphore::new(units(bytes))))
    }

    /// Waits for room for `bytes`, or for all there is.
    async fn take(&self, bytes: usize) -> OwnedSemaphorePermit {
        let count = units(bytes.min(ALL)) as u32;
        let taken = self.0.clone().acquire_many_owned(count).await;
        taken.expect("never closed")
    }
}

// === impl Large ===

impl AsRef<[u8]> for Large {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
#[path = "../../tests/unit/outbound_body.rs"]
mod tests;

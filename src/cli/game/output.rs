//! Lines on standard output, written by a thread: a slow reader blocks neither signals nor the session.

use std::io::{self, Write};

use tokio::sync::mpsc::{self, OwnedPermit};
use tokio::sync::oneshot;

/// The maximum number of lines that wait to be written. One of a large message takes tens of megabytes.
const QUEUE: usize = 2;

pub(super) struct Output {
    /// `None` after the last line.
    lines: Option<mpsc::Sender<String>>,
    written: oneshot::Receiver<io::Result<()>>,
}

impl Output {
    pub(super) fn start() -> Self {
        let (lines, receiver) = mpsc::channel(QUEUE);
        let (done, written) = oneshot::channel();
        // Not joined, since signals do not interrupt its writing.
        std::thread::spawn(move || done.send(write(receiver)));
        Self { lines: Some(lines), written }
    }

    /// Waits for room for a line; `None` if writing has failed.
    pub(super) async fn room(&self) -> Option<OwnedPermit<String>> {
        self.lines.clone()?.reserve_owned().await.ok()
    }

    /// Waits until all lines are written.
    pub(super) async fn finish(&mut self) -> io::Result<()> {
        self.lines = None;
        (&mut self.written).await.unwrap_or(Ok(()))
    }
}

/// Flushes each line, as the reader may act on it.
fn write(mut lines: mpsc::Receiver<String>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    while let Some(mut line) = lines.blocking_recv() {
        line.push('\n');
        out.write_all(line.as_bytes())?;
        out.flush()?;
    }
    Ok(())
}

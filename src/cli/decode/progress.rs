//! A progress bar on a terminal while a large file is read.

use std::io::{self, IsTerminal, Read};
use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The file size in bytes from which a bar is shown.
const LARGE: u64 = 16 << 20;

/// The progress of reading.
pub(super) struct Progress(ProgressBar);

impl Progress {
    /// Shows a bar if the input is a large file, standard error is a terminal, and standard output is not.
    pub(super) fn new(path: Option<&PathBuf>) -> Self {
        let size = path
            .and_then(|path| path.metadata().ok())
            .filter(std::fs::Metadata::is_file)
            .map(|metadata| metadata.len())
            .filter(|&size| size >= LARGE);
        let bar = match size {
            Some(size) if !io::stdout().is_terminal() => {
                ProgressBar::with_draw_target(Some(size), ProgressDrawTarget::stderr())
            }
            _ => ProgressBar::hidden(),
        };
        let style = "{bar:40} {bytes}/{total_bytes} {bytes_per_sec} {eta}";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        Self(bar)
    }

    /// The same source, with its progress tracked.
    pub(super) fn watch<R: Read>(&self, source: R) -> impl Read + use<R> {
        self.0.wrap_read(source)
    }

    /// Removes the bar.
    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

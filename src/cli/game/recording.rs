//! The file of `--record`.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use portreeve::game::connection::Connector;
use portreeve::game::testing;

use crate::cli::Failure;

/// A recording that is being written. It may hold private messages, so only the user can read it.
pub(super) struct Recording {
    path: PathBuf,
    /// The file, or why it could not be written.
    file: Arc<Mutex<io::Result<File>>>,
}

impl Recording {
    pub(super) fn create(path: &Path) -> Result<Self, Failure> {
        let mut options = OpenOptions::new();
        let file = options.write(true).create_new(true).mode(0o600).open(path);
        let file = file.map_err(|error| {
            let mut problem = error.to_string();
            if error.kind() == io::ErrorKind::AlreadyExists {
                problem = "it exists, and a recording is never overwritten; name another file, or remove it".into();
            }
            let path = path.display();
            Failure::new(format_args!("cannot record to {path}: {problem}"))
        })?;
        let (path, file) = (path.to_owned(), Arc::new(Mutex::new(Ok(file))));
        Ok(Self { path, file })
    }

    pub(super) fn record(&self, connector: Connector) -> Connector {
        let file = self.file.clone();
        testing::record(connector, move |line| {
            let mut file = file.lock();
            if let Ok(open) = &mut *file
                && let Err(error) = open.write_all(format!("{line}\n").as_bytes())
            {
                *file = Err(error);
            }
        })
    }

    pub(super) fn outcome(&self) -> Result<(), Failure> {
        let Err(error) = &*self.file.lock() else {
            return Ok(());
        };
        let path = self.path.display();
        let problem = format_args!("the recording {path} is incomplete: {error}");
        Err(Failure::new(problem))
    }
}

/// If nothing was recorded, as of a server that cannot be reached, the next attempt may use the same name.
impl Drop for Recording {
    fn drop(&mut self) {
        if let Ok(file) = &*self.file.lock()
            && file.metadata().is_ok_and(|found| found.len() == 0)
        {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

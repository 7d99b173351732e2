//! A file of audit lines, to which several processes may write.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::time::SystemTime;

use portreeve::audit::{AuditObserver, Record};
use rustix::fs::OFlags;
use serde::Serialize;

use crate::cli::output::say;
use crate::config::ConfigError;
use crate::config::setting::AUDIT_LOG;
use crate::files;

#[derive(Debug)]
pub(super) struct AuditFile {
    path: PathBuf,
    file: File,
}

impl AuditFile {
    /// Opens the file at `path`; creates it with mode 0600 if it is missing.
    pub(super) fn open(path: PathBuf) -> Result<Self, ConfigError> {
        let opened = match files::create(&path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            // Something other than a file, such as a pipe without a reader, must not block the process.
            _ => OpenOptions::new()
                .append(true)
                .custom_flags(OFlags::NONBLOCK.bits().cast_signed())
                .open(&path),
        };
        let fault = |error| {
            let advice = "name a file in a directory that the gateway may write to";
            ConfigError::of(AUDIT_LOG, format!("{}: {error}; {advice}", path.display()))
        };
        let file = opened.map_err(fault)?;
        Ok(Self { path, file })
    }

    /// Appends a line with one write, so that lines of several processes do not mix. After a partial line, which is an
    /// error, the next one still begins on a new line.
    pub(super) fn write(&self, line: &[u8]) -> io::Result<()> {
        if (&self.file).write(line)? == line.len() {
            return Ok(());
        }
        (&self.file).write_all(b"\n").ok();
        Err(io::ErrorKind::WriteZero.into())
    }
}

/// Writes each record of a command before the command goes on.
impl AuditObserver for AuditFile {
    fn recorded(&self, record: &Record) {
        if let Err(error) = self.write(&line(record)) {
            // The operation has been performed by now.
            let path = self.path.display();
            say(format_args!("portreeve: {path}: cannot write the audit line: {error}"));
        }
    }
}

/// `record` as a line of the file: a JSON object with the time, and a line break.
pub(super) fn line(record: &Record) -> Vec<u8> {
    #[derive(Serialize)]
    struct Line<'a> {
        timestamp: String,
        #[serde(flatten)]
        record: &'a Record,
    }

    let line =
        Line { timestamp: humantime::format_rfc3339_micros(SystemTime::now()).to_string(), record };
    let mut bytes = serde_json::to_vec(&line).expect("a record has text and numbers alone");
    bytes.push(b'\n');
    bytes
}

//! The keys of the vault.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arc_swap::ArcSwap;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tokio::sync::Mutex;
use tokio::time::Instant;
use zeroize::Zeroizing;

use super::cipher::{self, KeyId, OpenError, SealingKey};
use crate::files::{self, Edit, Stamp};
use crate::opaque::opaque_debug;
use crate::random;

/// How often the file is read again at most for a key that is not known.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Bytes of the largest key file that is read; 1,000 keys need less.
const MAX_FILE_LEN: u64 = 64 * 1024;

/// One or more keys of 32 bytes. All of them open; which one seals is said by the store, and is the first one where that
/// says nothing yet ([`Vault::sealing_key`](super::Vault::sealing_key)).
///
/// A keyring that was read from a file reads it again if it changed, when a key is needed that it does not know. Thus
/// keys can be rotated while a gateway runs (docs/OPERATIONS.md, "Key rotation"). While the file cannot be used, which is logged
/// once, the keys that were read last stay in force.
///
/// ```
/// use portreeve::vault::Keyring;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let dir = tempfile::tempdir()?;
/// # let path = dir.path().join("vault.key");
/// let keyring = Keyring::read_or_create(&path)?;
///
/// // After a restart.
/// let again = Keyring::read_or_create(&path)?;
/// assert_eq!(again.first_key(), keyring.first_key());
/// # Ok(())
/// # }
/// ```
pub struct Keyring {
    keys: ArcSwap<Keys>,
    /// The file from which the keys are read again.
    path: Option<PathBuf>,
    /// Whether it was logged that the file cannot be used.
    is_logged: AtomicBool,
    /// When it was last read again for each key that was not known. Whoever reads it holds the lock.
    pub(super) looks: Arc<Mutex<BTreeMap<KeyId, Instant>>>,
}

/// Why there are no usable keys. It holds nothing of a key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyringError {
    /// A key file that cannot be read or made.
    #[error("cannot {action} the key file {}: {source}", path.display())]
    File {
        /// The operation.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// No key at all in their source, which is given in words.
    #[error(
        "{0} holds no key; give at least one of 32 random bytes in base64 (`openssl rand -base64 32`)"
    )]
    Empty(Box<str>),
    /// A key that is not 32 bytes in base64, or whose bytes are all zero, and so not random.
    #[error(
        "key {number} of {origin} is {fault}; replace it with the key it was meant to be, or make one with \
         `openssl rand -base64 32`"
    )]
    NotAKey {
        /// The source of the key, in words.
        origin: Box<str>,
        /// Its number, counted from 1.
        number: usize,
        /// What is wrong with it.
        fault: &'static str,
    },
    /// The operating system gave no random bytes.
    #[error("no random bytes for a new key from the operating system: {0}")]
    Random(io::Error),
}

pub(super) struct Keys {
    /// At least one.
    keys: Vec<Arc<SealingKey>>,
    stamp: Option<Stamp>,
}

// === impl Keyring ===

impl Keyring {
    /// The keys in base64 (RFC 4648, section 4). Empty items are skipped.
    ///
    /// # Errors
    /// [`KeyringError::Empty`] if there is none, [`KeyringError::NotAKey`] if one is not 32 bytes in
    /// base64, or all zero.
    ///
    /// ```
    /// use portreeve::vault::Keyring;
    ///
    /// let configured = "6xMK1GSYBlnfdL1iGKZcfQfmgMAyY8CQjNNoVVkVKKM=";
    /// assert!(Keyring::from_base64_keys(configured.split(',')).is_ok());
    /// assert!(Keyring::from_base64_keys(["secret"]).is_err());
    /// ```
    pub fn from_base64_keys<'a>(
        keys: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, KeyringError> {
        let keys = Keys::parse("the list of encryption keys", keys)?;
        Ok(Self::on(keys, None))
    }

    /// One new random key that is kept nowhere: what it seals is lost with it.
    ///
    /// # Errors
    /// [`KeyringError::Random`] if the operating system gives no random bytes.
    pub fn generate() -> Result<Self, KeyringError> {
        let (keys, stamp) = (vec![SealingKey::new(&*new_key()?).into()], None);
        Ok(Self::on(Keys { keys, stamp }, None))
    }

    /// The keys of a file: one in base64 a line; empty lines and lines that begin with `#` are skipped.
    ///
    /// # Errors
    /// If the file cannot be read, is larger than 64 KiB, or holds anything but random keys.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, KeyringError> {
        let path = path.as_ref();
        let keys = Keys::read_changed(path, None)?.expect("a file differs from none");
        Ok(Self::on(keys, Some(path.to_owned())))
    }

    /// As [`Self::read`]; a missing file is made first, with one new key and mode 0600, and its directory with mode 0700.
    ///
    /// The file appears whole and on disk or not at all, and never replaces another one, however
    /// many processes do this at once: a key that has sealed something must not get lost.
    ///
    /// # Errors
    /// As [`Self::read`], and if the file cannot be made.
    pub fn read_or_create(path: impl AsRef<Path>) -> Result<Self, KeyringError> {
        let path = path.as_ref();
        if let Ok(false) = path.try_exists() {
            // Another process may be faster.
            let made = files::create_whole(path, new_line()?.as_bytes());
            made.map_err(file_error("make", path))?;
        }
        Self::read(path)
    }

    /// Adds a new random key to the file at `path`, before all others, and returns its id. The file is replaced
    /// atomically, and keeps its mode and owner; a missing one is made as by [`Self::read_or_create`].
    ///
    /// # Errors
    /// As [`Self::read`], and if the file cannot be replaced; it is unchanged then.
    pub fn add_key(path: impl AsRef<Path>) -> Result<KeyId, KeyringError> {
        let path = path.as_ref();
        let edit = begin_edit(path, Some(""))?;
        if !edit.text.is_empty() {
            Keys::parse_file(path, &edit.text)?;
        }
        let line = new_line()?;
        // Of its final size: growing would leave copies behind.
        let mut text = Zeroizing::new(String::with_capacity(line.len() + edit.text.len()));
        text.extend([&**line, &**edit.text]);
        let added = Keys::parse_file(path, &text)?.keys[0].id();
        edit.finish(&text).map_err(file_error("write", path))?;
        Ok(added)
    }

    /// Removes the keys that `is_removed` names from the file at `path`, which is replaced as by [`Self::add_key`].
    /// Returns their ids. The last key stays.
    ///
    /// # Errors
    /// As [`Self::add_key`].
    pub fn remove_keys(
        path: impl AsRef<Path>,
        is_removed: impl Fn(KeyId) -> bool,
    ) -> Result<Vec<KeyId>, KeyringError> {
        let path = path.as_ref();
        let edit = begin_edit(path, None)?;
        let ids = Keys::parse_file(path, &edit.text)?.ids();
        let last_kept = ids.iter().rev().find(|id| !is_removed(**id));
        let stays = *last_kept.unwrap_or(&ids[0]);
        let mut removed = Vec::new();
        let mut rest = Zeroizing::new(String::with_capacity(edit.text.len()));
        for line in edit.text.split_inclusive('\n') {
            // A comment or an empty line.
            let id = decode(line.trim()).map(|key| SealingKey::new(&key).id());
            match id.filter(|id| *id != stays && is_removed(*id)) {
                Some(id) => removed.push(id),
                None => rest.push_str(line),
            }
        }
        if !removed.is_empty() {
            edit.finish(&rest).map_err(file_error("write", path))?;
        }
        Ok(removed)
    }

    /// The first key.
    pub fn first_key(&self) -> KeyId {
        self.keys().keys[0].id()
    }

    /// All keys, in their order.
    pub fn key_ids(&self) -> Vec<KeyId> {
        self.keys().ids()
    }

    /// Uses the keys of `other` from now on: the same file or list, read again. It goes on reading its own file again.
    pub fn adopt(&self, other: Self) {
        self.keys.store(other.keys());
    }

    pub(super) fn keys(&self) -> Arc<Keys> {
        self.keys.load_full()
    }

    /// Opens `sealed` with the keys at hand, without a look at the file.
    pub(super) fn open(
        &self,
        associated_data: &[u8],
        sealed: &[u8],
    ) -> Result<Zeroizing<Vec<u8>>, OpenError> {
        let (keys, id) = (self.keys.load(), cipher::key_id(sealed)?);
        keys.with_id(id).ok_or(OpenError::UnknownKey(id))?.open(associated_data, sealed)
    }

    /// Whether the file could not be used when it was last read.
    pub(super) fn is_unusable(&self) -> bool {
        self.is_logged.load(Ordering::Relaxed)
    }

    /// Whether to read the file again for the key `id`: not if it is known, or the file was read for it within a second.
    pub(super) fn is_due(&self, id: KeyId, looks: &mut BTreeMap<KeyId, Instant>) -> bool {
        let is_due = self.keys().with_id(id).is_none()
            && looks.get(&id).is_none_or(|at| at.elapsed() >= LOOK_EVERY);
        if is_due {
            looks.insert(id, Instant::now());
        }
        is_due
    }

    /// Reads the file again if it changed. Blocks on the file system.
    ///
    /// A file that cannot be used leaves the keys as they are: an editor, or Kubernetes, may just be replacing it.
    pub(super) fn refresh(&self) -> Result<(), KeyringError> {
        let Some(path) = &self.path else {
            return Ok(());
        };
        match Keys::read_changed(path, self.keys.load().stamp.clone()) {
            Ok(None) => {}
            Ok(Some(keys)) => self.keys.store(Arc::new(keys)),
            Err(error) => {
                if !self.is_logged.swap(true, Ordering::Relaxed) {
                    tracing::warn!(%error, "the previous keys stay in force");
                }
                return Err(error);
            }
        }
        if self.is_logged.swap(false, Ordering::Relaxed) {
            tracing::info!(path = %path.display(), "the key file can be read again");
        }
        Ok(())
    }

    fn on(keys: Keys, path: Option<PathBuf>) -> Self {
        Self {
            keys: ArcSwap::from_pointee(keys),
            path,
            is_logged: AtomicBool::new(false),
            looks: Arc::default(),
        }
    }
}

opaque_debug!(Keyring, |it| it.key_ids());

// === impl Keys ===

impl Keys {
    pub(super) fn with_id(&self, id: KeyId) -> Option<&Arc<SealingKey>> {
        self.keys.iter().find(|key| key.id() == id)
    }

    fn ids(&self) -> Vec<KeyId> {
        self.keys.iter().map(|key| key.id()).collect()
    }

    fn parse<'a>(
        origin: &str,
        items: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, KeyringError> {
        let mut keys: Vec<Arc<SealingKey>> = Vec::new();
        let items = items.into_iter().map(str::trim);
        for (index, item) in items.filter(|item| !item.is_empty()).enumerate() {
            let not_a_key =
                |fault| KeyringError::NotAKey { origin: origin.into(), number: index + 1, fault };
            let key = decode(item).ok_or_else(|| not_a_key("not 32 bytes in base64"))?;
            if *key == [0; SealingKey::LEN] {
                return Err(not_a_key("all zero, which anybody can guess"));
            }
            let key = SealingKey::new(&key);
            if keys.iter().all(|known| known.id() != key.id()) {
                keys.push(key.into());
            }
        }
        if keys.is_empty() {
            return Err(KeyringError::Empty(origin.into()));
        }
        Ok(Self { keys, stamp: None })
    }

    /// Reads the file at `path`, unless it is as it was when `known` was taken.
    fn read_changed(path: &Path, known: Option<Stamp>) -> Result<Option<Self>, KeyringError> {
        let owned = path.to_owned();
        let read = move || files::read_changed(&owned, MAX_FILE_LEN, known.as_ref());
        let Some(content) = files::in_time(path, read).map_err(file_error("read", path))? else {
            return Ok(None);
        };
        let stamp = content.stamp.clone();
        let text = content.into_text().map_err(file_error("read", path))?;
        Ok(Some(Self { stamp: Some(stamp), ..Self::parse_file(path, &text)? }))
    }

    fn parse_file(path: &Path, text: &str) -> Result<Self, KeyringError> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        Self::parse(&format!("the key file {}", path.display()), lines)
    }
}

fn decode(item: &str) -> Option<Zeroizing<[u8; SealingKey::LEN]>> {
    let bytes = Zeroizing::new(STANDARD.decode(item).ok()?);
    let mut key = Zeroizing::new([0; SealingKey::LEN]);
    (bytes.len() == key.len()).then(|| key.copy_from_slice(&bytes))?;
    Some(key)
}

fn new_key() -> Result<Zeroizing<[u8; SealingKey::LEN]>, KeyringError> {
    let mut key = Zeroizing::new([0; SealingKey::LEN]);
    random::fill(&mut *key).map_err(KeyringError::Random)?;
    Ok(key)
}

fn new_line() -> Result<Zeroizing<String>, KeyringError> {
    let key = new_key()?;
    let mut line = Zeroizing::new(String::with_capacity(64));
    STANDARD.encode_string(*key, &mut line);
    line.push('\n');
    Ok(line)
}

fn begin_edit(path: &Path, new: Option<&str>) -> Result<Edit, KeyringError> {
    Edit::begin(path, MAX_FILE_LEN, new).map_err(|(action, error)| file_error(action, path)(error))
}

fn file_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> KeyringError {
    move |source| KeyringError::File {
        action,
        path: path.to_owned(),
        source: match source.kind() {
            io::ErrorKind::FileTooLarge => {
                io::Error::other("it is too large for a file of keys; name the right file")
            }
            _ => source,
        },
    }
}
